package transparency

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Folders of the log and of its leaves, below the data root.
const (
	leavesDir = "leaves"

	checkpointFile = logDir + "/checkpoint"
	cosignedFile   = leavesDir + "/cosigned"
	lockFile       = leavesDir + "/lock"
)

// maxNote bounds a checkpoint with its signatures, and maxRecords a file of leaves.
const (
	maxNote    = 1 << 20
	maxRecords = 16 << 20
)

// Errors of a log.
var (
	// ErrNoLog: the data root has no log yet.
	ErrNoLog = errors.New("the data root has no transparency log")
	// ErrOtherKey: the log was begun with another key.
	ErrOtherKey = errors.New("the transparency log was begun with another key")
)

// View reads a log. It needs no key, only the verifier key of the log.
type View struct {
	root     durable.ReadFS
	verifier note.Verifier
}

// OpenView opens the log below a data root for reading.
func OpenView(root durable.ReadFS, verifierKey string) (*View, error) {
	v, err := note.NewVerifier(verifierKey)
	if err != nil {
		return nil, fmt.Errorf("verifier key of the log: %w", err)
	}
	return NewView(root, v), nil
}

// NewView is OpenView with the verifier of the log.
func NewView(root durable.ReadFS, v note.Verifier) *View { return &View{root, v} }

// Origin identifies the log.
func (v *View) Origin() string { return v.verifier.Name() }

// Written returns when the head of a data root's log was last written, by the clock of the machine: a
// head is written when it is signed, and again with its cosignatures. found is false if there is no log.
func Written(root durable.ReadFS) (at time.Time, found bool, err error) {
	info, err := root.Stat(checkpointFile)
	if errors.Is(err, fs.ErrNotExist) {
		return at, false, nil
	}
	if err != nil {
		return at, false, err
	}
	return info.ModTime().UTC(), true, nil
}

// Head reads the head of the log. The error is [ErrNoLog] if there is none.
func (v *View) Head() (Signed, error) {
	data, err := durable.ReadFile(v.root, checkpointFile, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return Signed{}, ErrNoLog
	}
	if err != nil {
		return Signed{}, err
	}
	head, err := OpenSigned(data, v.verifier)
	if errors.As(err, new(*note.UnverifiedNoteError)) {
		return Signed{}, fmt.Errorf("%s: %w", checkpointFile, ErrOtherKey)
	}
	if err != nil {
		return Signed{}, fmt.Errorf("%s: %w: %w", checkpointFile, ErrDamaged, err)
	}
	return head, nil
}

// hashes reads the hashes of the tree of a checkpoint, verified by its root.
func (v *View) hashes(c Checkpoint) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: c.Size, Hash: c.Root}, tiles{v.root})
}

// Consistency returns the proof that the tree of a checkpoint begins with an older one of a size.
func (v *View) Consistency(size int64, c Checkpoint) (tlog.TreeProof, error) {
	if size == 0 || size == c.Size {
		return nil, nil
	}
	if size < 0 || size > c.Size {
		return nil, fmt.Errorf("consistency of sizes %d and %d: the older one is larger", size, c.Size)
	}
	p, err := tlog.ProveTree(c.Size, size, v.hashes(c))
	if err != nil {
		return nil, fmt.Errorf("consistency of sizes %d and %d: %w", size, c.Size, err)
	}
	return p, nil
}

// Prove returns the proof that the log has the entry of an index under a checkpoint, which is head or
// an older one.
func (v *View) Prove(index int64, under, head Signed) (Proof, error) {
	if index < 0 || index >= under.Size || under.Size > head.Size {
		return Proof{}, fmt.Errorf("entry %d: the log has %d of %d", index, under.Size, head.Size)
	}
	hashes, err := tlog.ProveRecord(under.Size, index, v.hashes(head.Checkpoint))
	if err != nil {
		return Proof{}, fmt.Errorf("entry %d: %w", index, err)
	}
	return Proof{Index: index, Hashes: hashes, Signed: under.Note}, nil
}

// entries reads the entries of a tile of level 0. They are not verified.
func (v *View) entries(t tlog.Tile) ([][]byte, error) {
	data, err := readFullOr(v.root, bundlePath(t), t, bundledBytes)
	if err != nil {
		return nil, err
	}
	return splitBundle(data)
}

// cosigned returns the newest cosigned checkpoint with its signatures; nil if there is none.
func (v *View) cosigned() ([]byte, error) { return readIfThere(v.root, cosignedFile) }

// readIfThere reads a small file; nil if there is none.
func readIfThere(f durable.ReadFS, name string) ([]byte, error) {
	data, err := durable.ReadFile(f, name, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// records is a file of leaves: those of one tile of level 0.
type records struct {
	Format   int       `json:"format"` // 2
	First    int64     `json:"first"`
	Cosigned []string  `json:"cosigned,omitempty"` // checkpoints that the leaves name by their hashes
	Records  []*Record `json:"leaves"`
}

// recordsFormat is 2 since a leaf names the one before it.
const recordsFormat = 2

func recordsPath(n int64) string {
	t := tlog.Tile{H: tileHeight, N: n, W: tileWidth}
	return leavesDir + "/" + strings.TrimPrefix(bundlePath(t), "tile/entries/") + ".json"
}

// keepCosigned keeps the checkpoints that the leaves name, with a further one, and no other.
func (r *records) keepCosigned(further string) {
	named, have := map[string]bool{}, map[string]bool{}
	for _, leaf := range r.Records {
		named[leaf.AfterSHA256] = true
	}
	var kept []string
	for _, text := range append(r.Cosigned, further) {
		if sum := durable.Hash([]byte(text)); text != "" && named[sum] && !have[sum] {
			have[sum] = true
			kept = append(kept, text)
		}
	}
	r.Cosigned = kept
}

// records reads a file of leaves.
func (v *View) records(n int64) (r records, err error) {
	data, err := durable.ReadFile(v.root, recordsPath(n), maxRecords)
	if err != nil {
		return r, err
	}
	if err := layout.DecodeHeader(recordsPath(n), data, recordsFormat, &r); err != nil {
		return records{}, fmt.Errorf("%s: %w: %w", recordsPath(n), ErrDamaged, err)
	}
	if r.First != n*tileWidth || len(r.Records) > tileWidth || slices.Contains(r.Records, nil) {
		return records{}, fmt.Errorf("%s: %w: not the leaves of its name", recordsPath(n), ErrDamaged)
	}
	return r, nil
}

// recordsUpTo reads a file of leaves, which must have all of its leaves under a head of a size.
func (v *View) recordsUpTo(size, n int64) (records, error) {
	r, err := v.records(n)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w: it is missing", recordsPath(n), ErrDamaged)
	}
	if err == nil && int64(len(r.Records)) < min(tileWidth, size-r.First) {
		err = fmt.Errorf("%s: %w: it has %d leaves", recordsPath(n), ErrDamaged, len(r.Records))
	}
	return r, err
}
