package markets

import (
	"strings"

	"mkt/fetch/input"
)

// nameScore puts a score home first. rd.selection is a word such as OTHER, or empty. A word for a
// winner other than the head is refused.
func (r *rowReader) nameScore(rd *reading, st *state) bool {
	if rd.selection != "" {
		if st.head == noSide {
			return true
		}
		word := "OTHER_" + st.head.String()
		agrees := rd.selection == "OTHER" || rd.selection == word
		rd.selection = word
		return agrees
	}
	shape := r.plan.claim.Shape
	winnerFirst := shape&input.WinnerFirst != 0 || shape&input.NamedWinnerFirst != 0 && st.head != noSide
	h, a, ok := homeFirst([2]int{int(st.score[0]), int(st.score[1])}, st.head, winnerFirst)
	if !ok {
		return false
	}
	rd.selection, rd.row, rd.column = scoreWord(h, a), number(h), number(a)
	return true
}

// namedScore reads a label with the goals of both sides, in any order: "Arsenal:1|Leicester:0".
func (r *rowReader) namedScore(slot slots, text string, into []option) []option {
	first, second, _ := strings.Cut(text, "|")
	for _, a := range r.goalsOf(first) {
		for _, b := range r.goalsOf(second) {
			switch {
			case a.side == home && b.side == away:
				into = append(into, option{fills: slot, size: int32(len(text)), score: [2]uint8{a.goals, b.goals}})
			case a.side == away && b.side == home:
				into = append(into, option{fills: slot, size: int32(len(text)), score: [2]uint8{b.goals, a.goals}})
			}
		}
	}
	return into
}

// sideGoals is a side and its goals.
type sideGoals struct {
	side  side
	goals uint8
}

// goalsOf reads a side and its goals, "Arsenal:1", in every way.
func (r *rowReader) goalsOf(text string) (ways []sideGoals) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return nil
	}
	name, digits := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:])
	goals, size := digitsAt(digits)
	if size == 0 || size > 2 || size < len(digits) {
		return nil
	}
	var sides sideMatches
	for _, m := range r.sidesAt(name, &sides) {
		if int(m.size) == len(name) {
			ways = append(ways, sideGoals{m.side, uint8(goals)})
		}
	}
	return ways
}

// homeFirst turns a score to home first. If the winner's goals come first, the head must name the
// winner. A head is refused if the score contradicts it.
func homeFirst(score [2]int, head side, winnerFirst bool) (h, a int, ok bool) {
	h, a = score[0], score[1]
	if winnerFirst && h != a && (head != home && head != away || h < a) {
		return 0, 0, false
	}
	if winnerFirst && head == away {
		h, a = a, h
	}
	switch head {
	case home:
		return h, a, h > a
	case away:
		return h, a, h < a
	case draw:
		return h, a, h == a
	}
	return h, a, true
}

// readScores reads "Half Time Draw 0-0 Full Time Russia 1-0".
func (r *rowReader) readScores() {
	if len(r.texts) != 1 {
		return
	}
	rest, ok := r.plan.afterPhrase(r.texts[0], input.ScoreHeads, "HALF_TIME")
	if !ok {
		return
	}
	r.eachScore(rest, func(halfTime [2]int, rest string) {
		rest, ok := r.plan.afterPhrase(strings.TrimLeft(rest, " "), input.ScoreHeads, "FULL_TIME")
		if !ok {
			return
		}
		r.eachScore(rest, func(fullTime [2]int, rest string) {
			if rest != "" || halfTime[0] > fullTime[0] || halfTime[1] > fullTime[1] {
				return
			}
			row, column := scoreWord(halfTime[0], halfTime[1]), scoreWord(fullTime[0], fullTime[1])
			r.add(reading{selection: row + "/" + column, qualifier: r.plan.claim.Parameter, row: row, column: column})
		})
	})
}

// eachScore calls next with every way to read the beginning of s as a side and its score, home
// first, and with the rest after it.
func (r *rowReader) eachScore(s string, next func(score [2]int, rest string)) {
	if s == "" {
		return
	}
	var sides sideMatches
	for _, m := range r.sidesAt(s, &sides) {
		rest := strings.TrimLeft(s[m.size:], " ")
		a, b, size := scoreAt(rest)
		if size == 0 {
			continue
		}
		if h, a, ok := homeFirst([2]int{a, b}, m.side, r.plan.claim.Shape&input.WinnerFirst != 0); ok {
			next([2]int{h, a}, rest[size:])
		}
	}
}
