package reader

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold spells a text so that two which differ only in case, or in how their
// accents are encoded, are the same (Unicode full case folding). What is stored
// and what a client sends are folded alike.
func Fold(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
