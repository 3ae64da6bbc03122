package tenants

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
)

// A seal is a first line, which says that there is a last one, and a last line with
// the digest of all lines in between. A file that was cut off has the one without the
// other. Both are comments, so that the file stays YAML that older builds read.
//
// Line ends and the mark in front of the text are not sealed: git may change them.
const (
	sealTop = "# mkt: sealed, see the last line."
	sealUse = " After a change by hand: mkt tenant validate --seal"
)

var sealEnd = regexp.MustCompile(`^# mkt: end of (\d{1,9}) accounts?, sha256 ([0-9a-f]{64})$`)

// Seal is the state of the seal of a file.
type Seal int

// The states of a seal.
const (
	Unsealed Seal = iota // it has none: it may have been cut off
	Stale                // it has one, and was changed by hand since
	Sealed               // it is as mkt left it, and whole
)

// sealing is a text taken apart.
type sealing struct {
	body     []byte // without the lines of the seal, with plain line ends
	seal     Seal
	cut      bool // the first line of a seal without the last one
	open     bool // its last line, which is none of the seal, has no end
	accounts int  // as the seal has it
}

func unseal(data []byte) sealing {
	text := styleOf(data).strip(data)
	var s sealing
	var top, end, last bool
	var digest string
	s.body = make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		words := bytes.TrimRight(line, " \t\r\n")
		if bytes.HasPrefix(words, []byte(sealTop)) {
			top = true
			continue
		}
		if m := sealEnd.FindSubmatch(words); m != nil {
			end, last = true, true
			s.accounts, _ = strconv.Atoi(string(m[1])) // digits by the pattern
			digest = string(m[2])
			continue
		}
		last = last && len(words) == 0
		s.body = append(s.body, line...)
	}
	s.open = !last && len(text) > 0 && text[len(text)-1] != '\n'
	sum := sha256.Sum256(s.body)
	switch {
	case end && last && digest == hex.EncodeToString(sum[:]):
		s.seal = Sealed
	case end:
		s.seal = Stale
	default:
		s.cut = top
	}
	return s
}

// SealText returns a text with the seal of a file that has so many accounts.
func SealText(body []byte, accounts int) []byte {
	if len(body) > 0 && body[len(body)-1] != '\n' {
		body = append(bytes.Clone(body), '\n')
	}
	plural := "s"
	if accounts == 1 {
		plural = ""
	}
	out := append([]byte(sealTop+sealUse+"\n"), body...)
	return fmt.Appendf(out, "# mkt: end of %d account%s, sha256 %x\n", accounts, plural, sha256.Sum256(body))
}

// Seal returns the state of the seal of the file.
func (f *File) Seal() Seal { return f.seal }

// SealedAccounts is how many accounts the file had when it was sealed last, which may
// be before a change by hand.
func (f *File) SealedAccounts() int { return f.sealedAccounts }
