package sportmonks

import (
	"regexp"
	"strings"

	"mkt/fetch/provider/sportmonks/internal/wire"
)

// A fixture is left out when it is not of football, or when its names say that it is
// played on a console. No league of that kind has been met in this provider's data;
// the guard is for the day on which one is added. "Esports" is Catalan for sports, so
// that a word before it, or an apostrophe, makes a club of it.
//
// Source: provider notes, section 10.

// esoccer are the signs in the names of leagues and teams, by rule.
var esoccer = []struct {
	rule, hint string // a name that does not hold the hint does not match
	pattern    *regexp.Regexp
}{
	{"esoccer", "soccer", regexp.MustCompile(`(?i)\be-?soccer\b`)},
	{"esports", "sports", regexp.MustCompile(`(?i)\be-sports\b|(?:^|[-(:,] ?)esports\b|\besports (?:battle|league|cup|series)\b`)},
	{"cyber", "cyber", regexp.MustCompile(`(?i)\bcyber`)},
}

// otherSport is the rule for a fixture that is not of football.
const otherSport = "sport:not-football"

// filterOf names the rule that keeps a fixture out, and where it was met; "" if none
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
