package reader

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldCase returns s in a form in which texts are equal if they differ only in case
// or in the encoding of their accents (Unicode full case folding). It is applied to
// stored values and to those that clients send.
func FoldCase(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
