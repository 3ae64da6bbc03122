package markets_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/suspicion"
)

// A total is three-way line by line: one row that says Exactly proves nothing of the
// other lines.
func TestThreeWayTotals(t *testing.T) {
	for _, c := range []struct {
		name   string
		twoWay bool // the table has another reading
		rows   []string
		want   string
	}{
		{"two-way prices beside one Exactly", true, []string{"Over 4 @1.67", "Under 4 @2.08", "Exactly 4 @4.90", "Over 4.5 @2.03", "Under 4.5 @1.70", "Over 5 @2.55", "Under 5 @1.46"}, `
TOTAL_CORNERS 1H lines 4 4.5 5
  OVER 4
  UNDER 4
  Exactly 4 SUSPECT [AMBIGUOUS_SHAPE]
  OVER 4.5
  UNDER 4.5
  OVER 5
  UNDER 5
unproven_total`},
		{"three-way", true, []string{"Exactly 4 @5.00", "Over 4 @2.30", "Under 4 @2.25"}, `
TOTAL_CORNERS_3WAY 1H lines 4
  EXACTLY 4
  OVER 4
  UNDER 4`},
		{"three-way, and halves beside it", true, []string{"Exactly 4 @5.00", "Over 4 @2.30", "Under 4 @2.25", "Over 4.5 @2.12", "Under 4.5 @1.62", "Over 5 @2.58", "Under 5 @1.43"}, `
TOTAL_CORNERS_3WAY 1H lines 4
  EXACTLY 4
  OVER 4
  UNDER 4
  OVER 5 SUSPECT [AMBIGUOUS_SHAPE]
  UNDER 5 SUSPECT [AMBIGUOUS_SHAPE]
TOTAL_CORNERS 1H lines 4.5
  OVER 4.5
  UNDER 4.5
unproven_total`},
		{"an Exactly so unlikely that both fit", true, []string{"Exactly 12 @34.00", "Over 12 @17.00", "Under 12 @1.02"}, `
RAW CONDITION_FAILED
  Exactly 12 SUSPECT [MARKET_NOT_MAPPED]
  Over 12 SUSPECT [MARKET_NOT_MAPPED]
  Under 12 SUSPECT [MARKET_NOT_MAPPED]`},
		{"prices that are missing", true, []string{"Exactly 4 @5.00", "Over 4 @2.30", "Under 4 @null", "Over 3.5 @1.50"}, `
TOTAL_CORNERS 1H lines 3.5
  Exactly 4 SUSPECT [AMBIGUOUS_SHAPE]
  Over 4 SUSPECT [AMBIGUOUS_SHAPE]
  Under 4 SUSPECT [AMBIGUOUS_SHAPE ODDS_NULL]
  OVER 3.5
unproven_total`},
		{"an Exactly without a line", true, []string{"Exactly @5.00", "Over 4 @1.67", "Under 4 @2.08", "Over 4.5 @2.03"}, `
TOTAL_CORNERS 1H lines 4.5
  Exactly UNREADABLE [UNREADABLE_LINE]
  Over 4 SUSPECT [AMBIGUOUS_SHAPE]
  Under 4 SUSPECT [AMBIGUOUS_SHAPE]
  OVER 4.5
unproven_total`},
		{"named three-way, by fractions", false, []string{"Exactly 9 @13/2", "Over 9 @5/4", "Under 9 @1/1", "Over 10 @2.57", "Under 10 @1.45", "Exactly 11 @6.00", "Over 11 @2.00", "Under 11 @1.75",
			"Exactly 16 @29.00", "Over 16 @23.00", "Under 16 @1.02", "Over 9.5 @2.00"}, `
TOTAL_CORNERS_3WAY 1H lines 9 16
  EXACTLY 9
  OVER 9
  UNDER 9
  OVER 10 SUSPECT [AMBIGUOUS_SHAPE]
  UNDER 10 SUSPECT [AMBIGUOUS_SHAPE]
  EXACTLY 11 SUSPECT [AMBIGUOUS_SHAPE]
  OVER 11 SUSPECT [AMBIGUOUS_SHAPE]
  UNDER 11 SUSPECT [AMBIGUOUS_SHAPE]
  EXACTLY 16
  OVER 16
  UNDER 16
  Over 9.5 UNREADABLE [UNREADABLE_LINE]
unproven_total`},
		{"named three-way, prices on hold", false, []string{"Exactly 9 @null", "Over 9 @2.25", "Under 9 @2.00"}, `
TOTAL_CORNERS_3WAY 1H lines 9
  EXACTLY 9 SUSPECT [ODDS_NULL]
  OVER 9
  UNDER 9`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := offerOf(&claim{Market: "TOTAL_CORNERS_3WAY", Period: "1H", Rank: 2, Condition: input.NeedsExactly}, c.rows...)
			if c.twoWay {
				o.TwoWay = &claim{Market: "TOTAL_CORNERS", Period: "1H", Rank: 1, Dialect: o.Reading.Dialect}
			}
			all := derive("Arsenal", "Leicester", o)
			got := show(all)
			var s suspicion.Detector
			s.Look(all, func(kind suspicion.Kind, _ *football.Market, _ string) { got += kind.String() + "\n" })
			if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}
