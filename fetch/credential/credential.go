// Package credential seals an account's provider credential, opens a sealed one, and
// carries it through a run as a Secret that prints as a mask.
//
// A sealed text names its account and provider, so it is refused in another
// account's entry. Sealing needs a Recipient only, which is public; opening needs the
// Identity, which is the file seal.key. Fetch is the only stage that opens; serve and
// transform never import this package.
//
// The white space around a pasted credential is removed. Control and invisible
// characters inside it are refused, because no provider issues them and a bad paste
// leaves them.
package credential

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLength is how many bytes a credential may have.
const MaxLength = 4096

// ErrEmpty means the credential is empty.
var ErrEmpty = errors.New("credential is empty")

// Clean returns a pasted credential as it will be used.
func Clean(pasted []byte) (string, error) {
	s := strings.TrimSpace(string(pasted))
	switch {
	case s == "":
		return "", ErrEmpty
	case len(s) > MaxLength:
		return "", fmt.Errorf("credential has %d bytes: at most %d are allowed", len(s), MaxLength)
	case !utf8.ValidString(s):
		return "", errors.New("credential is not text: it has to be UTF-8")
	}
	for at, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r != ' ' && unicode.IsSpace(r) {
			return "", fmt.Errorf("credential has an invisible character (U+%04X) at byte %d: paste it again as one line", r, at+1)
		}
	}
	return s, nil
}

// hintFrom is the length from which a credential shows its last characters.
const hintFrom = 12

// Hint returns the part of a credential that may be shown: its last 4 characters behind a
// mask of fixed length, or only the mask if it is shorter than 12 characters.
func Hint(secret string) string {
	const mask = "****"
	runes := []rune(secret)
	if len(runes) < hintFrom {
		return mask
	}
	return mask + string(runes[len(runes)-4:])
}
