package rules

import "strconv"

// Kinds of a threat, the smallest first.
const (
	NoThreat = iota
	AttackThreat
	CornerThreat
	PenaltyThreat
)

// Fraction is the fraction of its pressure which a side keeps with fewer players. Of two sides
// with the same counters, the one with more players has the next shot far more often. It is a
// fraction, and not a factor for one side, so that exchanging the sides exchanges the numbers.
type Fraction struct{ part, whole int64 }

// Of returns the kept part of v. v is at most 2^40.
func (k Fraction) Of(v int64) int64 { return v * k.part / k.whole }

func (k Fraction) String() string {
	if k.part == k.whole {
		return "1"
	}
	return strconv.FormatInt(k.part, 10) + "/" + strconv.FormatInt(k.whole, 10)
}
