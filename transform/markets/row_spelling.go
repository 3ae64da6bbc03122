package markets

import (
	"strings"

	"mkt/fetch/input"
)

// resultSides are the results that a selection is made of.
var resultSides = map[string][]side{"HOME": {home}, "DRAW": {draw}, "AWAY": {away}, "1X": {home, draw}, "12": {home, away}, "X2": {draw, away}}

// isSpelled reports whether a text says a selection that another text of its row has proven,
// with the names of the teams in the bookmaker's own spelling: "Bodo/Glimt or Draw" is 1X
// if "FK Bodø/Glimt" is at home. Each word must be one of the team's name.
//
// Source: rows of bet365 at Sportmonks, recorded August 2022: "2" is "Nottm Forest".
func (r *rowReader) isSpelled(text, selection string) bool {
	joiner := " - "
	var sides []side
	for part := range strings.SplitSeq(selection, "/") {
		sides = append(sides, resultSides[part]...)
	}
	ordered := strings.Contains(selection, "/")
	if !ordered {
		joiner = " or "
	}
	pieces := strings.Split(text, joiner)
	if len(pieces) != len(sides) || !r.names.known() {
		return false
	}
	all := func(sides ...side) bool {
		for i, s := range sides {
			if !r.isSpelledSide(pieces[i], s) {
				return false
			}
		}
		return true
	}
	return all(sides...) || !ordered && len(sides) == 2 && all(sides[1], sides[0])
}

// isSpelledSide reports whether a text says a side, and not the other.
func (r *rowReader) isSpelledSide(text string, s side) bool {
	name, other := r.names.home, r.names.away
	switch s {
	case draw:
		word, size := r.plan.phraseAt(text, input.Sides)
		return word == "DRAW" && size == len(text)
	case away:
		name, other = other, name
	}
	return isShortName(text, name) && !isShortName(text, other)
}
