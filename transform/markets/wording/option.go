package wording

import (
	"strings"

	"mkt/fetch/input"
	"mkt/transform/markets/token"
)

// options appends every way to read the beginning of text for an open slot. start reports whether
// text is the beginning of a label.
func (r *Reader) options(text string, start bool, st *state, into []option) []option {
	base := len(into)
	open := (r.plan.want | r.plan.may) &^ st.filled
	var sides sideMatches
	var named []sideMatch
	if r.plan.sided {
		named = r.sidesAt(text, &sides)
	}

	for _, m := range named {
		if o, ok := r.sideOption(m, open, st); ok {
			into = append(into, o)
		}
	}
	for i := range r.plan.parts {
		slot := part0 << i
		if i == 1 && open&part0 != 0 && r.plan.parts[0].same(&r.plan.parts[1]) {
			break // of two parts that sound alike the first is said first
		}
		if open&slot != 0 {
			into = r.partOptions(&r.plan.parts[i], slot, text, named, into)
		}
	}
	if start && r.plan.IsCode(text) {
		r.preferSides(into[base:])
	}
	if open&half != 0 {
		if word, size := r.plan.PhraseAt(text, input.Halves); size > 0 {
			into = append(into, option{fills: half, size: int32(size), word: word})
		}
	}
	if open&target != 0 {
		if word, size := r.plan.CountAt(text); size > 0 && !strings.HasSuffix(word, "+") {
			into = append(into, option{fills: target, size: int32(size), word: word})
		}
	}
	if open&line != 0 {
		q, sign, size := token.LineAt(text)
		if size == 0 && len(named) > 0 { // "2/1" is the away side and 1, or 2 and the home side
			var ok bool
			if q, sign, ok = token.ParseLine(text[:token.NumeralAt(text)]); ok {
				size = token.NumeralAt(text)
			}
		}
		if size > 0 && r.lineFits(q, sign) {
			into = append(into, option{fills: line, size: int32(size), line: q})
		}
	}
	if len(into) == base {
		return r.idle(text, st, into)
	}
	return into
}

// preferSides marks the sides among the ways to read a label that is just "1" or "2". It is a
// side, and not a number, if a side is needed and the row can be read so. Column heads come
// first, so that a number below one does not become the side.
func (r *Reader) preferSides(options []option) {
	for i := range options {
		o := &options[i]
		o.preferred = o.side != NoSide && (o.fills&r.plan.want != 0 || o.fills == head)
	}
}

// sideOption is the slot filled by a side, apart from the selection's parts.
func (r *Reader) sideOption(m sideMatch, open slots, st *state) (option, bool) {
	o := option{size: m.size, side: m.side}
	switch {
	case open&about != 0 && m.side != Draw && (r.plan.Fixed == NoSide || r.plan.Fixed == m.side):
		o.fills = about
	case open&head != 0:
		o.fills = head
	case open&owner != 0 && st.filled&part0 != 0 && st.side == Draw && m.side != Draw && m.size > 1: // a code would be a number there
		o.fills = owner
	default:
		return o, false
	}
	return o, true
}

// lineFits reports whether a number can be a line of the market's kind: a handicap with a known
// sign, or a total without one.
func (r *Reader) lineFits(q token.Quarters, sign token.Signs) bool {
	if r.plan.whole && q%4 != 0 {
		return false
	}
	if r.plan.Signed {
		return sign.Handicap(q) || sign == token.Unsigned && r.plan.Claim.Shape&input.UnsignedIsPlus != 0
	}
	return sign == token.Unsigned && q > 0
}

// idle are the possible words without a new meaning: the counted thing, and the beginning of a
// margin.
func (r *Reader) idle(text string, st *state, into []option) []option {
	if _, size := token.PhraseAt(text, r.plan.nouns); size > 0 {
		return append(into, option{size: int32(size), noun: true})
	}
	if r.plan.want&part0 != 0 && r.plan.parts[0].kind == marginClass {
		if _, size := r.plan.PhraseAt(text, input.MarginHeads); size > 0 && st.filled&head != 0 { // "1 by 2": the side stands before it
			return append(into, option{size: int32(size)})
		}
	}
	return into
}
