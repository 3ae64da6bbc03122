package backtest

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// Half is a part of the matches. Constants are chosen on one half and confirmed on the
// other, which the choice did not see.
type Half string

const (
	Tuning  Half = "tuning"
	HeldOut Half = "held-out"
)

// halfOf returns the half of a match: the first bit of the SHA-256 of its id is 0 for
// tuning and 1 for held out, whatever other matches there are.
func halfOf(m *Match) Half {
	if sha256.Sum256([]byte(m.ID))[0] < 0x80 {
		return Tuning
	}
	return HeldOut
}

// of returns the matches in h, in their order.
func (h Half) of(matches []Match) ([]Match, error) {
	switch h {
	case "":
		return matches, nil
	case Tuning, HeldOut:
	default:
		return nil, fmt.Errorf("half %q: want %s or %s", string(h), Tuning, HeldOut)
	}
	kept := slices.DeleteFunc(matches, func(m Match) bool { return halfOf(&m) != h })
	if len(kept) == 0 {
		return nil, fmt.Errorf("no match is in the half %s", h)
	}
	return kept, nil
}
