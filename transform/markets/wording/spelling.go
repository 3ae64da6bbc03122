package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/transform/markets/names"
)

// resultSides are the results that a selection is made of.
var resultSides = map[string][]Side{"HOME": {Home}, "DRAW": {Draw}, "AWAY": {Away}, "1X": {Home, Draw}, "12": {Home, Away}, "X2": {Draw, Away}}

// isSpelled reports whether a text says a selection that another text of its row has proven,
// with the names of the teams in the bookmaker's own spelling: "Bodo/Glimt or Draw" is 1X
// if "FK Bodø/Glimt" is at home. Each word must be one of the team's name.
//
// Source: rows of bet365 at Sportmonks, recorded August 2022: "2" is "Nottm Forest".
func (r *Reader) isSpelled(text, selection string) bool {
	joiner := " - "
	var sides []Side
	for part := range strings.SplitSeq(selection, "/") {
		sides = append(sides, resultSides[part]...)
	}
	ordered := strings.Contains(selection, "/")
	if !ordered {
		joiner = " or "
	}
	pieces := strings.Split(text, joiner)
	if len(pieces) != len(sides) || !r.names.Known() {
		return false
	}
	all := func(sides ...Side) bool {
		for i, s := range sides {
			if !r.isSpelledSide(pieces[i], s) {
				return false
			}
		}
		return true
	}
	return all(sides...) || !ordered && len(sides) == 2 && all(sides[1], sides[0])
}

// isSpelledSide reports whether a text names the side s and does not name the other side.
func (r *Reader) isSpelledSide(text string, s Side) bool {
	name, other := r.names.Home, r.names.Away
	switch s {
	case Draw:
		word, size := r.plan.PhraseAt(text, input.Sides)
		return word == "DRAW" && size == len(text)
	case Away:
		name, other = other, name
	}
	return names.IsShort(text, name) && !names.IsShort(text, other)
}
