package accounts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
)

// A seal is a first line, which says that there is a last one, and a last line with the digest of all
// lines in between. A truncated file has only the first. Both are comments, so that the file stays
// YAML that older builds read.
//
// Line ends and the byte order mark are not sealed, because git may change them. With them the YAML
// library misplaces comments, so that an edit writes neither.
const (
	sealTop = "# mkt: sealed, see the last line."
	sealUse = " After a change by hand: mkt tenant validate --seal"
)

var sealEnd = regexp.MustCompile(`^# mkt: end of (\d{1,9}) accounts?, sha256 ([0-9a-f]{64})$`)

// Seal is the state of the seal of a file.
type Seal int

const (
	Unsealed Seal = iota // no seal: the file may be truncated
	Stale                // edited by hand since it was sealed
	Sealed               // as mkt wrote it, and complete
)

// sealing is a file split into its seal and the rest.
type sealing struct {
	body     []byte // without the lines of the seal, with \n as line ends
	seal     Seal
	cut      bool // has the first line of a seal but not the last
	open     bool // its last line, not of a seal, has no line end
	accounts int  // as in the seal
}

func unseal(data []byte) sealing {
	text := bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
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
			s.accounts, _ = strconv.Atoi(string(m[1])) // the pattern matched digits
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

// SealText returns a text with the seal of a file with that many accounts.
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

// SealedAccounts is the number of accounts when the file was last sealed, possibly before an edit by
// hand.
func (f *File) SealedAccounts() int { return f.sealedAccounts }
