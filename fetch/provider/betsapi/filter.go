package betsapi

import "regexp"

// filters are the rules by which a listed fixture is no football played by
// people. The provider is asked to leave eSoccer out, and does not leave out
// all of it.
//
// Source: provider notes, section 11 (names recorded 2020 to 2026).
var filters = []struct {
	rule    string
	pattern *regexp.Regexp
}{
	{"esoccer", regexp.MustCompile(`(?i)e-?soccer`)},
	{"esports", regexp.MustCompile(`(?i)esports`)},
	{"mins-play", regexp.MustCompile(`(?i)\bmins? play\b`)},
	{"srl", regexp.MustCompile(`(?i)\bsrl\b`)},
	{"virtual", regexp.MustCompile(`(?i)virtual`)},
	{"simulated", regexp.MustCompile(`(?i)simulat`)},
	{"cyber", regexp.MustCompile(`(?i)cyber`)},
}

// otherSport is the rule for a fixture that is not football at all.
const otherSport = "sport:not-football"

// filterOf names the rule that keeps a listed fixture out, and where it was
// met, "esoccer:league-name"; "" when none does.
func filterOf(i *item) string {
	if sport, ok := i.sport.Get(); ok && sport != sportFootball {
		return otherSport
	}
	for _, place := range []struct{ name, text string }{
		{"league-name", i.league.Or("")}, {"home-name", i.home.Or("")}, {"away-name", i.away.Or("")},
	} {
		for _, f := range filters {
			if f.pattern.MatchString(place.text) {
				return f.rule + ":" + place.name
			}
		}
	}
	return ""
}
