package transparency

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof: a text is no proof, or it does not prove its entry.
var ErrProof = errors.New("not a proof of the entry")

const proofHeader = "c2sp.org/tlog-proof@v1\n"

// maxProof is the most hashes that a proof has: a tree has at most 2^63 entries.
const maxProof = 63

// Proof shows offline that an entry is in a log. Source: c2sp.org/tlog-proof.
type Proof struct {
	Index  int64
	Hashes tlog.RecordProof
	Signed []byte // the checkpoint with its signatures
}

// Encode returns the proof as a text.
func (p Proof) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%sindex %d\n", proofHeader, p.Index)
	for _, h := range p.Hashes {
		fmt.Fprintf(&b, "%s\n", h)
	}
	b.WriteByte('\n')
	b.Write(p.Signed)
	return b.Bytes()
}

// ParseProof reads a proof. It verifies nothing. A line of extra data is allowed and ignored.
func ParseProof(text []byte) (Proof, error) {
	rest, ok := bytes.CutPrefix(text, []byte(proofHeader))
	head, signed, found := bytes.Cut(rest, []byte("\n\n"))
	if !ok || !found {
		return Proof{}, fmt.Errorf("%w: it does not begin with %q, or has no checkpoint", ErrProof, proofHeader)
	}
	lines := strings.Split(string(head), "\n")
	if extra, has := strings.CutPrefix(lines[0], "extra "); has {
		if _, err := base64.StdEncoding.DecodeString(extra); err != nil {
			return Proof{}, fmt.Errorf("%w: the extra data are no base64", ErrProof)
		}
		lines = lines[1:]
	}
	p := Proof{Signed: signed}
	if len(lines) == 0 || len(lines) > 1+maxProof {
		return Proof{}, fmt.Errorf("%w: it has no index, or too many hashes", ErrProof)
	}
	number, has := strings.CutPrefix(lines[0], "index ")
	if p.Index, ok = decimal(number); !has || !ok {
		return Proof{}, fmt.Errorf("%w: want a line such as \"index 7\"", ErrProof)
	}
	for _, line := range lines[1:] {
		h, err := parseHash(line)
		if err != nil {
			return Proof{}, fmt.Errorf("%w: %w", ErrProof, err)
		}
		p.Hashes = append(p.Hashes, h)
	}
	return p, nil
}

// Check verifies that an entry is in the tree of a checkpoint. The checkpoint must have been
// verified.
func (p Proof) Check(entry []byte, c Checkpoint) error {
	if p.Index >= c.Size {
		return fmt.Errorf("%w: index %d is beyond the size of the log, %d", ErrProof, p.Index, c.Size)
	}
	if err := tlog.CheckRecord(p.Hashes, c.Size, c.Root, p.Index, tlog.RecordHash(entry)); err != nil {
		return fmt.Errorf("%w: its hashes do not lead to the root of the checkpoint", ErrProof)
	}
	return nil
}
