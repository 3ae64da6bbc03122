package markets_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
)

// One provider market that is several canonical ones, and the rows that cannot
// be given to any of them.
func TestSplit(t *testing.T) {
	halves := claim{Market: "TEAM_TO_SCORE", Subject: "TEAM", Condition: input.NeedsHalves}
	scorers := claim{Market: "GOALSCORER_ANYTIME", Subject: "PLAYER", Condition: input.NeedsScorers}
	for _, c := range []struct {
		name  string
		claim claim
		rows  []string
		want  string
	}{
		{"totals of both sides", claim{Market: "TEAM_TOTAL_GOALS", Subject: "TEAM"},
			[]string{"header=1|handicap=Over 1.5", "header=2|handicap=Under 1.5", "Arsenal Under|HD=1.5", "Leicester - Over|2.5", "Leicestr Over|1.5"}, `
TEAM_TOTAL_GOALS FT lines 1.5
  OVER 1.5 of=HOME
  UNDER 1.5 of=HOME
TEAM_TOTAL_GOALS FT lines 1.5 2.5
  UNDER 1.5 of=AWAY
  OVER 2.5 of=AWAY
RAW SEVERAL_IN_ONE
  Leicestr Over 1.5 UNREADABLE [MARKET_NOT_MAPPED UNRESOLVED_QUALIFIER]`},
		{"clean sheets", claim{Market: "CLEAN_SHEET", Subject: "TEAM"}, []string{"header=1|handicap=Yes", "header=1|handicap=No", "Leicester - Yes"}, `
CLEAN_SHEET FT
  YES of=HOME
  NO of=HOME
CLEAN_SHEET FT
  YES of=AWAY`},
		{"times", claim{Market: "TIME_OF_FIRST_TEAM_GOAL", Subject: "TEAM"}, []string{"Arsenal - Goal before 42:00", "Arsenal - No Goal before 42:00", "Leicester - No Goal before 79:00"}, `
TIME_OF_FIRST_TEAM_GOAL FT
  YES q=42:00 of=HOME
  NO q=42:00 of=HOME
TIME_OF_FIRST_TEAM_GOAL FT
  NO q=79:00 of=AWAY`},
		{"sentences", claim{Market: "TEAM_TO_SCORE_PENALTY", Subject: "TEAM", Condition: input.NeedsSentence}, []string{"Arsenal to score a penalty", "Leicester to score a penalty"}, `
TEAM_TO_SCORE_PENALTY FT
  YES of=HOME
TEAM_TO_SCORE_PENALTY FT
  YES of=AWAY`},
		{"sentences of another market", claim{Market: "TEAM_TO_MISS_PENALTY", Subject: "TEAM", Condition: input.NeedsSentence}, []string{"Arsenal to score a penalty"}, `
RAW CONDITION_FAILED
  Arsenal to score a penalty SUSPECT [MARKET_NOT_MAPPED]`},
		{"side in the head, sentence below", claim{Market: "WIN_TO_NIL", Subject: "TEAM"}, []string{"header=1|To Win to Nil", "header=2|To Win to Nil"}, `
WIN_TO_NIL FT
  YES of=HOME
WIN_TO_NIL FT
  YES of=AWAY`},
		{"halves and sides", halves, []string{"header=Yes|1st Half|team=1", "header=Yes|2nd Half|team=1", "header=No|1st Half|team=1", "header=No|2nd Half|team=2"}, `
TEAM_TO_SCORE 1H
  YES of=HOME
  NO of=HOME
TEAM_TO_SCORE 2H
  YES of=HOME
TEAM_TO_SCORE 2H
  NO of=AWAY`},
		{"halves without sides", halves, []string{"header=Yes|1st Half", "header=No|1st Half"}, `
RAW CONDITION_FAILED
  Yes 1st Half SUSPECT [MARKET_NOT_MAPPED]
  No 1st Half SUSPECT [MARKET_NOT_MAPPED]`},
		{"one side by the table", claim{Market: "TEAM_TO_SCORE", Subject: "HOME", Period: "1H"}, []string{"Arsenal - Yes", "Arsenal - No", "Leicester - No"}, `
TEAM_TO_SCORE 1H
  YES of=HOME
  NO of=HOME
  Leicester - No SUSPECT [AMBIGUOUS_SHAPE]`},
		{"red card of the match", claim{Market: "RED_CARD"}, []string{"Yes", "No"}, `
RED_CARD FT
  YES
  NO`},
		{"scorers by column", scorers, []string{"A. Player|header=First", "A. Player|header=Last", "A. Player|header=Anytime", "B. Player|header=Anytime", "No Goalscorer|header=First"}, `
GOALSCORER_FIRST FT
  A. Player of=A. Player
  NO_GOALSCORER
GOALSCORER_LAST FT
  A. Player of=A. Player
GOALSCORER_ANYTIME FT
  A. Player of=A. Player
  B. Player of=B. Player`},
		{"scorers without column", scorers, []string{"A. Player", "B. Player"}, `
RAW CONDITION_FAILED
  A. Player SUSPECT [MARKET_NOT_MAPPED]
  B. Player SUSPECT [MARKET_NOT_MAPPED]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := show(derive("Arsenal", "Leicester", offerOf(&c.claim, c.rows...)))
			if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestPlayers(t *testing.T) {
	for _, c := range []struct {
		name  string
		claim claim
		rows  []string
		want  string
	}{
		{"first scorer", claim{Market: "GOALSCORER_FIRST", Subject: "PLAYER"}, []string{" Salem Al-Dawsari", "Ødegaard", "No Goalscorer", "O'Neil|name2=1", "N'Golo Kanté|header=Yes"}, `
GOALSCORER_FIRST FT
  Salem Al-Dawsari of=Salem Al-Dawsari
  Ødegaard of=Ødegaard
  NO_GOALSCORER
  O'Neil of=O'Neil and=HOME
  N'Golo Kanté of=N'Golo Kanté`},
		{"first booked", claim{Market: "PLAYER_FIRST_CARDED", Subject: "PLAYER"}, []string{"Ali Al Bulaihi", "No Bookings", "No Card", "None", "Own Goal", "Any Other Player", "Any Unquoted Player", "Both Teams", "Russia to win",
			"1st Half", "Russia", "Draw", "Saudi", "No Goalscorer", "No Bookings (Russia)", "Ole Berg|No Bookings"}, `
PLAYER_FIRST_CARDED FT
  Ali Al Bulaihi of=Ali Al Bulaihi
  NO_CARD
  NO_CARD
  None UNREADABLE [UNRESOLVED_QUALIFIER]
  Own Goal UNREADABLE [UNRESOLVED_QUALIFIER]
  Any Other Player UNREADABLE [UNRESOLVED_QUALIFIER]
  Any Unquoted Player UNREADABLE [UNRESOLVED_QUALIFIER]
  Both Teams UNREADABLE [UNRESOLVED_QUALIFIER]
  Russia to win UNREADABLE [UNRESOLVED_QUALIFIER]
  1st Half UNREADABLE [UNRESOLVED_QUALIFIER]
  Russia UNREADABLE [UNRESOLVED_QUALIFIER]
  Draw UNREADABLE [UNRESOLVED_QUALIFIER]
  Saudi UNREADABLE [UNRESOLVED_QUALIFIER]
  No Goalscorer SUSPECT [AMBIGUOUS_SHAPE]
  No Bookings (Russia) SUSPECT [AMBIGUOUS_SHAPE]
  Ole Berg No Bookings UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"carded has no nobody", claim{Market: "PLAYER_CARDED", Subject: "PLAYER"}, []string{"Ole Berg", "No Bookings", "No Card"}, `
PLAYER_CARDED FT
  Ole Berg of=Ole Berg
  No Bookings SUSPECT [AMBIGUOUS_SHAPE]
  No Card SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a market of rows without a player", claim{Market: "PLAYER_OF_THE_MATCH", Subject: "PLAYER"}, []string{"Russia to win", "Any Other Player"}, `
RAW UNRESOLVED_QUALIFIER
  Russia to win SUSPECT [MARKET_NOT_MAPPED]
  Any Other Player SUSPECT [MARKET_NOT_MAPPED]`},
		{"nobody scores of one side", claim{Market: "GOALSCORER_FIRST", Subject: "PLAYER"}, []string{"Ole Berg", "No Goalscorer (Russia)", "No Goalscorer|name2=1", "No Goal", "Own Goal"}, `
GOALSCORER_FIRST FT
  Ole Berg of=Ole Berg
  No Goalscorer (Russia) SUSPECT [AMBIGUOUS_SHAPE]
  No Goalscorer 1 SUSPECT [AMBIGUOUS_SHAPE]
  No Goal UNREADABLE [UNRESOLVED_QUALIFIER]
  Own Goal UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"anytime has no nobody", claim{Market: "GOALSCORER_ANYTIME"}, []string{"A. Player", "No Goalscorer", "A. Player|B. Player", "No", "7"}, `
GOALSCORER_ANYTIME FT
  A. Player of=A. Player
  No Goalscorer SUSPECT [AMBIGUOUS_SHAPE]
  A. Player B. Player SUSPECT [AMBIGUOUS_SHAPE]
  No SUSPECT [AMBIGUOUS_SHAPE]
  7 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"first of his team", claim{Market: "TEAM_GOALSCORER", Parameter: "FIRST"}, []string{"A. Player", "No Goalscorer (Saudi Arabia)", "No Goalscorer (Russia)", "No Goalscorer (Rusia)", "No Goalscorer", "No Goalscorer|name2=2"}, `
TEAM_GOALSCORER FT
  A. Player q=FIRST of=A. Player
  NO_GOALSCORER q=FIRST and=AWAY
  NO_GOALSCORER q=FIRST and=HOME
  No Goalscorer (Rusia) SUSPECT [AMBIGUOUS_SHAPE]
  No Goalscorer SUSPECT [AMBIGUOUS_SHAPE]
  NO_GOALSCORER q=FIRST and=AWAY`},
		{"first or last of his team by column", claim{Market: "TEAM_GOALSCORER"}, []string{"A. Player|header=First", "A. Player|header=Last", "A. Player", "A. Player|header=Anytime"}, `
TEAM_GOALSCORER FT
  A. Player q=FIRST of=A. Player
  A. Player q=LAST of=A. Player
  A. Player SUSPECT [AMBIGUOUS_SHAPE]
  Anytime A. Player SUSPECT [AMBIGUOUS_SHAPE]`},
		{"two or more", claim{Market: "PLAYER_TO_SCORE_N_OR_MORE", Parameter: "2"}, []string{"A. Player"}, `
PLAYER_TO_SCORE_N_OR_MORE FT
  A. Player q=2 of=A. Player`},
		{"n or more by column", claim{Market: "PLAYER_TO_SCORE_N_OR_MORE"}, []string{"A. Player|header=2 or More", "A. Player|header=3+", "A. Player"}, `
PLAYER_TO_SCORE_N_OR_MORE FT
  A. Player q=2 of=A. Player
  A. Player q=3 of=A. Player
  A. Player SUSPECT [AMBIGUOUS_SHAPE]`},
		{"totals", claim{Market: "PLAYER_SHOTS"}, []string{"PD=A. Player - Over|HD=0.5", "A. Player|header=Under|handicap=1.5", "B. Player|name2=2|header=Over|handicap=2.5", "A. Player|header=2+", "A. Player|Over", "A. Player|0.5", "Over|0.5", "A. Player|Over 3.5",
			"Cengiz Under - Over|1.5", "header=Under|Cengiz Under|handicap=1.5", "header=Over|Russia|handicap=9.5", "header=Over|Any Player|handicap=9.5"}, `
PLAYER_SHOTS FT lines 0.5 1.5 2.5 3.5
  OVER 0.5 of=A. Player
  UNDER 1.5 of=A. Player
  OVER 2.5 of=B. Player and=AWAY
  OVER 1.5 of=A. Player
  A. Player Over UNREADABLE [UNREADABLE_LINE]
  A. Player 0.5 SUSPECT [AMBIGUOUS_SHAPE]
  Over 0.5 UNREADABLE [UNRESOLVED_QUALIFIER]
  OVER 3.5 of=A. Player
  OVER 1.5 of=Cengiz Under
  UNDER 1.5 of=Cengiz Under
  Over Russia 9.5 UNREADABLE [UNRESOLVED_QUALIFIER]
  Over Any Player 9.5 UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"scorecast", claim{Market: "GOALSCORER_AND_CORRECT_SCORE", Parameter: "FIRST", Shape: input.WinnerFirst},
			[]string{"A. Player to score first and Russia 1-0", "B. Player to score first and Saudi Arabia 2-1", "B. Player to score first and Draw 1-1", "B. Player to score anytime and Draw 1-1", "B. Player to score first and Draw 1-0", "B. Player to score first and Rusia 1-0",
				"No Goalscorer to score first and Draw 0-0", "Any Other Player to score first and Russia 1-0"}, `
GOALSCORER_AND_CORRECT_SCORE FT
  A. Player&1-0 q=FIRST of=A. Player [A. Player,1-0]
  B. Player&1-2 q=FIRST of=B. Player [B. Player,1-2]
  B. Player&1-1 q=FIRST of=B. Player [B. Player,1-1]
  B. Player to score anytime and Draw 1-1 SUSPECT [AMBIGUOUS_SHAPE]
  B. Player to score first and Draw 1-0 UNREADABLE [UNRESOLVED_QUALIFIER]
  B. Player to score first and Rusia 1-0 UNREADABLE [UNRESOLVED_QUALIFIER]
  No Goalscorer to score first and Draw 0-0 UNREADABLE [UNRESOLVED_QUALIFIER]
  Any Other Player to score first and Russia 1-0 UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"wincast", claim{Market: "GOALSCORER_AND_RESULT", Parameter: "FIRST"}, []string{"A. Player to score first and Fulltime Result: Russia", "A. Player to score first and Fulltime Result: Draw"}, `
GOALSCORER_AND_RESULT FT
  A. Player&HOME q=FIRST of=A. Player [A. Player,HOME]
  A. Player&DRAW q=FIRST of=A. Player [A. Player,DRAW]`},
		{"timecast", claim{Market: "GOALSCORER_AND_TIME"}, []string{"A. Player to score first and time of first goal 1-20", "A. Player to score first and time of first goal 46+"}, `
GOALSCORER_AND_TIME FT
  A. Player&1-20 q=FIRST of=A. Player [A. Player,1-20]
  A. Player&46+ q=FIRST of=A. Player [A. Player,46+]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := show(derive("Russia", "Saudi Arabia", offerOf(&c.claim, c.rows...)))
			if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// named is an offer of a fixture between home and away, and its derivation.
type named struct {
	name, home, away string
	claim            claim
	rows             []string
	want             string
}

func checkNames(t *testing.T, cases []named) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := show(derive(c.home, c.away, offerOf(&c.claim, c.rows...)))
			if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// Names that hold separators, begin with each other, look like words, or are
// not known.
func TestNames(t *testing.T) {
	htft := claim{Market: "HALF_TIME_FULL_TIME"}
	double := claim{Market: "DOUBLE_CHANCE"}
	btts := claim{Market: "RESULT_AND_BOTH_TEAMS_TO_SCORE"}
	result := claim{Market: "MATCH_RESULT"}
	handicap := claim{Market: "HANDICAP_RESULT", Shape: input.DrawHasAwaySign}
	checkNames(t, []named{
		{"a dash in a name", "Kitchee - Eastern", "Lee Man", htft, []string{"Kitchee - Eastern - Draw", "Lee Man - Kitchee - Eastern", "Kitchee - Eastern - Kitchee - Eastern"}, `
HALF_TIME_FULL_TIME FT
  HOME/DRAW [HOME,DRAW]
  AWAY/HOME [AWAY,HOME]
  HOME/HOME [HOME,HOME]`},
		{"two ways to cut", "A", "A - A", htft, []string{"A - A - A", "A - Draw", "A - A - Draw"}, `
HALF_TIME_FULL_TIME FT
  A - A - A SUSPECT [AMBIGUOUS_SHAPE]
  HOME/DRAW [HOME,DRAW]
  AWAY/DRAW [AWAY,DRAW]`},
		{"or in a name", "This or That", "Other", double, []string{"This or That or Draw", "This or That or Other", "Draw or Other"}, `
DOUBLE_CHANCE FT
  1X
  12
  X2`},
		{"and in a name", "Brighton & Hove", "Hove", btts, []string{"Brighton & Hove & Yes", "Hove & No", "Draw & Yes"}, `
RESULT_AND_BOTH_TEAMS_TO_SCORE FT
  HOME&YES [HOME,YES]
  AWAY&NO [AWAY,NO]
  DRAW&YES [DRAW,YES]`},
		{"one name begins with the other", "Paris", "Paris FC", btts, []string{"Paris & Yes", "Paris FC & Yes", "Paris FCB & Yes"}, `
RESULT_AND_BOTH_TEAMS_TO_SCORE FT
  HOME&YES [HOME,YES]
  AWAY&YES [AWAY,YES]
  Paris FCB & Yes UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"brackets in a name", "Inter (W)", "Roma (W)", handicap, []string{"Inter (W) (-1)", "Tie - (Roma (W) +1)", "Roma (W) (+1)"}, `
HANDICAP_RESULT FT lines -1
  HOME -1
  DRAW -1
  AWAY -1`},
		{"a number in a name", "Schalke 04", "1860 München", handicap, []string{"Schalke 04 -1.0", "Tie - 1860 München +1.0", "1860 München +1.0"}, `
HANDICAP_RESULT FT lines -1
  HOME -1
  DRAW -1
  AWAY -1`},
		{"composed and decomposed letters", "Mu\u0308nchen", " K\u00f6ln ", result, []string{"M\u00fcnchen", "Ko\u0308ln", "X"}, `
MATCH_RESULT FT
  HOME
  AWAY
  DRAW`},
		{"a team called like a word", "Draw", "Leicester", result, []string{"Draw", "Leicester", "1", "X"}, `
MATCH_RESULT FT
  Draw SUSPECT [AMBIGUOUS_SHAPE]
  AWAY
  HOME
  DRAW`},
		{"two teams of one name", "Racing", "Racing", result, []string{"Racing", "1", "X"}, `
MATCH_RESULT FT
  Racing UNREADABLE [UNRESOLVED_QUALIFIER]
  HOME
  DRAW`},
		{"names not known", "", "", btts, []string{"Arsenal & Yes", "Leicester & Yes"}, `
RAW NO_PARTICIPANTS
  Arsenal & Yes SUSPECT [MARKET_NOT_MAPPED]
  Leicester & Yes SUSPECT [MARKET_NOT_MAPPED]`},
		{"names not needed", "", "", btts, []string{"header=Yes|1", "header=No|Draw"}, `
RESULT_AND_BOTH_TEAMS_TO_SCORE FT
  HOME&YES [HOME,YES]
  DRAW&NO [DRAW,NO]`},
		{"one name known", "Arsenal", "", double, []string{"Arsenal or Draw", "Draw or Leicester"}, `
DOUBLE_CHANCE FT
  1X
  Draw or Leicester UNREADABLE [UNRESOLVED_QUALIFIER]`},
	})
}

// A team may be called like the code, or the word, for the other side. An offer
// with two readings is not vouched for.
func TestTeamsCalledLikeCodes(t *testing.T) {
	result := claim{Market: "MATCH_RESULT"}
	goal := claim{Market: "FIRST_TEAM_TO_SCORE"}
	margin := claim{Market: "WINNING_MARGIN"}
	double := claim{Market: "DOUBLE_CHANCE"}
	team := claim{Market: "TEAM_TOTAL_GOALS", Subject: "TEAM"}
	shots := claim{Market: "PLAYER_SHOTS"}
	checkNames(t, []named{
		{"both swapped", "2", "1", result, []string{"1", "Draw", "2", "Home"}, `
MATCH_RESULT FT
  1 SUSPECT [AMBIGUOUS_SHAPE]
  DRAW
  2 SUSPECT [AMBIGUOUS_SHAPE]
  HOME`},
		{"one of them", "Z", "1", result, []string{"1", "2", "Z", "X"}, `
MATCH_RESULT FT
  1 SUSPECT [AMBIGUOUS_SHAPE]
  AWAY
  HOME
  DRAW`},
		{"the draw's code", "2", "X", result, []string{"1", "X", "2", "Tie"}, `
MATCH_RESULT FT
  HOME
  X SUSPECT [AMBIGUOUS_SHAPE]
  2 SUSPECT [AMBIGUOUS_SHAPE]
  DRAW`},
		{"the draw's code where it means no goal", "X", "Leicester", goal, []string{"1", "X", "2"}, `
FIRST_TEAM_TO_SCORE FT
  HOME
  X SUSPECT [AMBIGUOUS_SHAPE]
  AWAY`},
		{"the other side's word", "Away", "Home", result, []string{"Home", "Away", "1", "2", "X"}, `
MATCH_RESULT FT
  Home SUSPECT [AMBIGUOUS_SHAPE]
  Away SUSPECT [AMBIGUOUS_SHAPE]
  HOME
  AWAY
  DRAW`},
		{"their own codes", "1", "2", result, []string{"1", "X", "2"}, `
MATCH_RESULT FT
  HOME
  DRAW
  AWAY`},
		{"asian handicap", "2", "1", asian, []string{"header=1|+1.0", "header=2|-1.0", "header=Home|-0.5", "header=Away|+0.5"}, `
ASIAN_HANDICAP FT lines -0.5
  1 +1.0 SUSPECT [AMBIGUOUS_SHAPE]
  2 -1.0 SUSPECT [AMBIGUOUS_SHAPE]
  HOME -0.5
  AWAY +0.5`},
		{"correct score", "2", "1", winnerFirst, []string{"header=1|2-1", "header=2|1-0", "header=Draw|1-1"}, `
CORRECT_SCORE FT
  1 2-1 SUSPECT [AMBIGUOUS_SHAPE]
  2 1-0 SUSPECT [AMBIGUOUS_SHAPE]
  1-1 [1,1]`},
		{"a side and a number", "2", "1", margin, []string{"header=1|3", "header=2|1", "header=Home|1"}, `
WINNING_MARGIN FT
  1 3 SUSPECT [AMBIGUOUS_SHAPE]
  2 1 SUSPECT [AMBIGUOUS_SHAPE]
  HOME_1`},
		{"a team called like a number", "3", "Leicester", margin, []string{"header=3|1", "header=2|3"}, `
RAW AMBIGUOUS_SHAPE
  3 1 SUSPECT [MARKET_NOT_MAPPED]
  2 3 SUSPECT [MARKET_NOT_MAPPED]`},
		{"totals of both sides", "2", "1", team, []string{"header=1|handicap=Over 1.5", "header=2|handicap=Under 1.5", "header=Home|handicap=Over 2.5"}, `
RAW SEVERAL_IN_ONE
  1 Over 1.5 SUSPECT [AMBIGUOUS_SHAPE MARKET_NOT_MAPPED]
  2 Under 1.5 SUSPECT [AMBIGUOUS_SHAPE MARKET_NOT_MAPPED]
TEAM_TOTAL_GOALS FT lines 2.5
  OVER 2.5 of=HOME`},
		{"double chance", "2", "1", double, []string{"1X", "12", "X2", "1 or Draw", "Home or Draw", "1 or 2"}, `
DOUBLE_CHANCE FT
  1X SUSPECT [AMBIGUOUS_SHAPE]
  12
  X2 SUSPECT [AMBIGUOUS_SHAPE]
  1 or Draw SUSPECT [AMBIGUOUS_SHAPE]
  1X
  12`},
		{"a player's side", "2", "1", shots, []string{"Ole Berg|name2=1|header=Over|handicap=2.5", "Ole Berg|name2=Home|header=Over|handicap=2.5", "Ole Berg|header=Over|1"}, `
PLAYER_SHOTS FT lines 2.5
  Over Ole Berg 1 2.5 SUSPECT [AMBIGUOUS_SHAPE]
  OVER 2.5 of=Ole Berg and=HOME
  Over Ole Berg 1 SUSPECT [AMBIGUOUS_SHAPE]`},
	})
}
