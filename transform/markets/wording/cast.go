package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// readCast reads a player with a score, a result or a time.
func (r *Reader) readCast() Reading {
	if len(r.texts) != 1 {
		return Reading{Reason: football.AmbiguousShape}
	}
	name, ordinal, rest := cutCast(r.texts[0], r.plan.Dialect.Phrases[input.ScorerSentences])
	claimed := r.plan.Claim.Parameter
	if r.plan.player == playerTime { // it is the time of the first goal
		claimed = "FIRST"
	}
	if name == "" || !token.HasLetter(name) || claimed != "" && claimed != ordinal {
		return Reading{Reason: football.AmbiguousShape}
	}
	if !r.playerName(name) {
		return Reading{Reason: football.UnresolvedQualifier}
	}
	var found Reading
	r.found, r.ways, r.readings = &found, 0, 0
	column := func(word string) {
		r.add(Reading{Selection: name + "&" + word, Qualifier: ordinal, Subject: name, Row: name, Column: word})
	}
	switch r.plan.player {
	case playerScore:
		r.eachScore(rest, func(score [2]int, rest string) {
			if rest == "" {
				column(token.ScoreWord(score[0], score[1]))
			}
		})
	case playerResult:
		r.castResult(rest, column)
	case playerTime:
		if rest, ok := r.plan.AfterPhrase(rest, input.CastHeads, "TIME"); ok {
			if word, size := r.plan.BracketAt(rest); size == len(rest) {
				column(word)
			}
		}
	}
	if r.ways != 1 {
		return Reading{Reason: football.UnresolvedQualifier}
	}
	return found
}

func (r *Reader) castResult(rest string, column func(string)) {
	rest, ok := r.plan.CutPhrase(rest, input.CastHeads, "RESULT")
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
