package wording

import (
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// fail records the attempt with the most filled slots.
func (r *Reader) fail(st *state, text string) {
	f := failure{any: true, filled: st.filled, missing: r.plan.want &^ st.filled, text: text, called: st.called}
	if !r.best.any || count(f.filled) > count(r.best.filled) {
		r.best = f
	}
}

// reason returns the reason why the row could not be read.
func (r *Reader) reason() football.Reason {
	f := r.best
	if f.missing == line {
		return football.UnreadableLine
	}
	if f.called && f.text != "" && token.HasLetter(f.text[:1]) { // "Arsenal Res", where Arsenal plays
		return football.UnresolvedQualifier
	}
	if f.missing&r.sideSlots() != 0 && (f.text != "" || f.missing&^r.sideSlots() == 0) {
		return football.UnresolvedQualifier
	}
	return football.AmbiguousShape
}

// sideSlots are the slots filled by a team's name.
func (r *Reader) sideSlots() slots {
	s := about | head | owner
	for i := range r.plan.parts {
		switch r.plan.parts[i].kind {
		case sideClass, doubleClass, onlyClass:
			s |= part0 << i
		}
	}
	return s
}
