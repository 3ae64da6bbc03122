package transparency

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Extension is a step in the growth of a log: the leaves of one head which the head before it does not have.
// They are of one tile. From the extensions of a log every machine makes the same files.
type Extension struct {
	Format     int       `json:"format"` // 2
	From       int64     `json:"from"`   // size of the log before it
	Checkpoint string    `json:"checkpoint"`
	Cosigned   []string  `json:"cosigned,omitempty"` // checkpoints that the leaves name by their hashes
	Leaves     []*Record `json:"leaves"`
}

// extensionFormat is 2 since a leaf names the one before it.
const extensionFormat = 2

// ErrNotNext: an extension does not continue the log.
var ErrNotNext = errors.New("it does not continue the transparency log of this data root")

// untilFull is the number of leaves that the last tile of a log still takes.
func untilFull(size int64) int { return int(tileWidth - size%tileWidth) }

// TileOf returns the number of the tile that begins at a size of a log; ok is false if none begins there.
func TileOf(size int64) (n int64, ok bool) { return size / tileWidth, size%tileWidth == 0 }

// TileStart returns the size of a log at which the tile of its last entry begins.
func TileStart(size int64) int64 { return max(0, size-1) / tileWidth * tileWidth }

// TileEnd returns the size of a log at which the tile that takes its next entry ends.
func TileEnd(size int64) int64 { return size + int64(untilFull(size)) }

func (e *Extension) encode() ([]byte, error) { return layout.EncodeHeader(e) }

// entries returns the entries of the leaves.
func (e *Extension) entries() ([][]byte, error) {
	all := make([][]byte, len(e.Leaves))
	for i, r := range e.Leaves {
		leaf, err := r.Leaf()
		if err != nil {
			return nil, err
		}
		all[i] = leaf.Entry()
	}
	return all, nil
}

// ReadExtension reads an extension and its checkpoint, which the log must have signed. The error is [ErrOtherKey]
// if another key has, and [ErrDamaged] for anything else. Whether it continues a log is for [Copy.Apply].
func (v *View) ReadExtension(data []byte) (*Extension, Signed, error) {
	var e Extension
	if err := layout.DecodeHeader("extension of the log", data, extensionFormat, &e); err != nil {
		return nil, Signed{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	head, err := OpenSigned([]byte(e.Checkpoint), v.verifier)
	if errors.As(err, new(*note.UnverifiedNoteError)) {
		return nil, head, ErrOtherKey
	}
	if err != nil {
		return nil, head, fmt.Errorf("extension of the log: %w: %w", ErrDamaged, err)
	}
	n := int64(len(e.Leaves))
	if e.From < 0 || n == 0 || n > int64(untilFull(e.From)) || slices.Contains(e.Leaves, nil) || head.Origin != v.Origin() || head.Size != e.From+n {
		return nil, head, fmt.Errorf("extension of the log: %w: its leaves are not those of its checkpoint", ErrDamaged)
	}
	return &e, head, nil
}

// Apply adds an extension that another machine has committed, and returns the new head. The error is
// [ErrNotNext] if it does not continue the log, and [ErrDamaged] if it is no extension of it.
func (c *Copy) Apply(data []byte) (Signed, error) {
	head, err := c.head()
	if err != nil {
		return head, err
	}
	e, next, err := c.ReadExtension(data)
	if err != nil {
		return head, err
	}
	if e.From != head.Size {
		return head, fmt.Errorf("%w: it follows entry %d, and the log has %d", ErrNotNext, e.From, head.Size)
	}
	entries, err := e.entries()
	if err != nil {
		return head, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	grown, hashes, err := c.tree(head.Checkpoint, entries)
	if err != nil {
		return head, err
	}
	if grown.Root != next.Root {
		return head, fmt.Errorf("%w: with it the log has another root than its signed head", ErrNotNext)
	}
	if err := c.writeFiles(e, entries, next.Size, hashes); err != nil {
		return head, err
	}
	return c.commit(head.Size, []byte(e.Checkpoint))
}

// Extension returns the extension with all leaves from a size on, to the end of the tile or of the log. Its
// bytes depend on the leaves alone.
func (l *Log) Extension(from int64) ([]byte, error) {
	head, err := l.head()
	if err != nil {
		return nil, err
	}
	to := min(head.Size, TileEnd(from))
	if from < 0 || from >= to {
		return nil, fmt.Errorf("extension of the log: nothing follows entry %d of %d", from, head.Size)
	}
	file, err := l.recordsUpTo(head.Size, from/tileWidth)
	if err != nil {
		return nil, err
	}
	file.Records = file.Records[from-file.First : to-file.First]
	file.keepCosigned(nil)
	end, err := l.At(to)
	if err != nil {
		return nil, err
	}
	signed, err := l.sign(end)
	if err != nil {
		return nil, err
	}
	e := Extension{Format: extensionFormat, From: from, Checkpoint: string(signed), Cosigned: file.Cosigned, Leaves: file.Records}
	return e.encode()
}

// At returns the checkpoint that the log had at a size.
func (v *View) At(size int64) (Checkpoint, error) {
	head, err := v.Head()
	if err != nil {
		return Checkpoint{}, err
	}
	root, err := tlog.TreeHash(size, v.hashes(head.Checkpoint))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("root of the log at size %d: %w", size, err)
	}
	return Checkpoint{Origin: v.Origin(), Size: size, Root: root}, nil
}

// AddCosigned keeps a cosigned checkpoint that came to another machine, unless the one here is of a larger
// log. It leaves out one that is no checkpoint of this log, or of a larger one. The error is [ErrFork] if it is of
// another history. The cosignatures are verified where they are used.
func (c *Copy) AddCosigned(text []byte) error {
	head, err := c.head()
	if err != nil {
		return err
	}
	own, err := c.cosigned()
	if err != nil {
		return err
	}
	s, err := OpenSigned(text, c.verifier)
	if err != nil || s.Size == 0 || s.Size > head.Size {
		return nil
	}
	if have, err := OpenSigned(own, c.verifier); err == nil && (have.Size > s.Size || string(own) == string(text)) {
		return nil
	}
	then, err := c.At(s.Size)
	if err != nil {
		return err
	}
	if then.Root != s.Root {
		return ErrFork
	}
	if s.Size == head.Size {
		if err := durable.Overwrite(c.root, checkpointFile, text); err != nil {
			return err
		}
	}
	return durable.Overwrite(c.root, cosignedFile, text)
}
