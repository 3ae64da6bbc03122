package input

// Dialect is the wording of a bookmaker's rows: which phrases he has for a
// canonical word. A dialect must not be modified.
type Dialect struct {
	Phrases   [numPhrases][]Phrase
	Nouns     map[string][]Phrase // by dimension: words beside a number without a meaning of their own; Word is ""
	Sentences map[string]string   // by market: the action of a side or a player, in markets whose rows have it instead of yes
	Unread    map[string]bool     // fields of labels that repeat the row's other labels in other words
	Read      map[string]bool     // the fields of labels with a known meaning; nil if any field may have one
}

// Reads reports whether the labels of a field are words of a row. A label that is none is kept with the row.
func (d *Dialect) Reads(field string) bool {
	return !d.Unread[field] && (d.Read == nil || d.Read[field])
}

// Phrase is a text of a bookmaker and the canonical word for it.
type Phrase struct{ Text, Word string }

// Phrases names one list of phrases of a dialect.
type Phrases uint8

const (
	NoPhrases        Phrases = iota
	Sides                    // HOME, DRAW, AWAY. A text of one letter is a code: a label that is nothing else is a side where one is needed
	OverUnder                // OVER, UNDER
	OverExactlyUnder         // OVER, EXACTLY, UNDER
	YesNo                    // YES, NO
	OddEven                  // ODD, EVEN
	Halves                   // 1H, 2H
	HalvesOrEqual            // 1H, 2H, EQUAL
	GoalMethods              // SHOT, HEADER, PENALTY, FREE_KICK, OWN_GOAL, NO_GOAL
	ScoredMissed             // SCORED, MISSED
	NoGoal                   // NO_GOAL
	Neither                  // NEITHER
	None                     // NONE
	BothTeams                // BOTH, NO_GOAL
	DrawMargins              // SCORE_DRAW, NO_GOAL, DRAW
	OtherScores              // OTHER, OTHER_HOME, OTHER_DRAW, OTHER_AWAY
	NoPlayer                 // NO_GOALSCORER, NO_CARD: rows that stand for no player
	ScorerColumns            // GOALSCORER_FIRST, GOALSCORER_LAST, GOALSCORER_ANYTIME
	ScorerSentences          // FIRST, LAST, ANYTIME: between a player's name and the rest
	AtLeast                  // "+": before a number
	Stages                   // FT, ET, PEN: when a match is decided
	CastHeads                // RESULT, TIME: before the words that go with a player, letter by letter for RESULT
	ScoreHeads               // HALF_TIME, FULL_TIME: before each of two scores
	Joiners                  // TO between the ends of a band; OR between its only two numbers, and between two results
	OpenCounts               // MORE: behind the last, open number of a row of counts
	OpenBrackets             // END: behind the minute at which the last bracket begins
	EventTimes               // BEFORE, AFTER: between an event and a minute, letter by letter
	MinuteUnits              // UNIT: may follow a number of minutes, in this order
	OnlySides                // ONLY: behind a side that is the only one
	MarginHeads              // WIN: may precede a margin
	Layout                   // NOTHING: a label, letter by letter, that says nothing about its row
	numPhrases
)
