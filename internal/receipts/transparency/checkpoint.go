package transparency

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ErrCheckpoint: a text is no checkpoint of a log, or nobody trusted has signed it.
var ErrCheckpoint = errors.New("not a checkpoint")

// Checkpoint is the head of a log: the number of its entries, and the root of the Merkle tree over
// them. Source: c2sp.org/tlog-checkpoint.
type Checkpoint struct {
	Origin string // identifies the log
	Size   int64
	Root   tlog.Hash
	Extra  string // further lines, each with its end; "" in checkpoints of this package
}

// String returns the text that is signed.
func (c Checkpoint) String() string {
	return fmt.Sprintf("%s\n%d\n%s\n%s", c.Origin, c.Size, c.Root, c.Extra)
}

// ParseCheckpoint reads the text of a checkpoint, without signatures.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.SplitAfterN(text, "\n", 4)
	if len(lines) < 4 {
		return Checkpoint{}, fmt.Errorf("%w: fewer than three lines", ErrCheckpoint)
	}
	origin, size, root := lines[0][:len(lines[0])-1], lines[1][:len(lines[1])-1], lines[2][:len(lines[2])-1]
	n, ok := decimal(size)
	switch {
	case origin == "":
		return Checkpoint{}, fmt.Errorf("%w: its origin is empty", ErrCheckpoint)
	case !ok:
		return Checkpoint{}, fmt.Errorf("%w: the size %q is no decimal number", ErrCheckpoint, size)
	case strings.HasPrefix(lines[3], "\n") || strings.Contains(lines[3], "\n\n"):
		return Checkpoint{}, fmt.Errorf("%w: an extension line is empty", ErrCheckpoint)
	case lines[3] != "" && !strings.HasSuffix(lines[3], "\n"):
		return Checkpoint{}, fmt.Errorf("%w: the last line has no end", ErrCheckpoint)
	}
	hash, err := parseHash(root)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: root: %w", ErrCheckpoint, err)
	}
	return Checkpoint{Origin: origin, Size: n, Root: hash, Extra: lines[3]}, nil
}

// decimal reads a number of ASCII digits without leading zeros.
func decimal(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == s
}

// parseHash reads a hash in base64. Only the one spelling that an encoder makes is accepted.
func parseHash(s string) (h tlog.Hash, err error) {
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(data) != len(h) {
		return h, fmt.Errorf("%q is not the base64 of 32 bytes", s)
	}
	return tlog.Hash(data), nil
}

// Signed is a checkpoint with the signatures that were verified.
type Signed struct {
	Checkpoint
	Note       []byte // the checkpoint with all its signatures, as it came
	Signatures []note.Signature
}

// OpenSigned reads a signed checkpoint. One of the verifiers must have signed it, and no signature
// of theirs may be wrong; those of other keys are ignored. At least one valid signature has the
// origin's name, so that a witness cannot make a checkpoint alone.
func OpenSigned(signed []byte, known ...note.Verifier) (Signed, error) {
	n, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return Signed{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, err := ParseCheckpoint(n.Text)
	if err != nil {
		return Signed{}, err
	}
	for _, s := range n.Sigs {
		if s.Name == c.Origin {
			return Signed{Checkpoint: c, Note: signed, Signatures: n.Sigs}, nil
		}
	}
	return Signed{}, fmt.Errorf("%w: %s has not signed it", ErrCheckpoint, c.Origin)
}
