package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/transform/markets/token"
)

// nameScore puts a score home first. rd.selection is a word such as OTHER, or empty. A word for a
// winner other than the head is refused.
func (r *Reader) nameScore(rd *Reading, st *state) bool {
	if rd.Selection != "" {
		if st.head == NoSide {
			return true
		}
		word := "OTHER_" + st.head.String()
		agrees := rd.Selection == "OTHER" || rd.Selection == word
		rd.Selection = word
		return agrees
	}
	shape := r.plan.Claim.Shape
	winnerFirst := shape&input.WinnerFirst != 0 || shape&input.NamedWinnerFirst != 0 && st.head != NoSide
	h, a, ok := homeFirst([2]int{int(st.score[0]), int(st.score[1])}, st.head, winnerFirst)
	if !ok {
		return false
	}
	rd.Selection, rd.Row, rd.Column = token.ScoreWord(h, a), token.Number(h), token.Number(a)
	return true
}

// namedScore reads a label with the goals of both sides, in any order: "Arsenal:1|Leicester:0".
func (r *Reader) namedScore(slot slots, text string, into []option) []option {
	first, second, _ := strings.Cut(text, "|")
	for _, a := range r.goalsOf(first) {
		for _, b := range r.goalsOf(second) {
			switch {
			case a.side == Home && b.side == Away:
				into = append(into, option{fills: slot, size: int32(len(text)), score: [2]uint8{a.goals, b.goals}})
			case a.side == Away && b.side == Home:
				into = append(into, option{fills: slot, size: int32(len(text)), score: [2]uint8{b.goals, a.goals}})
			}
		}
	}
	return into
}

// sideGoals is a side and its goals.
type sideGoals struct {
	side  Side
	goals uint8
}

// goalsOf reads a side and its goals, "Arsenal:1", in every way.
func (r *Reader) goalsOf(text string) (ways []sideGoals) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return nil
	}
	name, digits := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:])
	goals, size := token.DigitsAt(digits)
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
func homeFirst(score [2]int, head Side, winnerFirst bool) (h, a int, ok bool) {
	h, a = score[0], score[1]
	if winnerFirst && h != a && (head != Home && head != Away || h < a) {
		return 0, 0, false
	}
	if winnerFirst && head == Away {
		h, a = a, h
	}
	switch head {
	case Home:
		return h, a, h > a
	case Away:
		return h, a, h < a
	case Draw:
		return h, a, h == a
	}
	return h, a, true
}

// readScores reads "Half Time Draw 0-0 Full Time Russia 1-0".
func (r *Reader) readScores() {
	if len(r.texts) != 1 {
		return
	}
	rest, ok := r.plan.AfterPhrase(r.texts[0], input.ScoreHeads, "HALF_TIME")
	if !ok {
		return
	}
	r.eachScore(rest, func(halfTime [2]int, rest string) {
		rest, ok := r.plan.AfterPhrase(strings.TrimLeft(rest, " "), input.ScoreHeads, "FULL_TIME")
		if !ok {
			return
		}
		r.eachScore(rest, func(fullTime [2]int, rest string) {
			if rest != "" || halfTime[0] > fullTime[0] || halfTime[1] > fullTime[1] {
				return
			}
			row, column := token.ScoreWord(halfTime[0], halfTime[1]), token.ScoreWord(fullTime[0], fullTime[1])
			r.add(Reading{Selection: row + "/" + column, Qualifier: r.plan.Claim.Parameter, Row: row, Column: column})
		})
	})
}

// eachScore calls next with every way to read the beginning of s as a side and its score, home
// first, and with the rest after it.
func (r *Reader) eachScore(s string, next func(score [2]int, rest string)) {
	if s == "" {
		return
	}
	var sides sideMatches
	for _, m := range r.sidesAt(s, &sides) {
		rest := strings.TrimLeft(s[m.size:], " ")
		a, b, size := token.ScoreAt(rest)
		if size == 0 {
			continue
		}
		if h, a, ok := homeFirst([2]int{a, b}, m.side, r.plan.Claim.Shape&input.WinnerFirst != 0); ok {
			next([2]int{h, a}, rest[size:])
		}
	}
}
