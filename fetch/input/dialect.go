package input

// Dialect is the wording of a bookmaker's rows: which phrases he has for a
// canonical word. A dialect must not be modified.
type Dialect struct {
	Phrases   [numPhrases][]Phrase
	Nouns     map[string][]Phrase // by dimension: what may stand beside a number without saying more; Word is ""
	Sentences map[string]string   // by market: what a side is said to do, in markets whose rows say that instead of yes
}

// Phrase is a text of a bookmaker and the canonical word for it.
type Phrase struct{ Text, Word string }

// Phrases names one list of phrases of a dialect.
type Phrases uint8

const (
	NoPhrases        Phrases = iota
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
	OrMore                   // OR_MORE: before a number that is the least of several
	numPhrases
)
