package markets

import (
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// readCast reads a player with a score, a result or a time.
func (r *rowReader) readCast() reading {
	if len(r.texts) != 1 {
		return reading{reason: football.AmbiguousShape}
	}
	name, ordinal, rest := cutCast(r.texts[0], r.plan.dialect.Phrases[input.ScorerSentences])
	claimed := r.plan.claim.Parameter
	if r.plan.player == playerTime { // it is the time of the first goal
		claimed = "FIRST"
	}
	if name == "" || !hasLetter(name) || claimed != "" && claimed != ordinal {
		return reading{reason: football.AmbiguousShape}
	}
	if !r.playerName(name) {
		return reading{reason: football.UnresolvedQualifier}
	}
	var found reading
	r.found, r.ways, r.readings = &found, 0, 0
	column := func(word string) {
		r.add(reading{selection: name + "&" + word, qualifier: ordinal, subject: name, row: name, column: word})
	}
	switch r.plan.player {
	case playerScore:
		r.eachScore(rest, func(score [2]int, rest string) {
			if rest == "" {
				column(scoreWord(score[0], score[1]))
			}
		})
	case playerResult:
		r.castResult(rest, column)
	case playerTime:
		if rest, ok := r.plan.afterPhrase(rest, input.CastHeads, "TIME"); ok {
			if word, size := r.plan.bracketAt(rest); size == len(rest) {
				column(word)
			}
		}
	}
	if r.ways != 1 {
		return reading{reason: football.UnresolvedQualifier}
	}
	return found
}

func (r *rowReader) castResult(rest string, column func(string)) {
	rest, ok := r.plan.cutPhrase(rest, input.CastHeads, "RESULT")
	if !ok || rest == "" {
		return
	}
	var sides sideMatches
	for _, m := range r.sidesAt(rest, &sides) {
		if int(m.size) == len(rest) {
			column(m.side.String())
		}
	}
}

// cutCast splits "P to score first and …". The phrase must stand there once.
func cutCast(text string, sentences []input.Phrase) (name, ordinal, rest string) {
	for _, p := range sentences {
		before, after, ok := strings.Cut(text, p.Text)
		if !ok {
			continue
		}
		if ordinal != "" || strings.Contains(after, p.Text) {
			return "", "", ""
		}
		name, ordinal, rest = strings.TrimSpace(before), p.Word, strings.TrimSpace(after)
	}
	return name, ordinal, rest
}
