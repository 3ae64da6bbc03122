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
	"or-more":            input.OrMore,
}

// ParseDialect reads the wording of a bookmaker's rows, a CSV file with comments;
// see the head of provider/betsapi/bet365_words.csv for its columns.
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
	d := &input.Dialect{Nouns: make(map[string][]input.Phrase), Sentences: make(map[string]string)}
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
		default:
			return nil, fmt.Errorf("%s: unknown list", list)
		}
	}
	for _, list := range [...]string{"over-under", "yes-no", "no-goal"} { // no bookmaker does without them
		if len(d.Phrases[phraseLists[list]]) == 0 {
			return nil, fmt.Errorf("%s: the list has no phrase", list)
		}
	}
	return d, nil
}
