package markets

// phrase is a fixed text and the canonical word for it.
type phrase struct{ text, word string }

func phraseAt(s string, of []phrase) (word string, size int) {
	for i := range of {
		if n := wordPrefix(s, of[i].text); n > size {
			word, size = of[i].word, n
		}
	}
	return word, size
}

var (
	overUnder  = []phrase{{"Over", "OVER"}, {"Under", "UNDER"}, {"Exactly", "EXACTLY"}}
	yesNo      = []phrase{{"Yes", "YES"}, {"No", "NO"}}
	oddEven    = []phrase{{"Odd", "ODD"}, {"Even", "EVEN"}}
	halves     = []phrase{{"1st Half", "1H"}, {"2nd Half", "2H"}, {"First Half", "1H"}, {"Second Half", "2H"}}
	halfOrSame = append([]phrase{{"Tie", "EQUAL"}, {"Draw", "EQUAL"}, {"Equal", "EQUAL"}}, halves...)
	goalMethod = []phrase{{"Shot", "SHOT"}, {"Header", "HEADER"}, {"Penalty", "PENALTY"}, {"Free Kick", "FREE_KICK"},
		{"Own Goal", "OWN_GOAL"}, {"No Goal", "NO_GOAL"}, {"No Goals", "NO_GOAL"}}
	scoredMissed = []phrase{{"Scored", "SCORED"}, {"Missed", "MISSED"}}
	noGoal       = []phrase{{"No Goal", "NO_GOAL"}, {"No Goals", "NO_GOAL"}}
	neither      = []phrase{{"Neither", "NEITHER"}, {"Neither Team", "NEITHER"}}
	none         = []phrase{{"None", "NONE"}, {"Neither", "NONE"}, {"No Corner", "NONE"}, {"No Corners", "NONE"}, {"No Card", "NONE"}, {"No Cards", "NONE"}}
	bothTeams    = []phrase{{"Both Teams", "BOTH"}, {"Both", "BOTH"}, {"No Goal", "NO_GOAL"}, {"No Goals", "NO_GOAL"}}
	drawMargins  = []phrase{{"Score Draw", "SCORE_DRAW"}, {"Scoring Draw", "SCORE_DRAW"}, {"No Goal", "NO_GOAL"}, {"No Goals", "NO_GOAL"}, {"Draw", "DRAW"}}
	otherScores  = []phrase{{"Other", "OTHER"}, {"Any Other", "OTHER"}, {"Any Other Score", "OTHER"}, {"Any Other Home Win", "OTHER_HOME"},
		{"Any Other Draw", "OTHER_DRAW"}, {"Any Other Away Win", "OTHER_AWAY"}}
)

// nouns are the words for what a market counts, which may stand beside a
// number. They say nothing that the market does not.
var nouns = map[string][]phrase{
	"GOALS":           {{"Goals", ""}, {"Goal", ""}},
	"CORNERS":         {{"Corners", ""}, {"Corner", ""}},
	"CARDS":           {{"Cards", ""}, {"Card", ""}},
	"SHOTS":           {{"Shots", ""}, {"Shot", ""}},
	"SHOTS_ON_TARGET": {{"Shots on Target", ""}, {"Shot on Target", ""}},
	"TACKLES":         {{"Tackles", ""}, {"Tackle", ""}},
	"OFFSIDES":        {{"Offsides", ""}, {"Offside", ""}},
	"RESULT":          {{"Goals", ""}, {"Goal", ""}}, // a margin is counted in goals
}

// sentences are what a side is said to do in the markets that say it instead of
// yes.
var sentences = map[string]string{
	"TEAM_TO_SCORE_PENALTY":        "to score a penalty",
	"TEAM_TO_MISS_PENALTY":         "to miss a penalty",
	"COME_FROM_BEHIND_AND_WIN":     "to win from behind",
	"WIN_TO_NIL":                   "to win to nil",
	"WIN_EITHER_HALF":              "to win either half",
	"WIN_BOTH_HALVES":              "to win both halves",
	"TEAM_TO_SCORE_IN_BOTH_HALVES": "to score in both halves",
}
