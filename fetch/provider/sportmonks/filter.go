package sportmonks

import (
	"mkt/fetch/internal/esoccer"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// otherSport is the rule for a fixture of another sport.
const otherSport = "sport:not-football"

// filterOf names the rule that keeps a fixture out, and where it was met; "" if none
// does. No eSoccer has been seen in this provider's data (provider notes, section 10);
// the names are checked all the same.
func filterOf(i *item) string {
	if sport, ok := i.sport.Get(); ok && sport != api.SportID {
		return otherSport
	}
	return esoccer.Rule(esoccer.Names{League: i.league.Or(""), Home: i.home.Or(""), Away: i.away.Or("")})
}
