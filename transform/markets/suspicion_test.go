package markets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
)

// Each case is the offers on Arsenal - Leicester and the suspicions about them.
func TestSuspicions(t *testing.T) {
	totals := claim{Market: "TOTAL_GOALS"}
	result := offerOf(&claim{Market: "MATCH_RESULT"}, "1 @1.80", "Draw @3.60", "2 @4.75")
	for _, c := range []struct {
		name   string
		offers []input.Offer
		want   string
	}{
		{"nothing", []input.Offer{
			result,
			offerOf(&claim{Market: "DOUBLE_CHANCE"}, "Arsenal or Draw @1.20", "Draw or Leicester @2.05", "Arsenal or Leicester @1.30"),
			offerOf(&claim{Market: "DRAW_NO_BET"}, "1 @1.30", "2 @3.50"),
			offerOf(&asian, "header=1|name=-0.5 @1.80", "header=2|name=+0.5 @2.05", "header=1|name=-1.5 @3.00", "header=2|name=+1.5 @1.40"),
			offerOf(&european, "header=1|handicap=-1 @3.10", "header=Tie|handicap=+1 @3.60", "header=2|handicap=+1 @2.10"),
			offerOf(&totals, "header=Over|name=2.5 @1.85", "header=Under|name=2.5 @1.95", "header=Over|name=3.5 @3.20", "header=Under|name=3.5 @1.35"),
			offerOf(&winnerFirst, "header=1|name=1-0 @7.00", "header=2|name=1-0 @12.00"),
		}, ""},
		{"a balanced match has no favourite", []input.Offer{
			offerOf(&claim{Market: "MATCH_RESULT"}, "1 @2.70", "Draw @3.20", "2 @2.60"),
			offerOf(&claim{Market: "DRAW_NO_BET"}, "1 @1.85", "2 @1.95"),
		}, ""},
		{"a suspended price says nothing", []input.Offer{suspended(offerOf(&totals, "header=Over|name=2.5 @9.00", "header=Under|name=2.5 @9.00"))}, ""},
		{"three selections", []input.Offer{offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes @1.85 #1", "No @1.85 #2", "Maybe @30.00 #3")},
			"extra_selection BOTH_TEAMS_TO_SCORE"},
		{"three selections of one line", []input.Offer{offerOf(&totals, "header=Over|name=2.5 @1.85 #1", "header=Under|name=2.5 @1.95 #2", "header=Over|name=2.5 @1.90 #3")},
			"extra_selection TOTAL_GOALS"},
		{"one line in the wrong order", []input.Offer{offerOf(&totals, "header=Over|name=1.5 @1.30", "header=Under|name=1.5 @3.40", "header=Over|name=2.5 @1.85", "header=Under|name=2.5 @1.95",
			"header=Over|name=3.5 @1.75", "header=Under|name=3.5 @2.10")}, "lines_out_of_order TOTAL_GOALS"},
		{"over and under swapped", []input.Offer{offerOf(&totals, "header=Under|name=1.5 @1.30", "header=Over|name=1.5 @3.40", "header=Under|name=2.5 @1.85", "header=Over|name=2.5 @1.95")},
			"swapped_labels TOTAL_GOALS"},
		{"turned signs", []input.Offer{offerOf(&asian, "header=1|name=+0.5 @1.80", "header=2|name=-0.5 @2.05", "header=1|name=+1.5 @3.00", "header=2|name=-1.5 @1.40")},
			"swapped_labels ASIAN_HANDICAP"},
		{"a line of one side", []input.Offer{offerOf(&asian, "header=1|name=-0.5 @1.80", "header=2|name=+0.5 @2.05", "header=1|name=-1.5 @3.00")}, "unmirrored_handicap ASIAN_HANDICAP"},
		{"too much", []input.Offer{offerOf(&claim{Market: "MATCH_RESULT"}, "1 @1.56", "Draw @1.42", "2 @5.20")}, "odd_margin MATCH_RESULT"},
		{"too little", []input.Offer{offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes @2.40", "No @2.40")}, "odd_margin BOTH_TEAMS_TO_SCORE"},
		{"another favourite", []input.Offer{result, offerOf(&claim{Market: "DRAW_NO_BET"}, "1 @3.50", "2 @1.30"),
			offerOf(&claim{Market: "DOUBLE_CHANCE"}, "Arsenal or Draw @2.05", "Draw or Leicester @1.20", "Arsenal or Leicester @1.30"),
			offerOf(&asian, "header=1|name=+0.5 @2.05", "header=2|name=-0.5 @1.70")},
			"other_favourite ASIAN_HANDICAP, other_favourite DOUBLE_CHANCE, other_favourite DRAW_NO_BET"},
		{"another half's favourite is another question", []input.Offer{result, offerOf(&claim{Market: "MATCH_RESULT", Period: "2H"}, "1 @4.75", "Draw @2.40", "2 @2.30")}, ""},
		{"scores the wrong way round", []input.Offer{result, offerOf(&winnerFirst, "header=1|name=1-0 @12.00", "header=2|name=1-0 @7.00")}, "swapped_labels CORRECT_SCORE"},
		{"halves the wrong way round", []input.Offer{result, offerOf(&claim{Market: "HALF_TIME_FULL_TIME"}, "Leicester - Leicester @2.60", "Arsenal - Arsenal @9.00")},
			"swapped_labels HALF_TIME_FULL_TIME"},
		{"halves the right way round", []input.Offer{result, offerOf(&claim{Market: "HALF_TIME_FULL_TIME"}, "Arsenal - Arsenal @2.60", "Leicester - Leicester @9.00")}, ""},
		{"the first goal is another's", []input.Offer{result, offerOf(&claim{Market: "FIRST_TEAM_TO_SCORE"}, "1 @2.60", "2 @1.60")}, "other_favourite FIRST_TEAM_TO_SCORE"},
		{"the first goal is the favourite's", []input.Offer{result, offerOf(&claim{Market: "FIRST_TEAM_TO_SCORE"}, "1 @1.60", "2 @2.60")}, ""},
		{"one line, where the other side gives a goal", []input.Offer{result, offerOf(&asian, "header=1|name=+1 @2.00", "header=2|name=-1 @1.90")}, "other_favourite ASIAN_HANDICAP"},
		{"one line, where the favourite gives a goal", []input.Offer{result, offerOf(&asian, "header=1|name=-1 @2.00", "header=2|name=+1 @1.90")}, ""},
		{"one line, where the favourite gives so many goals that the other is cheaper", []input.Offer{result, offerOf(&asian, "header=1|name=-2.5 @3.90", "header=2|name=+2.5 @1.25")}, ""},
		{"one line, the other way round in another market", []input.Offer{
			offerOf(&totals, "header=Over|name=2.5 @1.60", "header=Under|name=2.5 @2.35"),
			offerOf(&claim{Market: "TOTAL_GOALS", Rank: 2}, "header=Over|name=2.5 @2.33", "header=Under|name=2.5 @1.62"),
		}, "swapped_labels TOTAL_GOALS"},
		{"one line, about the same in another market", []input.Offer{
			offerOf(&totals, "header=Over|name=2.5 @1.60", "header=Under|name=2.5 @2.35"),
			offerOf(&claim{Market: "TOTAL_GOALS", Rank: 2}, "header=Over|name=2.5 @1.72", "header=Under|name=2.5 @2.20"),
		}, ""},
		{"one line, the other way round in another half", []input.Offer{
			offerOf(&totals, "header=Over|name=2.5 @1.60", "header=Under|name=2.5 @2.35"),
			offerOf(&claim{Market: "TOTAL_GOALS", Period: "2H"}, "header=Over|name=2.5 @2.33", "header=Under|name=2.5 @1.62"),
		}, ""},
		{"yes and no, the other way round in another market", []input.Offer{
			offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes @1.55", "No @2.40"),
			offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE", Rank: 2}, "Yes @2.38", "No @1.56"),
		}, "swapped_labels BOTH_TEAMS_TO_SCORE"},
		{"a handicap without its sign", []input.Offer{offerOf(&asian, "header=1|name=-0.5 @1.80", "header=2|name=-0.5 @2.05", "header=1|name=-1 @2.20", "header=2|name=+1 @1.70")},
			"unmirrored_handicap ASIAN_HANDICAP"},
		{"a margin at the edge", []input.Offer{offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes @2.10", "No @2.10")}, ""},
		{"a large margin", []input.Offer{offerOf(&claim{Market: "MATCH_RESULT"}, "1 @2.20", "Draw @2.50", "2 @2.40")}, ""},
		{"two lines that cost about the same", []input.Offer{offerOf(&totals, "header=Over|name=2.25 @1.85", "header=Under|name=2.25 @1.95", "header=Over|name=2.5 @1.83", "header=Under|name=2.5 @1.97")}, ""},
		{"a price that is missing", []input.Offer{offerOf(&totals, "header=Over|name=2.5 @1.85", "header=Under|name=2.5")}, ""},
		{"players have margins of their own", []input.Offer{offerOf(&claim{Market: "PLAYER_SHOTS", Subject: "PLAYER"}, "Jamie Vardy|Over|1.5 @1.20", "Jamie Vardy|Under|1.5 @1.20")}, ""},
		{"prices as fractions", []input.Offer{fractions(offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes", "No"), "4/5", "10/11")}, ""},
		{"prices as odd fractions", []input.Offer{fractions(offerOf(&claim{Market: "BOTH_TEAMS_TO_SCORE"}, "Yes", "No"), "1/5", "1/10")}, "odd_margin BOTH_TEAMS_TO_SCORE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			derived := markets.Derive(minter(), fixture("Arsenal", "Leicester"), c.offers)
			before := fmt.Sprintf("%+v", derived)
			var seen []string
			var s suspicion.Detector
			counts := s.Look(derived, func(kind suspicion.Kind, m *football.Market, what string) {
				if what == "" || strings.Contains(what, "%!") {
					t.Errorf("%s: %q is no description", kind, what)
				}
				seen = append(seen, kind.String()+" "+m.Canonical)
			})
			slices.Sort(seen)
			if got := strings.Join(seen, ", "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if counts.Total() != len(seen) || s.Look(derived, nil) != counts {
				t.Errorf("%d are counted, %d are reported", counts.Total(), len(seen))
			}
			if fmt.Sprintf("%+v", derived) != before {
				t.Error("the markets were changed")
			}
		})
	}
}

func suspended(o input.Offer) input.Offer {
	for i := range o.Rows {
		o.Rows[i].Suspended = true
	}
	return o
}

func fractions(o input.Offer, texts ...string) input.Offer {
	for i := range o.Rows {
		o.Rows[i].Decimal, o.Rows[i].Fractional = football.Field[string]{}, football.Of(texts[i])
	}
	return o
}
