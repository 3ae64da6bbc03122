package wording

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/names"
	"mkt/transform/markets/token"
)

// sideMatch is one way to read the beginning of a text as a side.
type sideMatch struct {
	size int32 // bytes
	side Side
}

// sideMatches has space for both names and a word.
type sideMatches [3]sideMatch

// sidesAt lists every way to read the beginning of s as a side: the two names,
// and the dialect's codes and words. Two ways are possible when one name begins
// with the other, or when a team is called like a word.
func (r *Reader) sidesAt(s string, into *sideMatches) []sideMatch {
	n := 0
	add := func(side Side, size int) {
		if size > 0 {
			into[n] = sideMatch{int32(size), side}
			n++
		}
	}
	add(Home, names.Prefix(s, r.names.Home))
	add(Away, names.Prefix(s, r.names.Away))
	word, size := r.plan.PhraseAt(s, input.Sides)
	switch word {
	case "HOME":
		add(Home, size)
	case "DRAW":
		add(Draw, size)
	case "AWAY":
		add(Away, size)
	}
	return into[:n]
}

// wholeSide is the home or away side if the whole text names it alone. several is true if it can
// be either.
func (r *Reader) wholeSide(text string) (found Side, several bool) {
	if text == "" {
		return NoSide, false
	}
	var sides sideMatches
	for _, m := range r.sidesAt(text, &sides) {
		if int(m.size) != len(text) || m.side == Draw {
			continue
		}
		if found != NoSide && found != m.side {
			return NoSide, true
		}
		found = m.side
	}
	return found, false
}

// IsSide reports whether a text is exactly a side.
func (r *Reader) IsSide(text string) bool {
	text = token.Clean(text)
	var sides sideMatches
	return slices.ContainsFunc(r.sidesAt(text, &sides), func(m sideMatch) bool { return int(m.size) == len(text) })
}

// Swappable returns the field of the label read as the side, and of the other label that could
// be it. It returns "" if these are not two labels.
func (r *Reader) Swappable(row *input.Row) (side, number string) {
	words := row.Words()
	if !r.takeTexts(words) {
		return "", ""
	}
	var fields []string
	for _, text := range r.texts {
		if !r.IsSide(text) {
			continue
		}
		at := slices.IndexFunc(words, func(l football.Label) bool {
			return strings.TrimSpace(l.Text) == text && r.plan.Claim.Dialect.Reads(l.Field) && !slices.Contains(fields, l.Field)
		})
		if at >= 0 {
			fields = append(fields, words[at].Field)
		}
	}
	if len(fields) != 2 || fields[0] == fields[1] {
		return "", ""
	}
	return fields[0], fields[1]
}

// playerName reports whether a text is proven to be a player's name. The verdict is kept for the
// fixture, since a name is in many markets.
func (r *Reader) playerName(text string) bool {
	is, ok := r.verdicts[text]
	if !ok {
		is = r.names.IsPlayer(text, r.teamWords)
		r.verdicts[text] = is
	}
	return is
}
