package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/transform/markets/token"
)

// partOptions are the ways to read one part of the selection.
func (r *Reader) partOptions(c *class, slot slots, text string, sides []sideMatch, into []option) []option {
	add := func(word string, size int) {
		if size > 0 {
			into = append(into, option{fills: slot, size: int32(size), word: word})
		}
	}
	switch c.kind {
	case wordClass:
		word, size := r.plan.PhraseAt(text, c.words)
		if size == 0 && c.words == input.OverUnder { // as Exactly does
			_, size := r.plan.PhraseAt(text, input.OverExactlyUnder)
			r.Contradicts = r.Contradicts || size > 0
		}
		add(word, size)
	case sideClass:
		return r.sidePart(c, slot, text, sides, into)
	case doubleClass:
		return r.doublePart(slot, text, sides, into)
	case onlyClass:
		for _, m := range sides {
			if _, only := r.plan.PhraseAt(text[m.size:], input.OnlySides); only > 0 && m.side != Draw {
				add(m.side.String()+"_ONLY", int(m.size)+only)
			}
		}
		add(r.plan.PhraseAt(text, c.words))
	case answerClass:
		if r.plan.sentence != "" {
			add("YES", token.WordPrefix(text, r.plan.sentence))
		}
		add(r.plan.PhraseAt(text, input.YesNo))
	case eventClass:
		return r.eventPart(slot, text, into)
	case countClass:
		add(r.plan.CountAt(text))
		add(r.plan.AtLeastAt(text))
	case bandClass:
		add(r.plan.BandAt(text))
		add(r.plan.PhraseAt(text, input.NoGoal))
	case minutesClass:
		return r.minutesPart(slot, text, into)
	case bracketClass:
		add(r.plan.BracketAt(text))
		add(r.plan.PhraseAt(text, input.NoGoal))
	case scoreClass:
		if r.plan.Claim.Shape&input.NamedSides != 0 {
			into = r.namedScore(slot, text, into)
		} else if a, b, size := token.ScoreAt(text); size > 0 {
			into = append(into, option{fills: slot, size: int32(size), score: [2]uint8{uint8(a), uint8(b)}})
		}
		add(r.plan.PhraseAt(text, input.OtherScores))
	case marginClass:
		add(r.plan.CountAt(text))
		add(r.plan.PhraseAt(text, input.DrawMargins))
	}
	return into
}

// sidePart reads a side as part of the selection, as far as the market has it.
func (r *Reader) sidePart(c *class, slot slots, text string, sides []sideMatch, into []option) []option {
	for _, m := range sides {
		switch {
		case c.sides&(1<<m.side) == 0:
			r.Contradicts = r.Contradicts || m.side == Draw && c.words == input.NoPhrases
		case m.side == Draw && c.words != input.NoPhrases:
			into = append(into, option{fills: slot, size: m.size, word: "NO_GOAL", side: Draw}) // nobody is first or last to score
		default:
			into = append(into, option{fills: slot, size: m.size, word: m.side.String(), side: m.side})
		}
	}
	if word, size := r.plan.PhraseAt(text, c.words); size > 0 {
		into = append(into, option{fills: slot, size: int32(size), word: word})
	}
	return into
}

// doublePart reads "1X" or "Fulham or Draw".
func (r *Reader) doublePart(slot slots, text string, sides []sideMatch, into []option) []option {
	if len(text) >= 2 && r.plan.IsCode(text[:1]) && r.plan.IsCode(text[1:2]) && token.EndsWord(text, 2) {
		into = r.doubleCode(slot, text[:1], text[1:2], into)
	}
	for _, m := range sides {
		rest := strings.TrimLeft(text[m.size:], " ")
		joiner, or := r.plan.PhraseAt(rest, input.Joiners)
		if joiner != "OR" {
			or = 0
		}
		if or == 0 && strings.HasPrefix(rest, "/") {
			or = 1
		}
		rest = strings.TrimLeft(rest[or:], " ")
		if or == 0 || rest == "" {
			continue
		}
		var second sideMatches
		for _, m2 := range r.sidesAt(rest, &second) {
			if word := doubleOf(m.side, m2.side); word != "" {
				into = append(into, option{fills: slot, size: int32(len(text)-len(rest)) + m2.size, word: word})
			}
		}
	}
	return into
}

// doubleCode reads two codes without a separator. A code that is also a team's name stands for
// every result it can be.
func (r *Reader) doubleCode(slot slots, a, b string, into []option) []option {
	var first, second sideMatches
	seconds := r.sidesAt(b, &second)
	for _, m := range r.sidesAt(a, &first) {
		for _, m2 := range seconds {
			if word := doubleOf(m.side, m2.side); word != "" {
				into = append(into, option{fills: slot, size: 2, word: word})
			}
		}
	}
	return into
}

func doubleOf(a, b Side) string {
	switch {
	case a == b:
		return ""
	case a != Away && b != Away:
		return "1X"
	case a != Draw && b != Draw:
		return "12"
	}
	return "X2"
}

// eventPart reads "Goal before 27:00" and "No Goal before 27:00".
func (r *Reader) eventPart(slot slots, text string, into []option) []option {
	word, rest := "YES", text
	if answer, size := r.plan.PhraseAt(text, input.YesNo); answer == "NO" {
		word, rest = answer, strings.TrimLeft(text[size:], " ")
	}
	_, noun := token.PhraseAt(rest, r.plan.nouns)
	if noun == 0 {
		return into
	}
	rest, ok := r.plan.CutPhrase(rest[noun:], input.EventTimes, r.plan.when)
	if !ok {
		return into
	}
	size := token.ClockAt(rest)
	if size == 0 {
		return into
	}
	return append(into, option{fills: slot, size: int32(len(text) - len(rest) + size), word: word, clock: rest[:size]})
}

// minutesPart reads a band of the sum of minutes: "Under 105 minutes", "105 To
// 125 minutes inc.", "Over 125 minutes".
func (r *Reader) minutesPart(slot slots, text string, into []option) []option {
	o := option{fills: slot}
	if word, n := r.plan.PhraseAt(text, input.OverUnder); n > 0 {
		bound, size := token.NumberAfter(text, n)
		if size == 0 {
			return into
		}
		o.word, o.clock, o.size = word, token.Number(bound), int32(size)
	} else {
		from, to, size, or := r.plan.PairAt(text)
		if size == 0 || or || from >= to || !token.EndsWord(text, size) {
			return into
		}
		o.word, o.size = token.Number(from)+"-"+token.Number(to), int32(size)
	}
	for _, unit := range r.plan.Dialect.Phrases[input.MinuteUnits] {
		o.size += int32(token.WordPrefix(text[o.size:], unit.Text))
	}
	return append(into, o)
}
