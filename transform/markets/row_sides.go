package markets

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// sideMatch is one way to read the beginning of a text as a side.
type sideMatch struct {
	size int32 // bytes
	side side
}

// sideMatches has room for both names and a word.
type sideMatches [3]sideMatch

// sidesAt lists every way to read the beginning of s as a side: the two names,
// and the dialect's codes and words. Two ways are possible when one name begins
// with the other, or when a team is called like a word.
func (r *rowReader) sidesAt(s string, into *sideMatches) []sideMatch {
	n := 0
	add := func(side side, size int) {
		if size > 0 {
			into[n] = sideMatch{int32(size), side}
			n++
		}
	}
	add(home, namePrefix(s, r.names.home))
	add(away, namePrefix(s, r.names.away))
	word, size := r.plan.phraseAt(s, input.Sides)
	switch word {
	case "HOME":
		add(home, size)
	case "DRAW":
		add(draw, size)
	case "AWAY":
		add(away, size)
	}
	return into[:n]
}

// wholeSide is the home or away side if the whole text names it alone. several is true if it can
// be either.
func (r *rowReader) wholeSide(text string) (found side, several bool) {
	if text == "" {
		return noSide, false
	}
	var sides sideMatches
	for _, m := range r.sidesAt(text, &sides) {
		if int(m.size) != len(text) || m.side == draw {
			continue
		}
		if found != noSide && found != m.side {
			return noSide, true
		}
		found = m.side
	}
	return found, false
}

// isSide reports whether a text is exactly a side.
func (r *rowReader) isSide(text string) bool {
	text = clean(text)
	var sides sideMatches
	return slices.ContainsFunc(r.sidesAt(text, &sides), func(m sideMatch) bool { return int(m.size) == len(text) })
}

// swappable returns the field of the label read as the side, and of the other label that could
// be it. It returns "" if these are not two labels.
func (r *rowReader) swappable(row *input.Row) (side, number string) {
	if !r.takeTexts(row.Labels) {
		return "", ""
	}
	var fields []string
	for _, text := range r.texts {
		if !r.isSide(text) {
			continue
		}
		at := slices.IndexFunc(row.Labels, func(l football.Label) bool {
			return strings.TrimSpace(l.Text) == text && r.plan.claim.Dialect.Reads(l.Field) && !slices.Contains(fields, l.Field)
		})
		if at >= 0 {
			fields = append(fields, row.Labels[at].Field)
		}
	}
	if len(fields) != 2 || fields[0] == fields[1] {
		return "", ""
	}
	return fields[0], fields[1]
}

// playerName reports whether a text is proven to be a player's name. The verdict is kept for the
// fixture, since a name is in many markets.
func (r *rowReader) playerName(text string) bool {
	is, ok := r.verdicts[text]
	if !ok {
		is = r.names.known() && isName(text, r.teamWords)
		r.verdicts[text] = is
	}
	return is
}
