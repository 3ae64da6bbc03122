package markets_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
)

type claim = input.Reading

var (
	winnerFirst = claim{Market: "CORRECT_SCORE", Shape: input.WinnerFirst}
	asian       = claim{Market: "ASIAN_HANDICAP", Shape: input.OwnSideLine}
	european    = claim{Market: "HANDICAP_RESULT", Shape: input.DrawHasAwaySign}
	sideIsYes   = claim{Market: "WIN_BOTH_HALVES", Subject: "TEAM", Shape: input.SideMeansYes}
)

// terse is a dialect with the abbreviations that some providers write.
func terse() *input.Dialect {
	d := &input.Dialect{}
	d.Phrases[input.OverUnder] = []input.Phrase{{Text: "Over", Word: "OVER"}, {Text: "o", Word: "OVER"}, {Text: "u", Word: "UNDER"}}
	d.Phrases[input.YesNo] = []input.Phrase{{Text: "Yes", Word: "YES"}, {Text: "No", Word: "NO"}}
	d.Phrases[input.DrawMargins] = []input.Phrase{{Text: "Score Draw", Word: "SCORE_DRAW"}, {Text: "Draw", Word: "NO_GOAL"}}
	d.Phrases[input.Sides] = []input.Phrase{{Text: "Home", Word: "HOME"}, {Text: "1", Word: "HOME"}, {Text: "Draw", Word: "DRAW"}, {Text: "Away", Word: "AWAY"}, {Text: "2", Word: "AWAY"}}
	d.Phrases[input.MarginHeads] = []input.Phrase{{Text: "by", Word: "WIN"}}
	d.Phrases[input.AtLeast] = []input.Phrase{{Text: "more", Word: "+"}}
	return d
}

// readCase is one offer on Arsenal - Leicester with its result.
type readCase struct {
	name  string
	claim claim
	rows  []string
	want  string
}

func (c readCase) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		got := show(derive("Arsenal", "Leicester", offerOf(&c.claim, c.rows...)))
		if want := strings.TrimLeft(c.want, "\n") + "\n"; got != want {
			t.Errorf("got:\n%swant:\n%s", got, want)
		}
	})
}

// Where the words are a provider's own, they are recorded ones.
func TestRead(t *testing.T) {
	for _, c := range []readCase{
		{"three results", claim{Market: "MATCH_RESULT"}, []string{"1", "Draw", "2"}, `
MATCH_RESULT FT
  HOME
  DRAW
  AWAY`},
		{"three results in other words", claim{Market: "MATCH_RESULT", Period: "1H"}, []string{"Arsenal", "X", "Away", " Tie ", "Home", "Leicester"}, `
MATCH_RESULT 1H
  HOME
  DRAW
  AWAY
  DRAW
  HOME
  AWAY`},
		{"near misses of a name", claim{Market: "MATCH_RESULT"}, []string{"Arsenal", "arsenal", "Arsenal FC", "Leicestr", "Draws", "3", "Draw"}, `
MATCH_RESULT FT
  HOME
  arsenal UNREADABLE [UNRESOLVED_QUALIFIER]
  Arsenal FC UNREADABLE [UNRESOLVED_QUALIFIER]
  Leicestr UNREADABLE [UNRESOLVED_QUALIFIER]
  Draws UNREADABLE [UNRESOLVED_QUALIFIER]
  3 UNREADABLE [UNRESOLVED_QUALIFIER]
  DRAW`},
		{"a draw in a two-way market", claim{Market: "DRAW_NO_BET"}, []string{"1", "Draw", "2"}, `
RAW AMBIGUOUS_SHAPE
  1 SUSPECT [MARKET_NOT_MAPPED]
  Draw SUSPECT [MARKET_NOT_MAPPED]
  2 SUSPECT [MARKET_NOT_MAPPED]`},
		{"two results", claim{Market: "DRAW_NO_BET"}, []string{"Arsenal", "Leicester"}, `
DRAW_NO_BET FT
  HOME
  AWAY`},
		{"prices in another form", claim{Market: "MATCH_RESULT"}, []string{"Arsenal @other:-165", "Draw @other:350", "Leicester @other:400"}, `
MATCH_RESULT FT
  HOME UNREADABLE [ODDS_UNREADABLE]
  DRAW UNREADABLE [ODDS_UNREADABLE]
  AWAY UNREADABLE [ODDS_UNREADABLE]`},
		{"prices at which nothing can be won", claim{Market: "MATCH_RESULT"}, []string{"Arsenal @1.00", "Draw @1", "Leicester @1.00000001"}, `
MATCH_RESULT FT
  HOME SUSPECT [ODDS_NO_OFFER]
  DRAW SUSPECT [ODDS_NO_OFFER]
  AWAY SUSPECT [ODDS_NO_OFFER]`},
		{"fractions at which nothing can be won", claim{Market: "MATCH_RESULT"}, []string{"Arsenal @0/1", "Draw @1/1001", "Leicester @0/0"}, `
MATCH_RESULT FT
  HOME SUSPECT [ODDS_NO_OFFER]
  DRAW SUSPECT [ODDS_NO_OFFER]
  AWAY UNREADABLE [ODDS_UNREADABLE]`},
		{"the least prices", claim{Market: "MATCH_RESULT"}, []string{"Arsenal @1.001", "Draw @1/1000", "Leicester @10"}, `
MATCH_RESULT FT
  HOME
  DRAW
  AWAY`},
		{"a result without a draw", claim{Market: "MATCH_RESULT"}, []string{"Arsenal", "Leicester"}, `
RAW CONDITION_FAILED
  Arsenal SUSPECT [MARKET_NOT_MAPPED]
  Leicester SUSPECT [MARKET_NOT_MAPPED]`},
		{"a result with its draw", claim{Market: "MATCH_RESULT"}, []string{"Leicester", "Arsenal", "Draw"}, `
MATCH_RESULT FT
  AWAY
  HOME
  DRAW`},
		{"handicaps as numbers", claim{Market: "ASIAN_HANDICAP", Shape: input.OwnSideLine | input.UnsignedIsPlus}, []string{"Leicester|0.75", "Arsenal|-0.75", "Arsenal|0.0", "Leicester|-0.0"}, `
ASIAN_HANDICAP FT lines -0.75 0
  AWAY +0.75
  HOME -0.75
  HOME 0
  AWAY 0`},
		{"a handicap without a sign", asian, []string{"Leicester|0.75", "Arsenal|-0.75"}, `
ASIAN_HANDICAP FT
  Leicester 0.75 UNREADABLE [UNREADABLE_LINE]
  HOME -0.75 UNREADABLE [UNREADABLE_LINE]`},
		{"nobody scores", claim{Market: "FIRST_TEAM_TO_SCORE"}, []string{"Arsenal", "No Goals", "Leicester", "No Goal", "Draw"}, `
FIRST_TEAM_TO_SCORE FT
  HOME
  NO_GOAL
  AWAY
  NO_GOAL
  NO_GOAL`},
		{"race", claim{Market: "CORNERS_RACE", Parameter: "3"}, []string{"Arsenal", "Leicester", "Neither"}, `
CORNERS_RACE FT
  HOME q=3
  AWAY q=3
  NEITHER q=3`},
		{"race whose rows say the target", claim{Market: "CORNERS_RACE"}, []string{"header=1|3", "header=1|5", "header=2|3", "Neither|3"}, `
CORNERS_RACE FT
  HOME q=3
  HOME q=5
  AWAY q=3
  NEITHER q=3`},
		{"first corner", claim{Market: "NTH_CORNER", Parameter: "1"}, []string{"Arsenal", "Leicester", "No Corner"}, `
NTH_CORNER FT
  HOME q=1
  AWAY q=1
  NONE q=1`},
		{"double chance", claim{Market: "DOUBLE_CHANCE"}, []string{"1X", "X2", "12", "Arsenal or Draw", "Draw or Leicester", "Arsenal or Leicester", "Arsenal or Arsenal", "Arsenal or"}, `
DOUBLE_CHANCE FT
  1X
  X2
  12
  1X
  X2
  12
  Arsenal or Arsenal UNREADABLE [UNRESOLVED_QUALIFIER]
  Arsenal or UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"half-time/full-time", claim{Market: "HALF_TIME_FULL_TIME"}, []string{"Arsenal - Draw", "Draw - Draw", "1/2", "Leicester - Arsenal", "Arsenal - "}, `
HALF_TIME_FULL_TIME FT
  HOME/DRAW [HOME,DRAW]
  DRAW/DRAW [DRAW,DRAW]
  HOME/AWAY [HOME,AWAY]
  AWAY/HOME [AWAY,HOME]
  Arsenal - UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"yes and no", claim{Market: "BOTH_TEAMS_TO_SCORE"}, []string{"Yes", "No", "Yes|handicap=", "Maybe"}, `
BOTH_TEAMS_TO_SCORE FT
  YES
  NO
  YES
  Maybe SUSPECT [AMBIGUOUS_SHAPE]`},
		{"odd and even", claim{Market: "ODD_EVEN_GOALS"}, []string{"Odd", "Even"}, `
ODD_EVEN_GOALS FT
  ODD
  EVEN`},
		{"result and both score, split", claim{Market: "RESULT_AND_BOTH_TEAMS_TO_SCORE"}, []string{"header=Yes|1", "header=No|Leicester", "header=Yes|Draw"}, `
RESULT_AND_BOTH_TEAMS_TO_SCORE FT
  HOME&YES [HOME,YES]
  AWAY&NO [AWAY,NO]
  DRAW&YES [DRAW,YES]`},
		{"result and both score, joined", claim{Market: "RESULT_AND_BOTH_TEAMS_TO_SCORE"}, []string{"Arsenal & Yes", "Draw & No"}, `
RESULT_AND_BOTH_TEAMS_TO_SCORE FT
  HOME&YES [HOME,YES]
  DRAW&NO [DRAW,NO]`},
		{"result and total", claim{Market: "RESULT_AND_TOTAL_GOALS"}, []string{"header=Over|1|handicap=2.5", "Arsenal & Under 2.5", "Draw & Under  2.5", "PD=Leicester & Over|HD=2.5", "Leicestr & Over 2.5", "header=Over|2", "HD=2|PD=Arsenal & Over"}, `
RESULT_AND_TOTAL_GOALS FT lines 2 2.5
  HOME&OVER 2.5 [HOME,OVER]
  HOME&UNDER 2.5 [HOME,UNDER]
  DRAW&UNDER 2.5 [DRAW,UNDER]
  AWAY&OVER 2.5 [AWAY,OVER]
  Leicestr & Over 2.5 UNREADABLE [UNRESOLVED_QUALIFIER]
  Over 2 UNREADABLE [UNREADABLE_LINE]
  HOME&OVER 2 [HOME,OVER]`},
		{"total and both score", claim{Market: "TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE"}, []string{"Over 2.5 & Yes", "Under 2.5 & No", "Over & Yes"}, `
TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT lines 2.5
  OVER&YES 2.5 [OVER,YES]
  UNDER&NO 2.5 [UNDER,NO]
  Over & Yes UNREADABLE [UNREADABLE_LINE]`},
		{"both score by half", claim{Market: "BOTH_TEAMS_TO_SCORE_BY_HALF"}, []string{"Yes / No", "No / No"}, `
BOTH_TEAMS_TO_SCORE_BY_HALF FT
  YES/NO [YES,NO]
  NO/NO [NO,NO]`},
		{"totals", claim{Market: "TOTAL_GOALS"}, []string{"header=Over |goals=2.5", "Over|handicap=2.5, 3.0", "Under 3", "header=Under|2.0,2.5", "Over|2/2.5", "Over|Goals|0.5", "Over|+2.5", "Over|abc", "Over", "2.5", "Over|2.3", "Over|2.5|2.5"}, `
TOTAL_GOALS FT lines 0.5 2.25 2.5 2.75 3
  OVER 2.5
  OVER 2.75
  UNDER 3
  UNDER 2.25
  OVER 2.25
  OVER 0.5
  Over +2.5 UNREADABLE [UNREADABLE_LINE]
  Over abc UNREADABLE [UNREADABLE_LINE]
  Over UNREADABLE [UNREADABLE_LINE]
  2.5 SUSPECT [AMBIGUOUS_SHAPE]
  Over 2.3 UNREADABLE [UNREADABLE_LINE]
  Over 2.5 2.5 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"Exactly in a two-way total", claim{Market: "TOTAL_CORNERS"}, []string{"Over|10", "Exactly|10", "Under|10"}, `
RAW AMBIGUOUS_SHAPE
  Over 10 SUSPECT [MARKET_NOT_MAPPED]
  Exactly 10 SUSPECT [MARKET_NOT_MAPPED]
  Under 10 SUSPECT [MARKET_NOT_MAPPED]`},
		{"three-way total", claim{Market: "TOTAL_CORNERS_3WAY", Condition: input.NeedsExactly}, []string{"Over|10 @2.25", "Exactly|10 @7.50", "Under|10 @2.00", "Over|10.5"}, `
TOTAL_CORNERS_3WAY FT lines 10
  OVER 10
  EXACTLY 10
  UNDER 10
  Over 10.5 UNREADABLE [UNREADABLE_LINE]`},
		{"three-way total without Exactly", claim{Market: "TOTAL_CORNERS_3WAY", Condition: input.NeedsExactly}, []string{"Over|10", "Under|10"}, `
RAW CONDITION_FAILED
  Over 10 SUSPECT [MARKET_NOT_MAPPED]
  Under 10 SUSPECT [MARKET_NOT_MAPPED]`},
		{"asian handicap", asian, []string{"header=1|+1.0", "header=2|-1.0", "header=Home|opp=0.0, -0.5", "header=Away|0.0, +0.5", "PD=Arsenal|HD=-2.5, -3.0", "Leicester|+2.5,+3.0", "1|0.0", "2|-0"}, `
ASIAN_HANDICAP FT lines -2.75 -0.25 0 +1
  HOME +1
  AWAY -1
  HOME -0.25
  AWAY +0.25
  HOME -2.75
  AWAY +2.75
  HOME 0
  AWAY 0`},
		{"asian handicap given for the home side", claim{Market: "ASIAN_HANDICAP"}, []string{"1|-0.5", "2|-0.5"}, `
ASIAN_HANDICAP FT lines -0.5
  HOME -0.5
  AWAY +0.5`},
		{"asian handicap whose signs do not mirror", asian, []string{"1|-0.5", "2|-0.5", "1|+1.0", "2|-1.0"}, `
ASIAN_HANDICAP FT lines +1
  HOME -0.5 UNREADABLE [UNREADABLE_LINE]
  AWAY -0.5 UNREADABLE [UNREADABLE_LINE]
  HOME +1
  AWAY -1`},
		{"a draw in an asian handicap", asian, []string{"1|+1", "Tie|-1", "2|-1"}, `
RAW AMBIGUOUS_SHAPE
  1 +1 SUSPECT [MARKET_NOT_MAPPED]
  Tie -1 SUSPECT [MARKET_NOT_MAPPED]
  2 -1 SUSPECT [MARKET_NOT_MAPPED]`},
		{"a dash that could be a sign", asian, []string{"Arsenal - 1.0", "Leicester +1.0"}, `
ASIAN_HANDICAP FT
  Arsenal - 1.0 UNREADABLE [UNREADABLE_LINE]
  AWAY +1 UNREADABLE [UNREADABLE_LINE]`},
		{"handicaps without a sign", asian, []string{"1|1.0", "2|-1.0", "1|0.5, 1.0", "2|-0.5, -1.0", "1|0.0, 0.5", "1|-0.5", "2|0.5", "1|0", "2|0.0"}, `
ASIAN_HANDICAP FT lines 0
  1 1.0 UNREADABLE [UNREADABLE_LINE]
  AWAY -1 UNREADABLE [UNREADABLE_LINE]
  1 0.5, 1.0 UNREADABLE [UNREADABLE_LINE]
  AWAY -0.75 UNREADABLE [UNREADABLE_LINE]
  1 0.0, 0.5 UNREADABLE [UNREADABLE_LINE]
  HOME -0.5 UNREADABLE [UNREADABLE_LINE]
  2 0.5 UNREADABLE [UNREADABLE_LINE]
  HOME 0
  AWAY 0`},
		{"half a handicap without a sign", asian, []string{"1|+0.5,1", "2|-0.5,-1"}, `
ASIAN_HANDICAP FT lines +0.75
  HOME +0.75
  AWAY -0.75`},
		{"pairs that do not mirror", asian, []string{"1|-1.0", "2|+1.5", "1|-2.0", "2|0.0", "1|-3.0"}, `
ASIAN_HANDICAP FT
  HOME -1 UNREADABLE [UNREADABLE_LINE]
  AWAY +1.5 UNREADABLE [UNREADABLE_LINE]
  HOME -2 UNREADABLE [UNREADABLE_LINE]
  AWAY 0 UNREADABLE [UNREADABLE_LINE]
  HOME -3 UNREADABLE [UNREADABLE_LINE]`},
		{"european handicap without a sign", european, []string{"1|1", "Tie|1", "2|1"}, `
RAW UNREADABLE_LINE
  1 1 SUSPECT [MARKET_NOT_MAPPED]
  Tie 1 SUSPECT [MARKET_NOT_MAPPED]
  2 1 SUSPECT [MARKET_NOT_MAPPED]`},
		{"european handicap with one sign on all rows", european, []string{"1|+1", "Tie|+1", "2|+1"}, `
HANDICAP_RESULT FT
  HOME +1 UNREADABLE [UNREADABLE_LINE]
  DRAW -1 UNREADABLE [UNREADABLE_LINE]
  AWAY -1 UNREADABLE [UNREADABLE_LINE]`},
		{"european handicap of two sides", european, []string{"1|+1 @2.00", "2|-1 @2.00", "1|-2", "Tie|+2", "Tie|-3", "2|-3"}, `
HANDICAP_RESULT FT lines -2 +1
  HOME +1
  AWAY +1
  HOME -2
  DRAW -2
  DRAW +3 UNREADABLE [UNREADABLE_LINE]
  AWAY +3 UNREADABLE [UNREADABLE_LINE]`},
		{"european handicap, split", european, []string{"header=1|handicap=+1", "header=Tie|handicap=-1", "header=2|handicap=-1", "header=Home|opp=-3.0", "header=Tie|opp=+3.0", "header=Away|opp=+3.0", "1|0.0", "Tie|0", "2|0"}, `
HANDICAP_RESULT FT lines -3 0 +1
  HOME +1
  DRAW +1
  AWAY +1
  HOME -3
  DRAW -3
  AWAY -3
  HOME 0
  DRAW 0
  AWAY 0`},
		{"european handicap, in words", european, []string{"Arsenal (-1)", "Tie - (Leicester +1)", "Leicester (+1)", "Arsenal  -2.0", "Tie - Leicester +2.0", "Leicester  +2.0", "PD=Tie - Leicester|HD=+3.0", "PD=Arsenal|HD=-3.0"}, `
HANDICAP_RESULT FT lines -3 -2 -1
  HOME -1
  DRAW -1
  AWAY -1
  HOME -2
  DRAW -2
  AWAY -2
  DRAW -3
  HOME -3`},
		{"european handicap whose draw has the home sign", european, []string{"1|+1 @2.00", "Tie|+1", "2|-1 @2.00"}, `
HANDICAP_RESULT FT lines +1
  HOME +1
  DRAW -1 UNREADABLE [UNREADABLE_LINE]
  AWAY +1`},
		{"a quarter in a european handicap", european, []string{"1|+1", "1|+0.5", "2|-1", "Tie|-1"}, `
HANDICAP_RESULT FT lines +1
  HOME +1
  1 +0.5 UNREADABLE [UNREADABLE_LINE]
  AWAY +1
  DRAW +1`},
		{"correct score", winnerFirst, []string{"header=1|2-1", "header=2|2-1", "header=Draw|1-1", "Arsenal 3-0", "Leicester 1-0", "Draw 0-0", "header=X|2-2", "header=Home|1-2", "header=Draw|1-0", "1-0", "0-0", "header=2|Other"}, `
CORRECT_SCORE FT
  2-1 [2,1]
  1-2 [1,2]
  1-1 [1,1]
  3-0 [3,0]
  0-1 [0,1]
  0-0 [0,0]
  2-2 [2,2]
  Home 1-2 SUSPECT [AMBIGUOUS_SHAPE]
  Draw 1-0 SUSPECT [AMBIGUOUS_SHAPE]
  1-0 SUSPECT [AMBIGUOUS_SHAPE]
  0-0 [0,0]
  OTHER_AWAY`},
		{"correct score in words", winnerFirst, []string{"header=1|Any Other Home Win", "header=2|Any Other Away Win", "header=Draw|Any Other Draw", "Any Other Draw", "header=1|Any Other",
			"header=2|Any Other Home Win", "header=1|Any Other Away Win", "header=Draw|Any Other Home Win", "header=1|Any Other Draw", "Arsenal Any Other Away Win"}, `
CORRECT_SCORE FT
  OTHER_HOME
  OTHER_AWAY
  OTHER_DRAW
  OTHER_DRAW
  OTHER_HOME
  2 Any Other Home Win SUSPECT [AMBIGUOUS_SHAPE]
  1 Any Other Away Win SUSPECT [AMBIGUOUS_SHAPE]
  Draw Any Other Home Win SUSPECT [AMBIGUOUS_SHAPE]
  1 Any Other Draw SUSPECT [AMBIGUOUS_SHAPE]
  Arsenal Any Other Away Win SUSPECT [AMBIGUOUS_SHAPE]`},
		{"correct score, home first", claim{Market: "CORRECT_SCORE"}, []string{"2-1", "1:2", "Other", "header=1|1-2"}, `
CORRECT_SCORE FT
  2-1 [2,1]
  1-2 [1,2]
  OTHER
  1 1-2 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"half-time and full-time score", claim{Market: "HALF_TIME_FULL_TIME_CORRECT_SCORE", Shape: input.WinnerFirst},
			[]string{"Half Time Draw 0-0 Full Time Arsenal 1-0", "Half Time Leicester 1-0 Full Time Draw 1-1", "Half Time Leicester 2-1 Full Time Arsenal 3-2", "Half Time Arsenal 2-0 Full Time Arsenal 1-0", "Half Time Draw 1-0 Full Time Arsenal 1-0"}, `
HALF_TIME_FULL_TIME_CORRECT_SCORE FT
  0-0/1-0 [0-0,1-0]
  0-1/1-1 [0-1,1-1]
  1-2/3-2 [1-2,3-2]
  Half Time Arsenal 2-0 Full Time Arsenal 1-0 SUSPECT [AMBIGUOUS_SHAPE]
  Half Time Draw 1-0 Full Time Arsenal 1-0 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"exact goals", claim{Market: "EXACT_GOALS"}, []string{"0 Goals", "1 Goal", "7+ Goals", "3", "5 or more", "2-3"}, `
EXACT_GOALS FT
  0
  1
  7+
  3
  5+
  2-3 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"exact goals of one side", claim{Market: "TEAM_EXACT_GOALS", Subject: "HOME"}, []string{"Arsenal - 0 Goals", "1 Goal", "header=1|2 Goals", "3+", "1", "2", "Leicester - 1 Goal"}, `
TEAM_EXACT_GOALS FT
  0 of=HOME
  1 of=HOME
  2 of=HOME
  3+ of=HOME
  1 of=HOME
  2 of=HOME
  Leicester - 1 Goal SUSPECT [AMBIGUOUS_SHAPE]`},
		{"bands", claim{Market: "GOALS_RANGE"}, []string{"Under 2 goals", "2 or 3 goals", "Over 3 goals", "2-3", "7+", "No Goal", "2 or 4 goals", "3-2"}, `
GOALS_RANGE FT
  0-1
  2-3
  4+
  2-3
  7+
  NO_GOAL
  2 or 4 goals SUSPECT [AMBIGUOUS_SHAPE]
  3-2 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"bands of corners", claim{Market: "CORNERS_RANGE", Condition: input.NeedsBands}, []string{"Under 6", "6 - 8", "9 - 11", "Over 14"}, `
CORNERS_RANGE FT
  0-5
  6-8
  9-11
  15+`},
		{"not all bands", claim{Market: "CORNERS_RANGE", Condition: input.NeedsBands}, []string{"Under 6", "Over|9.5"}, `
RAW CONDITION_FAILED
  Under 6 SUSPECT [MARKET_NOT_MAPPED]
  Over 9.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"goals said by every row", claim{Market: "TOTAL_GOALS", Period: "0-10", Condition: input.NeedsGoals}, []string{"header=Over|Goals|0.5", "header=Under|Goals|0.5"}, `
TOTAL_GOALS 0-10 lines 0.5
  OVER 0.5
  UNDER 0.5`},
		{"corners said instead", claim{Market: "TOTAL_GOALS", Period: "0-10", Condition: input.NeedsGoals}, []string{"header=Over|Corners|0.5", "header=Under|Goals|0.5"}, `
RAW CONDITION_FAILED
  Over Corners 0.5 SUSPECT [MARKET_NOT_MAPPED]
  Under Goals 0.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"goals not said", claim{Market: "TOTAL_GOALS", Period: "0-10", Condition: input.NeedsGoals}, []string{"header=Over|0.5", "header=Under|Goals|0.5"}, `
RAW CONDITION_FAILED
  Over 0.5 SUSPECT [MARKET_NOT_MAPPED]
  Under Goals 0.5 SUSPECT [MARKET_NOT_MAPPED]`},
		{"sum of minutes", claim{Market: "TOTAL_GOAL_MINUTES"}, []string{"Over 125 minutes", "105 To 125 minutes inc.", "Under 105 minutes"}, `
TOTAL_GOAL_MINUTES FT
  OVER q=125
  105-125
  UNDER q=105`},
		{"brackets", claim{Market: "TIME_OF_FIRST_GOAL"}, []string{"1-10", "11-20", "81 - Full Time", "No Goal", "10-1"}, `
TIME_OF_FIRST_GOAL FT
  1-10
  11-20
  81+
  NO_GOAL
  10-1 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"before a time", claim{Market: "EARLY_GOAL"}, []string{"Goal before 27:00", "No Goal before 27:00", "Goal after 27:00", "Goal before 27", "Card before 27:00"}, `
EARLY_GOAL FT
  YES q=27:00
  NO q=27:00
  Goal after 27:00 SUSPECT [AMBIGUOUS_SHAPE]
  Goal before 27 SUSPECT [AMBIGUOUS_SHAPE]
  Card before 27:00 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"after a time", claim{Market: "LATE_GOAL"}, []string{"Goal after 75:59", "No Goal after 75:59", "Goal before 75:59"}, `
LATE_GOAL FT
  YES q=75:59
  NO q=75:59
  Goal before 75:59 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a card before a time", claim{Market: "TIME_OF_FIRST_CARD"}, []string{"Card before 35:00", "No Card before 35:00"}, `
TIME_OF_FIRST_CARD FT
  YES q=35:00
  NO q=35:00`},
		{"which sides score", claim{Market: "TEAMS_TO_SCORE"}, []string{"Both Teams", "Arsenal Only", "No Goal", "Leicester Only", "Arsenl Only"}, `
TEAMS_TO_SCORE FT
  BOTH
  HOME_ONLY
  NO_GOAL
  AWAY_ONLY
  Arsenl Only UNREADABLE [UNRESOLVED_QUALIFIER]`},
		{"method", claim{Market: "FIRST_GOAL_METHOD"}, []string{"Shot", "Free Kick", "Own Goal", "No Goal", "Bicycle Kick"}, `
FIRST_GOAL_METHOD FT
  SHOT
  FREE_KICK
  OWN_GOAL
  NO_GOAL
  Bicycle Kick SUSPECT [AMBIGUOUS_SHAPE]`},
		{"half with most goals", claim{Market: "HIGHEST_SCORING_HALF"}, []string{"1st Half", "2nd Half", "Tie"}, `
HIGHEST_SCORING_HALF FT
  1H
  2H
  EQUAL`},
		{"highest scoring half of a side", claim{Market: "TEAM_HIGHEST_SCORING_HALF", Subject: "AWAY"}, []string{"Leicester - 1st Half", "Leicester - Tie", "2nd Half"}, `
TEAM_HIGHEST_SCORING_HALF FT
  1H of=AWAY
  EQUAL of=AWAY
  2H of=AWAY`},
		{"winning margin", claim{Market: "WINNING_MARGIN"}, []string{"header=1|1", "header=2|2", "header=2|4+", "header=1|2", "name=1|header=2", "Arsenal to win by 1 goal", "Leicester to win by 4+ goals", "Score Draw", "No Goal", "1", "2", "header=Home|goals=Score Draw", "header=Home|goals= 3"}, `
WINNING_MARGIN FT
  HOME_1
  AWAY_2
  AWAY_4+
  HOME_2
  AWAY_1
  HOME_1
  AWAY_4+
  SCORE_DRAW
  NO_GOAL
  1 SUSPECT [AMBIGUOUS_SHAPE]
  2 SUSPECT [AMBIGUOUS_SHAPE]
  Home Score Draw SUSPECT [AMBIGUOUS_SHAPE]
  HOME_3`},
		{"winning margin in codes", claim{Market: "WINNING_MARGIN", Dialect: terse(), Condition: input.NeedsScoreDraw},
			[]string{"1 by 2", "2 by 1", "2 by 4+", "Score Draw", "Draw", "by 2", "1 by", "1 by 2 by 3"}, `
WINNING_MARGIN FT
  HOME_2
  AWAY_1
  AWAY_4+
  SCORE_DRAW
  NO_GOAL
  by 2 SUSPECT [AMBIGUOUS_SHAPE]
  1 by SUSPECT [AMBIGUOUS_SHAPE]
  1 by 2 by 3 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a draw that may have goals", claim{Market: "WINNING_MARGIN", Dialect: terse(), Condition: input.NeedsScoreDraw}, []string{"1 by 2", "Draw"}, `
RAW CONDITION_FAILED
  1 by 2 SUSPECT [MARKET_NOT_MAPPED]
  Draw SUSPECT [MARKET_NOT_MAPPED]`},
		{"more than the last number", claim{Market: "EXACT_GOALS", Dialect: terse()}, []string{"0", "6", "more 7", "more", "more than 7", "7 more"}, `
EXACT_GOALS FT
  0
  6
  7+
  more SUSPECT [AMBIGUOUS_SHAPE]
  more than 7 SUSPECT [AMBIGUOUS_SHAPE]
  7 more SUSPECT [AMBIGUOUS_SHAPE]`},
		{"abbreviated total and answer", claim{Market: "TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE", Dialect: terse()}, []string{"o/yes 2.5", "u/no 2.5", "o/u 2.5"}, `
TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT lines 2.5
  OVER&YES 2.5 [OVER,YES]
  UNDER&NO 2.5 [UNDER,NO]
  o/u 2.5 SUSPECT [AMBIGUOUS_SHAPE]`},
		{"a side that means yes", sideIsYes, []string{"Home", "Leicester", "2"}, `
WIN_BOTH_HALVES FT
  YES of=HOME
WIN_BOTH_HALVES FT
  YES of=AWAY
  YES of=AWAY`},
		{"a side that means yes, and neither", sideIsYes, []string{"Home", "Draw", "Away", "Home Yes", "Yes"}, `
WIN_BOTH_HALVES FT
  YES of=HOME
  YES of=HOME
RAW SEVERAL_IN_ONE
  Draw UNREADABLE [MARKET_NOT_MAPPED UNRESOLVED_QUALIFIER]
  Yes UNREADABLE [MARKET_NOT_MAPPED UNRESOLVED_QUALIFIER]
WIN_BOTH_HALVES FT
  YES of=AWAY`},
		{"handicaps of the home side in every row", claim{Market: "ASIAN_HANDICAP"}, []string{"Home -0.75", "Away -0.75", "Home +0", "Away +0"}, `
ASIAN_HANDICAP FT lines -0.75 0
  HOME -0.75
  AWAY +0.75
  HOME 0
  AWAY 0`},
		{"three-way handicaps of the home side in every row", claim{Market: "HANDICAP_RESULT"}, []string{"Home -1", "Draw -1", "Away -1"}, `
HANDICAP_RESULT FT lines -1
  HOME -1
  DRAW -1
  AWAY -1`},
	} {
		c.run(t)
	}
}
