package history

import (
	"slices"

	"mkt/publish/football"
)

// Price is the state of a price at a step.
type Price string

// The states of a price.
const (
	Offered     Price = "OFFERED"
	Withheld    Price = "NOT_PUBLISHABLE" // a price the service does not vouch for, with reasons
	NullPrice   Price = "NULL"            // sent without a value
	AbsentPrice Price = "ABSENT"          // the selection was sent without a price
	NoSelection Price = "NO_SELECTION"    // the market was sent without the selection
	NoMarket    Price = "NO_MARKET"       // the fixture was sent without the market
	NoFixture   Price = "NO_FIXTURE"      // the publication does not have the fixture
)

// IsSuspended reports whether the reasons include a suspension by the provider.
func IsSuspended(reasons []string) bool { return slices.Contains(reasons, string(football.Suspended)) }
