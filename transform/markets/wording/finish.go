package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/transform/markets/token"
)

// finish names the outcome of a wholly consumed row. If the row lacks a part of its form, or
// contradicts itself, this way of reading it fails.
func (r *Reader) finish(st *state) {
	if r.plan.Claim.Shape&input.SideMeansYes != 0 && st.filled&(part0|about) == about {
		st.filled |= part0
		st.parts[0] = "YES"
	}
	if r.plan.want&^st.filled != 0 {
		r.fail(st, "")
		return
	}
	rd := Reading{About: st.about, Half: st.half, Qualifier: r.plan.Claim.Parameter, Named: st.noun}
	if rd.About == NoSide {
		rd.About = r.plan.Fixed
	}
	rd.Subject = rd.About.String()
	if st.target != "" {
		rd.Qualifier = st.target
	}
	if st.clock != "" {
		rd.Qualifier = st.clock
	}
	if !r.nameSelection(&rd, st) {
		r.fail(st, "")
		return
	}
	if st.filled&line != 0 {
		rd.Line, rd.HasLine, rd.Side = r.homeLine(st), true, st.side
	}
	r.add(rd)
}

// nameSelection puts the selection together, and its place in the grid.
func (r *Reader) nameSelection(rd *Reading, st *state) bool {
	if len(r.plan.parts) == 2 {
		rd.Selection = join(st.parts[0], r.plan.join, st.parts[1])
		rd.Row, rd.Column = st.parts[0], st.parts[1]
		return true
	}
	rd.Selection = st.parts[0]
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
func nameMargin(rd *Reading, st *state) bool {
	c := rd.Selection[0]
	number := c >= '0' && c <= '9'
	if !number {
		return st.head == NoSide
	}
	if st.head != Home && st.head != Away || rd.Selection == "0" {
		return false
	}
	rd.Selection = st.head.String() + "_" + rd.Selection
	return true
}

// homeLine is the line as the home side's handicap. Totals stay as they are.
//
// Source: canonical vocabulary, sections 3 and 4.
func (r *Reader) homeLine(st *state) token.Quarters {
	if !r.plan.Signed {
		return st.line
	}
	turned := IsTurned(st.side, r.plan.Claim.Shape)
	if st.owner != NoSide {
		turned = st.owner == Away
	}
	if turned {
		return -st.line
	}
	return st.line
}

// IsTurned reports whether a row of a side has the away side's own line.
func IsTurned(s Side, shape input.Shape) bool {
	return s == Away && shape&(input.OwnSideLine|input.DrawHasAwaySign) != 0 || s == Draw && shape&input.DrawHasAwaySign != 0
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
