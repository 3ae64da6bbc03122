package markets

import (
	"strings"

	"mkt/fetch/input"
)

// finish names the outcome of a wholly consumed row. If the row lacks a part of its form, or
// contradicts itself, this way of reading it fails.
func (r *rowReader) finish(st *state) {
	if r.plan.claim.Shape&input.SideMeansYes != 0 && st.filled&(part0|about) == about {
		st.filled |= part0
		st.parts[0] = "YES"
	}
	if r.plan.want&^st.filled != 0 {
		r.fail(st, "")
		return
	}
	rd := reading{about: st.about, half: st.half, qualifier: r.plan.claim.Parameter, named: st.noun}
	if rd.about == noSide {
		rd.about = r.plan.fixed
	}
	rd.subject = rd.about.String()
	if st.target != "" {
		rd.qualifier = st.target
	}
	if st.clock != "" {
		rd.qualifier = st.clock
	}
	if !r.nameSelection(&rd, st) {
		r.fail(st, "")
		return
	}
	if st.filled&line != 0 {
		rd.line, rd.hasLine, rd.side = r.homeLine(st), true, st.side
	}
	r.add(rd)
}

// nameSelection puts the selection together, and its place in the grid.
func (r *rowReader) nameSelection(rd *reading, st *state) bool {
	if len(r.plan.parts) == 2 {
		rd.selection = join(st.parts[0], r.plan.join, st.parts[1])
		rd.row, rd.column = st.parts[0], st.parts[1]
		return true
	}
	rd.selection = st.parts[0]
	switch r.plan.parts[0].kind {
	case scoreClass:
		return r.nameScore(rd, st)
	case marginClass:
		return nameMargin(rd, st)
	}
	return true
}

// nameMargin joins the winner and the number of goals: "HOME_2", "AWAY_4+". The draws have no
// winner.
func nameMargin(rd *reading, st *state) bool {
	c := rd.selection[0]
	number := c >= '0' && c <= '9'
	if !number {
		return st.head == noSide
	}
	if st.head != home && st.head != away || rd.selection == "0" {
		return false
	}
	rd.selection = st.head.String() + "_" + rd.selection
	return true
}

// homeLine is the line as the home side's handicap. Totals stay as they are.
//
// Source: canonical vocabulary, sections 3 and 4.
func (r *rowReader) homeLine(st *state) quarters {
	if !r.plan.signed {
		return st.line
	}
	turned := isTurned(st.side, r.plan.claim.Shape)
	if st.owner != noSide {
		turned = st.owner == away
	}
	if turned {
		return -st.line
	}
	return st.line
}

// isTurned reports whether a row of a side has the away side's own line.
func isTurned(s side, shape input.Shape) bool {
	return s == away && shape&(input.OwnSideLine|input.DrawHasAwaySign) != 0 || s == draw && shape&input.DrawHasAwaySign != 0
}

// joined are the two-part selections of closed words: naming one allocates nothing.
var joined = makeJoined()

func makeJoined() map[[3]string]string {
	sides := []string{"HOME", "DRAW", "AWAY"}
	doubles := []string{"1X", "12", "X2"}
	overs := []string{"OVER", "UNDER"}
	answers := []string{"YES", "NO"}
	all := make(map[[3]string]string)
	cross := func(as []string, join string, bs []string) {
		for _, a := range as {
			for _, b := range bs {
				all[[3]string{a, join, b}] = a + join + b
			}
		}
	}
	cross(sides, "/", sides)
	cross(answers, "/", answers)
	for _, as := range [][]string{sides, doubles, overs} {
		cross(as, "&", overs)
		cross(as, "&", answers)
	}
	return all
}

// join puts two canonical words together: "HOME&YES", "1-0/2-0".
func join(a, with, b string) string {
	if s, ok := joined[[3]string{a, with, b}]; ok {
		return s
	}
	return strings.Join([]string{a, b}, with)
}
