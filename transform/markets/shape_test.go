package markets_test

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/sportmonks"
)

// Each case is one offer on Arsenal - Leicester in the words of a provider that sells
// several bookmakers, with their prices.
func TestShapes(t *testing.T) {
	const (
		repeats = input.RepeatedTexts
		proven  = input.RepeatedTexts | input.SignByPrices
	)
	for _, c := range []readCase{
		{"a text twice", claim{Market: "MATCH_RESULT", Shape: repeats}, []string{"label=Home|name=Home", "label=X|name=X|participants=7", "label=Home|name=Away"}, `
MATCH_RESULT FT
  HOME
  DRAW
  Home Away SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a text twice that means two things", claim{Market: "WINNING_MARGIN"}, []string{"label=1|name=1", "label=2|name=2"}, `
WINNING_MARGIN FT
  HOME_1
  AWAY_2`},
		{"fields that are not read", claim{Market: "MATCH_RESULT", Shape: repeats}, []string{"label=Home|original_label=1", "label=Away|participants=20", "label=Draw"}, `
MATCH_RESULT FT
  HOME
  AWAY
  DRAW`},
		{"the selection twice in different words", claim{Market: "HALF_TIME_FULL_TIME", Shape: repeats | input.EachSaysAll}, []string{"label=Draw - Arsenal|name=Draw/Home", "label=Home/Away|name=Home/Away", "label=Arsenal - Leicester", "label=Draw - Arsenal|name=Draw/Away", "label=Draw - Arsenal|name=?"}, `
HALF_TIME_FULL_TIME FT
  DRAW/HOME [DRAW,HOME]
  HOME/AWAY [HOME,AWAY]
  HOME/AWAY [HOME,AWAY]
  Draw - Arsenal Draw/Away SUSPECT [AMBIGUOUS_SHAPE]
  Draw - Arsenal ? UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"the winner first where it is named", claim{Market: "CORRECT_SCORE", Shape: repeats | input.NamedWinnerFirst}, []string{"label=2|name=2-1", "label=1:2|name=1:2", "label=Draw|name=1-1", "label=1|name=1-2", "label=0-3"}, `
CORRECT_SCORE FT
  1-2 [1,2]
  1-2 [1,2]
  1-1 [1,1]
  1 1-2 SUSPECT [AMBIGUOUS_SHAPE]
  0-3 [0,3]`},
		{"a side alone", claim{Market: "WIN_TO_NIL", Subject: "TEAM", Shape: repeats | input.SideMeansYes}, []string{"label=Home|name=Home", "label=2|name=To Win to Nil", "label=1|name=No"}, `
WIN_TO_NIL FT
  YES of=HOME
  NO of=HOME
WIN_TO_NIL FT
  YES of=AWAY`},
		{"a line alone", claim{Market: "PLAYER_SHOTS", Subject: "PLAYER", Shape: repeats | input.BareLineIsOver}, []string{"label=1.5|name=Ole Berg|total=Ole Berg", "label=Under 1.5|name=Ole Berg"}, `
PLAYER_SHOTS FT lines 1.5
  OVER 1.5 of=Ole Berg
  UNDER 1.5 of=Ole Berg`},
		{"at least", claim{Market: "EXACT_GOALS", Shape: repeats}, []string{"label=3|name=3", "label=more 4|name=more 4", "label=more|name=more"}, `
EXACT_GOALS FT
  3
  4+
  more more SUSPECT [AMBIGUOUS_SHAPE]`},
		{"when it is decided", claim{Market: "METHOD_OF_VICTORY", Period: "FT_ET_PEN"}, []string{"label=1|name=90 Mins", "label=2|name=Extra Time", "label=2|name=Penalties", "label=1|name=Golden Goal"}, `
METHOD_OF_VICTORY FT_ET_PEN
  HOME_FT [HOME,FT]
  AWAY_ET [AWAY,ET]
  AWAY_PEN [AWAY,PEN]
  1 Golden Goal SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a draw that is decided", claim{Market: "METHOD_OF_VICTORY", Period: "FT_ET_PEN"}, []string{"label=1|name=90 Mins", "label=2|name=Extra Time", "label=2|name=Penalties", "label=Draw|name=Penalties"}, `
RAW AMBIGUOUS_SHAPE
  1 90 Mins SUSPECT [MARKET_NOT_MAPPED]
  2 Extra Time SUSPECT [MARKET_NOT_MAPPED]
  2 Penalties SUSPECT [MARKET_NOT_MAPPED]
  Draw Penalties SUSPECT [MARKET_NOT_MAPPED]`},
		{"nobody of either side", claim{Market: "GOALSCORER_FIRST", Subject: "PLAYER"}, []string{"label=First|name=Ole Berg", "label=First|name=No Goalscorer (Arsenal)", "label=First|name=No Goalscorer (Leicester)"}, `
RAW AMBIGUOUS_SHAPE
  First Ole Berg SUSPECT [MARKET_NOT_MAPPED]
  First No Goalscorer (Arsenal) SUSPECT [MARKET_NOT_MAPPED]
  First No Goalscorer (Leicester) SUSPECT [MARKET_NOT_MAPPED]`},
		{"a handicap of each side's own", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=1|handicap=-0.5 @1.90", "label=2|handicap=+0.5 @2.00"}, `
ASIAN_HANDICAP FT lines -0.5
  HOME -0.5
  AWAY +0.5`},
		{"a handicap of the home side on both", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=Home|name=Home|handicap=-0.5 @1.90", "label=Away|name=Away|handicap=-0.5 @2.00"}, `
ASIAN_HANDICAP FT lines -0.5
  HOME -0.5
  AWAY +0.5`},
		{"both signs, told apart by the prices", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=1|handicap=-0.5 @1.90", "label=2|handicap=-0.5 @2.00", "label=1|handicap=+0.5 @1.25", "label=2|handicap=+0.5 @4.00"}, `
ASIAN_HANDICAP FT lines -0.5 +0.5
  HOME -0.5
  AWAY +0.5
  HOME +0.5
  AWAY -0.5`},
		{"prices that prove no sign", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=1|handicap=-0.5 @1.90", "label=2|handicap=-0.5 @9.00", "label=1|handicap=+0.5 @1.25", "label=2|handicap=+0.5 @1.20"}, `
RAW AMBIGUOUS_SHAPE
  1 -0.5 SUSPECT [MARKET_NOT_MAPPED]
  2 -0.5 SUSPECT [MARKET_NOT_MAPPED]
  1 +0.5 SUSPECT [MARKET_NOT_MAPPED]
  2 +0.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"corners, where a line changes little", claim{Market: "CORNERS_ASIAN_HANDICAP", Shape: proven},
			[]string{"label=Home|handicap=-0.5 @2.05", "label=Away|handicap=-0.5 @1.75", "label=Home|handicap=+0.5 @1.80", "label=Away|handicap=+0.5 @2.00", "label=Home|handicap=+1 @1.70", "label=Away|handicap=+1 @2.10"}, `
CORNERS_ASIAN_HANDICAP FT lines -0.5 +0.5 +1
  HOME -0.5
  AWAY +0.5
  HOME +0.5
  AWAY -0.5
  HOME +1
  AWAY -1`},
		{"one pair each way, both of them likely", claim{Market: "CORNERS_ASIAN_HANDICAP", Shape: proven}, []string{"label=1|handicap=-0.5 @1.95", "label=2|handicap=-0.5 @1.95", "label=2|handicap=+0.5 @1.90"}, `
RAW AMBIGUOUS_SHAPE
  1 -0.5 SUSPECT [MARKET_NOT_MAPPED]
  2 -0.5 SUSPECT [MARKET_NOT_MAPPED]
  2 +0.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"a handicap of one side", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=2|handicap=-0.5 @1.90"}, `
RAW AMBIGUOUS_SHAPE
  2 -0.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"no handicap needs no proof", claim{Market: "ASIAN_HANDICAP", Shape: proven}, []string{"label=1|handicap=+0 @1.20", "label=2|handicap=0 @1.20"}, `
ASIAN_HANDICAP FT lines 0
  HOME 0
  AWAY 0`},
		{"three ways, the draw with the away side's sign", claim{Market: "HANDICAP_RESULT", Shape: proven}, []string{"label=1|handicap=+1 @2.30", "label=Tie|handicap=-1 @3.60", "label=2|handicap=-1 @2.625"}, `
HANDICAP_RESULT FT lines +1
  HOME +1
  DRAW +1
  AWAY +1`},
		{"three ways, the home side's line on all", claim{Market: "HANDICAP_RESULT", Shape: proven}, []string{"label=Home|handicap=+1 @2.30", "label=Draw|handicap=+1 @3.60", "label=Away|handicap=+1 @2.625"}, `
HANDICAP_RESULT FT lines +1
  HOME +1
  DRAW +1
  AWAY +1`},
		{"three ways, only the away side with its own, both signs", claim{Market: "HANDICAP_RESULT", Shape: proven},
			[]string{"label=1 : -1.0 @2.50", "label=2 : +1.0 @2.38", "label=X : -1.0 @3.50", "label=1 : +1.0 @1.13", "label=2 : -1.0 @13.00", "label=X : +1.0 @7.50"}, `
HANDICAP_RESULT FT lines -1 +1
  HOME -1
  AWAY -1
  DRAW -1
  HOME +1
  AWAY +1
  DRAW +1`},
	} {
		c.claim.Dialect = sportmonks.Dialect()
		c.run(t)
	}
}
