package betsapi

import (
	"mkt/fetch/internal/esoccer"
	"mkt/fetch/provider/betsapi/internal/api"
)

// otherSport is the rule for a fixture of another sport.
const otherSport = "sport:not-football"

// filterOf names the rule that keeps a listed fixture out, and where it was met,
// "esoccer:league-name"; "" if none does. The provider is asked to leave eSoccer out
// (skip_esports) and does not leave out all of it.
func filterOf(i *item) string {
	if sport, ok := i.sport.Get(); ok && sport != api.SportFootball {
		return otherSport
	}
	return esoccer.Rule(esoccer.Names{League: i.league.Or(""), Home: i.home.Or(""), Away: i.away.Or(""), Damaged: i.damaged})
}
