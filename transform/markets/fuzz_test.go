package markets

import (
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
