package football_test

import (
	"regexp"
	"testing"

	"mkt/publish/football"
)

// The functions and the patterns, which clients see in /schema, say the same.
func TestIDForms(t *testing.T) {
	const id = "abcdefghijklmnopqrstuvwx27"
	for s, want := range map[string]string{
		"fx_" + id: "fixture", "mk_" + id: "market", "mk_" + id + "~abcdefgh": "market", "sl_" + id: "selection",
		"fx_" + id + "~abcdefgh": "", "sl_" + id + "~abcdefgh": "", "mk_" + id + "~": "", "mk_" + id + "~abcdefg": "", "mk_" + id + "~abcdefg1": "", "mk_" + id + "~abcdefgh~": "",
		"fx_" + id + "a": "", "fx_" + id[:25]: "", "fx_" + id[:25] + "A": "", "fx_" + id[:25] + "1": "", "fx_": "", "": "", id: "", "fx_" + id + "\n": "", "sl_at 2.50, as agreed by all parties": "", "TOTAL_GOALS": "",
	} {
		for kind, is := range map[string]struct {
			pattern string
			is      func(string) bool
		}{
			"fixture":   {football.FixtureIDPattern, football.IsFixtureID},
			"market":    {football.MarketIDPattern, football.IsMarketID},
			"selection": {football.SelectionIDPattern, football.IsSelectionID},
		} {
			if got := is.is(s); got != (want == kind) || got != regexp.MustCompile(is.pattern).MatchString(s) {
				t.Errorf("%q is a %s: %v", s, kind, got)
			}
		}
	}
}
