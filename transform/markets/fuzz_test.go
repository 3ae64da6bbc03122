package markets

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/betsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// FuzzRow reads any words as a row of any market: it must not fall over, must
// keep the row, and must not vouch for words it did not consume.
func FuzzRow(f *testing.F) {
	for i, s := range [][3]string{{"1", "+1.0", ""}, {"Over", "2.5, 3.0", ""}, {"Tie - (Leicester +1)", "", ""}, {"Half Time Draw 0-0 Full Time Arsenal 1-0", "", ""},
		{"Arsenal or Draw", "", ""}, {"Yes", "1st Half", "1"}, {"A. Player to score first and Arsenal 1-0", "", ""}, {"81 - Full Time", "", ""},
		{"105 To 125 minutes inc.", "", ""}, {"Leicester - No Goal before 79:00", "", ""}, {"2 or 3 goals", "", ""}, {"A. Player", "Over", "0.5"}} {
		f.Add(uint(i*17), s[0], s[1], s[2], "Arsenal", "Leicester")
	}
	terms := football.Vocabulary()
	d := New(identity.NewMinter(identity.Key{1}, "p"))
	f.Fuzz(func(t *testing.T, n uint, a, b, c, home, away string) {
		term := &terms[n%uint(len(terms))]
		period := term.Periods[0]
		if period == football.Interval {
			period = "0-10"
		}
		o := input.Offer{Key: "k", Reading: &input.Reading{Dialect: betsapi.Dialect(), Market: term.Canonical, Period: period, Rank: 1, Shape: input.Shape(n % 32)}}
		row := input.Row{Decimal: football.Of("1.90")}
		for _, text := range []string{a, b, c} {
			row.Labels = append(row.Labels, football.Label{Field: "name", Text: text})
		}
		o.Rows = []input.Row{row}
		fx := football.Fixture{ProviderFixtureID: "1", Home: football.Of(home), Away: football.Of(away)}
		got := d.Derive(&fx, []input.Offer{o})
		if len(got) != 1 || len(got[0].Selections) != 1 {
			t.Fatalf("%d markets", len(got))
		}
		s := got[0].Selections[0]
		if decimal, _ := s.Odds.Decimal().Get(); decimal != "1.90" {
			t.Fatalf("odds %+v", s.Odds)
		}
		if s.Quality.Publishable && strings.TrimSpace(a+b+c) == "" {
			t.Fatalf("read out of nothing: %+v", s)
		}
		// The same words once more, and one that fits nowhere, are not the same row.
		row.Labels = append(row.Labels, football.Label{Field: "name", Text: "@@ no such word @@"})
		o.Rows = []input.Row{row}
		if again := d.Derive(&fx, []input.Offer{o})[0].Selections[0]; again.Quality.Publishable {
			t.Fatalf("%s: a word was left over and vouched for: %+v", term.Canonical, again)
		}
	})
}

// FuzzTokens reads scores, bands, counts, brackets and clocks.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{"2-1", "6 - 8", "2 or 3", "7+", "7 or more", "Under 6", "81 - Full Time", "27:00", "0-0", "12:34"} {
		f.Add(s)
	}
	p := plan{dialect: betsapi.Dialect()}
	f.Fuzz(func(t *testing.T, s string) {
		if a, b, size := scoreAt(s); size > 0 {
			if got := s[:size]; got != fmt.Sprintf("%d-%d", a, b) && got != fmt.Sprintf("%d:%d", a, b) {
				t.Errorf("score %q read as %d-%d", got, a, b)
			}
		}
		for name, token := range map[string]func(string) (string, int){"band": p.bandAt, "count": p.countAt, "bracket": p.bracketAt} {
			word, size := token(s)
			if size < 0 || size > len(s) || (size == 0) != (word == "") {
				t.Errorf("%s %q: %q, %d bytes", name, s, word, size)
			}
			if strings.Trim(word, "0123456789-+") != "" {
				t.Errorf("%s %q: word %q", name, s, word)
			}
		}
		if size := clockAt(s); size > len(s) {
			t.Errorf("clock %q: %d bytes", s, size)
		}
		if q, _, size := lineAt(s); size > 0 {
			if again, _, ok := parseLine(s[:size]); !ok || again != q {
				t.Errorf("line %q", s[:size])
			}
		}
	})
}

// Every canonical market has a form or is known to have none.
func TestForms(t *testing.T) {
	unread := map[string]string{
		"REST_OF_MATCH_RESULT":                           "counts from the score at the offer: in play only",
		"REST_OF_MATCH_ASIAN_HANDICAP":                   "counts from the score at the offer: in play only",
		"HALF_TIME_FULL_TIME_AND_TOTAL_GOALS":            "no shape recorded",
		"HALF_TIME_FULL_TIME_AND_FIRST_HALF_TOTAL_GOALS": "no shape recorded",
		"HALF_TIME_FULL_TIME_AND_EXACT_GOALS":            "no shape recorded",
		"TEAM_TO_WIN":                                    "no shape recorded",
		"RESULT_AND_TOTAL_GOALS_YES_NO":                  "no shape recorded",
		"RESULT_OR_TOTAL_GOALS":                          "no shape recorded",
		"RESULT_OR_BOTH_TEAMS_TO_SCORE":                  "no shape recorded",
		"RESULT_OR_ANY_CLEAN_SHEET":                      "no shape recorded",
		"NTH_GOAL_AND_RESULT":                            "no shape recorded",
		"NTH_GOAL_BEFORE_MINUTE":                         "no shape recorded",
		"CORRECT_SCORE_GROUP":                            "no shape recorded",
	}
	for i := range football.Vocabulary() {
		term := &football.Vocabulary()[i]
		_, none := unread[term.Canonical]
		if (forms[term.Canonical] == nil) != none {
			t.Errorf("%s (%s, %s): form %v", term.Canonical, term.Selections, term.Line, !none)
		}
		delete(unread, term.Canonical)
	}
	for name := range unread {
		t.Errorf("%s is not in the vocabulary", name)
	}
}
