package markets_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
)

// Each case is one offer on Arsenal - Leicester, and its rows that are not publishable. Prices that cannot be those of
// what the words say unpublish their rows, and the market stays.
func TestDisproved(t *testing.T) {
	result, totals := claim{Market: "MATCH_RESULT"}, claim{Market: "TOTAL_GOALS"}
	double := claim{Market: "DOUBLE_CHANCE"}
	asianRows := func(texts ...string) input.Offer { // "-1.5 1.30 3.30" is the home side's line and both prices
		var rows []string
		for _, text := range texts {
			f := strings.Fields(text)
			own, other := f[0], strings.NewReplacer("-", "+", "+", "-").Replace(f[0])
			rows = append(rows, "header=1|name="+own+" @"+f[1], "header=2|name="+other+" @"+f[2])
		}
		return offerOf(&asian, rows...)
	}
	for _, c := range []struct {
		name  string
		offer input.Offer
		want  string
	}{
		{"a result", offerOf(&result, "1 @1.80", "X @3.60", "2 @4.75"), ""},
		{"an exchange's", offerOf(&result, "1 @1.56", "X @1.42", "2 @5.20"), ""},
		{"more than all", offerOf(&result, "1 @2.20", "X @3.80", "2 @3.90"), ""},
		{"American prices", offerOf(&result, "1 @150", "X @240", "2 @210"), "HOME, DRAW, AWAY"},
		{"American prices of a favourite", offerOf(&result, "1 @-150", "X @240", "2 @310"), "HOME, DRAW, AWAY"},
		{"long prices", offerOf(&result, "1 @1.01", "X @150", "2 @240"), ""},
		{"two of three", offerOf(&result, "1 @1.01", "X @150"), ""},
		{"yes and no in the American form", offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes @120", "No @110"), "YES, NO"},
		{"a double chance", offerOf(&double, "1X @1.20", "X2 @2.05", "12 @1.30"), ""},
		{"a double chance with the result's prices", offerOf(&double, "1X @2.10", "X2 @3.20", "12 @3.60"), "1X, X2, 12"},
		{"a part of it", offerOf(&double, "1X @2.10", "X2 @3.20"), "1X, X2"},
		{"a part of a double chance", offerOf(&double, "1X @1.20", "12 @1.30"), ""},
		{"one of a double chance", offerOf(&double, "X2 @3.20"), ""},
		{"of corners", offerOf(&claim{Market: "CORNERS_DOUBLE_CHANCE"}, "1X @1.20", "X2 @2.05", "12 @1.30"), ""},
		{"a three-way handicap without a draw", offerOf(&european, "header=1|handicap=-1 @3.10", "header=2|handicap=+1 @2.10"), ""},
		{"a two-way handicap in a three-way one", offerOf(&european, "header=1|handicap=-1 @1.90", "header=2|handicap=+1 @1.90", "header=1|handicap=-2 @4.10", "header=Tie|handicap=+2 @4.00", "header=2|handicap=+2 @1.70"), "HOME -1, AWAY -1"},
		{"a first goal without nobody", offerOf(&claim{Market: "FIRST_TEAM_TO_SCORE"}, "1 @1.75", "2 @2.10"), ""},
		{"a ladder", asianRows("-1.5 3.30 1.30", "-0.5 1.95 1.85", "0 1.50 2.55", "+0.5 1.30 3.40"), ""},
		{"turned signs", asianRows("-1.5 1.30 3.30", "+1.5 3.30 1.30"), "HOME -1.5, AWAY +1.5, HOME +1.5, AWAY -1.5"},
		{"turned signs about nought", asianRows("-1.5 1.10 6.50", "-0.5 1.40 2.80", "0 1.90 1.90", "+0.5 2.80 1.40", "+1.5 6.50 1.10"),
			"HOME -1.5, AWAY +1.5, HOME -0.5, AWAY +0.5, HOME +0.5, AWAY -0.5, HOME +1.5, AWAY -1.5"},
		{"small lines of turned signs", asianRows("-1.5 1.30 3.30", "-0.25 1.83 2.00", "+0.25 2.00 1.83", "+1.5 3.30 1.30"),
			"HOME -1.5, AWAY +1.5, HOME -0.25, AWAY +0.25, HOME +0.25, AWAY -0.25, HOME +1.5, AWAY -1.5"},
		{"one line of a ladder", asianRows("-1.5 3.30 1.30", "-1 2.60 1.48", "-0.5 1.95 1.85", "+0.5 3.40 1.30", "+1 1.15 5.20"), "HOME +0.5, AWAY -0.5"},
		{"less than the margin", asianRows("-0.5 1.85 1.90", "-0.25 1.90 1.85"), ""},
		{"one line", asianRows("-1.5 1.30 3.30"), ""},
		{"suspended prices", suspended(asianRows("-1.5 1.30 3.30", "+1.5 3.30 1.30")), "HOME -1.5, AWAY +1.5, HOME +1.5, AWAY -1.5"},
		{"over and under turned", offerOf(&totals, "header=Over|name=1.5 @3.40", "header=Under|name=1.5 @1.30", "header=Over|name=3.5 @1.30", "header=Under|name=3.5 @3.40"),
			"OVER 1.5, UNDER 1.5, OVER 3.5, UNDER 3.5"},
		{"two sides' totals", offerOf(&claim{Market: "TEAM_TOTAL_GOALS", Subject: "TEAM"}, "1|header=Over|handicap=0.5 @1.90", "1|header=Under|handicap=0.5 @1.90", "2|header=Over|handicap=1.5 @1.40", "2|header=Under|handicap=1.5 @2.80"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, m := range derive("Arsenal", "Leicester", c.offer) {
				if m.Canonical != c.offer.Reading.Market {
					t.Errorf("%s %s", m.Origin, m.RawReason)
				}
				for _, s := range m.Selections {
					if !s.Quality.Publishable {
						got = append(got, strings.TrimSpace(s.Selection+" "+s.Line))
					}
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("not publishable are %q, want %q", text, c.want)
			}
		})
	}
}
