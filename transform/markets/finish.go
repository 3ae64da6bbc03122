package markets

import (
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

// add records one way to read the row.
func (r *rowReader) add(rd reading) {
	if r.asNumber {
		r.swapped = r.swapped || rd != *r.found
		return
	}
	r.readings++
	switch {
	case r.ways == 0:
		*r.found, r.ways = rd, 1
	case rd != *r.found:
		r.ways++
	}
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
