package sportmonks

import (
	"regexp"
	"strings"

	"mkt/fetch/provider/sportmonks/internal/wire"
)

// A fixture is left out if it is not football, or if its names say that it is played on
// a console. This provider has had no such league so far; the filter is there in case it
// adds one. "Esports" is also Catalan for sports: with a word or an apostrophe before it,
// it is a part of a club's name.
//
// Source: provider notes, section 10.

// esoccer are the patterns in names of leagues and teams, by rule.
var esoccer = []struct {
	rule, hint string // a name without the hint does not match
	pattern    *regexp.Regexp
}{
	{"esoccer", "soccer", regexp.MustCompile(`(?i)\be-?soccer\b`)},
	{"esports", "sports", regexp.MustCompile(`(?i)\be-sports\b|(?:^|[-(:,] ?)esports\b|\besports (?:battle|league|cup|series)\b`)},
	{"cyber", "cyber", regexp.MustCompile(`(?i)\bcyber`)},
}

// otherSport is the rule for a fixture that is not football.
const otherSport = "sport:not-football"

// filterOf names the rule that leaves a fixture out, and where it matched; "" if none
// does.
func filterOf(i *item) string {
	if sport, ok := i.sport.Get(); ok && sport != wire.SportID {
		return otherSport
	}
	for _, n := range []struct{ name, where string }{{i.league.Or(""), "league-name"}, {i.home.Or(""), "home-name"}, {i.away.Or(""), "away-name"}} {
		plain := strings.ToLower(n.name)
		for _, sign := range esoccer {
			if strings.Contains(plain, sign.hint) && sign.pattern.MatchString(n.name) {
				return sign.rule + ":" + n.where
			}
		}
	}
	return ""
}
