package proof

import (
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/wording"
)

// proveSides marks rows with two labels that can each be the side and each the number, such as
// "1" and "2" for the home side by two or the away side by one. Other rows of the market prove
// which label has the side: in some the other label is no side, such as "4+"; in others the side
// is no number, such as "X".
func proveSides(r *wording.Reader, readings []wording.Reading, o *input.Offer) {
	var proven map[[2]string]bool
	for i := range readings {
		if !readings[i].Swaps {
			continue
		}
		side, number := r.Swappable(&o.Rows[i])
		fields := [2]string{side, number}
		is, known := proven[fields]
		if !known {
			is = side != "" && hasSideIn(r, readings, o, side, number) && !hasSideIn(r, readings, o, number, side)
			if proven == nil {
				proven = make(map[[2]string]bool)
			}
			proven[fields] = is
		}
		if !is {
			readings[i] = wording.Reading{Reason: football.AmbiguousShape}
		}
	}
}

// hasSideIn reports whether a read row must have its side in one field and not in the other:
// there is no side in the other, or the text in the field is no number.
func hasSideIn(r *wording.Reader, readings []wording.Reading, o *input.Offer, field, other string) bool {
	for i := range o.Rows {
		side, number := o.Rows[i].Label(field), o.Rows[i].Label(other)
		if readings[i].Reason == "" && number != "" && r.IsSide(side) && (!r.IsSide(number) || !strings.ContainsAny(side, "0123456789")) {
			return true
		}
	}
	return false
}
