package mapping

import (
	"encoding/csv"
	"fmt"
	"strings"

	"mkt/fetch/input"
)

var phraseLists = map[string]input.Phrases{
	"over-under":         input.OverUnder,
	"over-exactly-under": input.OverExactlyUnder,
	"yes-no":             input.YesNo,
	"odd-even":           input.OddEven,
	"halves":             input.Halves,
	"halves-or-equal":    input.HalvesOrEqual,
	"goal-methods":       input.GoalMethods,
	"scored-missed":      input.ScoredMissed,
	"no-goal":            input.NoGoal,
	"neither":            input.Neither,
	"none":               input.None,
	"both-teams":         input.BothTeams,
	"draw-margins":       input.DrawMargins,
	"other-scores":       input.OtherScores,
	"no-player":          input.NoPlayer,
	"scorer-columns":     input.ScorerColumns,
	"scorer-sentences":   input.ScorerSentences,
	"at-least":           input.AtLeast,
	"stages":             input.Stages,
	"sides":              input.Sides,
	"cast-heads":         input.CastHeads,
	"score-heads":        input.ScoreHeads,
	"joiners":            input.Joiners,
	"open-counts":        input.OpenCounts,
	"open-brackets":      input.OpenBrackets,
	"event-times":        input.EventTimes,
	"minute-units":       input.MinuteUnits,
	"only-sides":         input.OnlySides,
	"margin-heads":       input.MarginHeads,
	"layout":             input.Layout,
}

// ParseDialect reads the wording of a bookmaker's rows, a CSV file with comments;
// see the head of provider/betsapi/bet365_words.csv for its columns. A row whose words
// would be in a list that is not there stays unread.
func ParseDialect(text string) (*input.Dialect, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != "list,word,text" {
		return nil, fmt.Errorf("want the header list,word,text")
	}
	d := &input.Dialect{Nouns: make(map[string][]input.Phrase), Sentences: make(map[string]string), Unread: make(map[string]bool)}
	for _, line := range lines[1:] {
		list, word, text := line[0], line[1], line[2]
		phrases, known := phraseLists[list]
		switch {
		case word == "" || text == "":
			return nil, fmt.Errorf("%s: a word or a text is empty", strings.Join(line, ","))
		case known:
			d.Phrases[phrases] = append(d.Phrases[phrases], input.Phrase{Text: text, Word: word})
		case list == "noun":
			d.Nouns[word] = append(d.Nouns[word], input.Phrase{Text: text})
		case list == "sentence":
			d.Sentences[word] = text
		case list == "unread":
			d.Unread[text] = true
		case list == "read":
			if d.Read == nil {
				d.Read = make(map[string]bool)
			}
			d.Read[text] = true
		default:
			return nil, fmt.Errorf("%s: unknown list", list)
		}
	}
	return d, nil
}
