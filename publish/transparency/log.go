package transparency

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	logDir    = "log"
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
	// ErrDamaged: a file of the log is not as it was written.
	ErrDamaged = errors.New("damaged file of the transparency log")
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

// Log is a log that is written. One process has it at a time.
type Log struct {
	View
	root      durable.FS
	signer    note.Signer
	pseudonym []byte // key of the pseudonyms
	lock      io.Closer
}

// Key is the private key of a log, with the keys that are derived from it.
type Key struct {
	signer    note.Signer
	verifier  string
	pseudonym []byte
}

// ParseKey reads the private key of a log, as [NewKey] writes it.
func ParseKey(text []byte) (*Key, error) {
	line := strings.TrimSuffix(string(text), "\n")
	signer, err := note.NewSigner(line)
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	parts := strings.SplitN(line, "+", 5)
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey))
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	mac := hmac.New(sha256.New, seed[1:])
	mac.Write([]byte("mkt pseudonyms of datasets v1"))
	return &Key{signer, verifier, mac.Sum(nil)}, nil
}

// NewKey makes the private key of a log of a name, such as example.com/prices, from random bytes.
func NewKey(random io.Reader, name string) ([]byte, error) {
	if name == "" || strings.ContainsAny(name, " +\t\r\n") {
		return nil, fmt.Errorf("name of the log %q: want a name such as example.com/prices, without blanks and +", name)
	}
	key, _, err := note.GenerateKey(random, name)
	return []byte(key + "\n"), err
}

// VerifierKey is the public key of the log, as policies name it.
func (k *Key) VerifierKey() string { return k.verifier }

// Origin is the name of the log.
func (k *Key) Origin() string { return k.signer.Name() }

// Open opens the log below a data root for writing, and makes its folders. The error is
// durable.ErrLocked if another process writes it, and [ErrOtherKey] if it was begun with another key.
func Open(root durable.FS, key *Key) (*Log, error) {
	v, err := OpenView(root, key.verifier)
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAllSync(root, logDir, leavesDir); err != nil {
		return nil, err
	}
	lock, err := root.Lock(lockFile)
	if err != nil {
		return nil, err
	}
	l := &Log{View: *v, root: root, signer: key.signer, pseudonym: key.pseudonym, lock: lock}
	for _, name := range []string{checkpointFile, cosignedFile, witnessesFile} {
		if err == nil {
			err = durable.RemoveTempsOf(root, name) // of a run that was killed
		}
	}
	if err == nil {
		_, err = l.head()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return l, nil
}

// Close lets another process write the log.
func (l *Log) Close() error { return l.lock.Close() }

// head is Head with an empty log if there is none.
func (l *Log) head() (Signed, error) {
	head, err := l.Head()
	if errors.Is(err, ErrNoLog) {
		root, err := tlog.TreeHash(0, nil)
		return Signed{Checkpoint: Checkpoint{Origin: l.Origin(), Root: root}}, err
	}
	return head, err
}

// Append adds leaves and signs the new head, which is durable when it returns. Without records it
// returns the head as it is. The leaves get the newest cosigned checkpoint as their lower bound.
func (l *Log) Append(records []Record) (Signed, error) {
	head, err := l.head()
	if err != nil || len(records) == 0 {
		return head, err
	}
	after, err := l.cosigned()
	if err != nil {
		return head, err
	}
	sum := ""
	if after != nil {
		sum = durable.Hash(after)
	}
	entries := make([][]byte, len(records))
	for i := range records {
		dataset := Pseudonym(l.pseudonym, records[i].ClientID, records[i].Product)
		records[i].AfterSHA256, records[i].Dataset = sum, hex.EncodeToString(dataset[:])
		leaf, err := records[i].Leaf()
		if err != nil {
			return head, err
		}
		entries[i] = leaf.Entry()
	}
	next, err := l.writeTree(head.Checkpoint, entries)
	if err != nil {
		return head, err
	}
	if err := l.writeBundles(head.Size, entries); err != nil {
		return head, err
	}
	if err := l.writeRecords(head.Size, records, after); err != nil {
		return head, err
	}
	signed, err := note.Sign(&note.Note{Text: next.String()}, l.signer)
	if err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, checkpointFile, signed); err != nil {
		return head, err
	}
	l.removePartial(head.Size, next.Size)
	return OpenSigned(signed, l.verifier)
}

// writeTree writes the tiles of a tree with further entries, and returns its head.
func (l *Log) writeTree(before Checkpoint, entries [][]byte) (Checkpoint, error) {
	g := grown{l.hashes(before), map[int64]tlog.Hash{}}
	size := before.Size
	for _, e := range entries {
		hashes, err := tlog.StoredHashes(size, e, g)
		if err != nil {
			return before, fmt.Errorf("hashes of the log: %w", err)
		}
		first := tlog.StoredHashIndex(0, size)
		for i, h := range hashes {
			g.added[first+int64(i)] = h
		}
		size++
	}
	root, err := tlog.TreeHash(size, g)
	if err != nil {
		return before, fmt.Errorf("root of the log: %w", err)
	}
	for _, t := range tlog.NewTiles(tileHeight, before.Size, size) {
		data, err := tlog.ReadTileData(t, g)
		if err != nil {
			return before, fmt.Errorf("tile %s: %w", tilePath(t), err)
		}
		if err := put(l.root, logDir+"/"+tilePath(t), data); err != nil {
			return before, err
		}
	}
	return Checkpoint{Origin: before.Origin, Size: size, Root: root}, nil
}

// lowest returns the tiles of level 0 that change when a tree grows.
func lowest(before, after int64) (list []tlog.Tile) {
	for _, t := range tlog.NewTiles(tileHeight, before, after) {
		if t.L == 0 {
			list = append(list, t)
		}
	}
	return list
}

// writeBundles writes the bundles of further entries, from an index on.
func (l *Log) writeBundles(first int64, entries [][]byte) error {
	for _, t := range lowest(first, first+int64(len(entries))) {
		var all [][]byte
		if begin := t.N * tileWidth; begin < first {
			var err error
			if all, err = l.entries(tlog.Tile{H: tileHeight, N: t.N, W: int(first - begin)}); err != nil {
				return err
			}
		}
		have := t.N*tileWidth + int64(len(all)) - first
		all = append(all, entries[have:have+int64(t.W-len(all))]...)
		if err := put(l.root, logDir+"/"+bundlePath(t), bundle(all)); err != nil {
			return err
		}
	}
	return nil
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
func (v *View) cosigned() ([]byte, error) {
	data, err := durable.ReadFile(v.root, cosignedFile, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// addCosignatures adds signature lines, which were verified, to the head. Those of keys that the policy
// does not have are left out.
func (l *Log) addCosignatures(head Signed, lines []byte, p *Policy) (Signed, error) {
	known := []note.Verifier{l.verifier}
	for _, w := range p.Witnesses {
		known = append(known, w.Verifier)
	}
	all, err := note.Open(append(bytes.Clone(head.Note), lines...), note.VerifierList(known...))
	if err != nil {
		return head, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	all.UnverifiedSigs = nil
	signed, err := note.Sign(all)
	if err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, checkpointFile, signed); err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, cosignedFile, signed); err != nil {
		return head, err
	}
	return OpenSigned(signed, known...)
}

// removePartial deletes partial tiles that full ones have replaced, and partial files of leaves.
// Failures leave files that nobody reads.
func (l *Log) removePartial(before, after int64) {
	for _, t := range tlog.NewTiles(tileHeight, before, after) {
		if t.W < tileWidth {
			continue
		}
		_ = l.root.RemoveAll(logDir + "/" + tilePath(t) + ".p")
		if t.L == 0 {
			_ = l.root.RemoveAll(logDir + "/" + bundlePath(t) + ".p")
		}
	}
}

// records is a file of leaves: those of one tile of level 0.
type records struct {
	Format   int       `json:"format"` // 1
	First    int64     `json:"first"`
	Cosigned []string  `json:"cosigned,omitempty"` // checkpoints that the leaves name by their hashes
	Records  []*Record `json:"leaves"`
}

const recordsFormat = 1

func recordsPath(n int64) string {
	t := tlog.Tile{H: tileHeight, N: n, W: tileWidth}
	return leavesDir + "/" + strings.TrimPrefix(bundlePath(t), "tile/entries/") + ".json"
}

// writeRecords writes the leaves of further entries. A file of leaves grows until its tile is full:
// readers take no leaf beyond the head.
func (l *Log) writeRecords(first int64, list []Record, after []byte) error {
	for len(list) > 0 {
		number := first / tileWidth
		file := records{Format: recordsFormat, First: number * tileWidth}
		if first > file.First {
			old, err := l.records(number)
			if err != nil {
				return err
			}
			if int64(len(old.Records)) < first-file.First {
				return fmt.Errorf("%s: %w: it has %d leaves", recordsPath(number), ErrDamaged, len(old.Records))
			}
			file.Cosigned, file.Records = old.Cosigned, old.Records[:first-file.First]
		}
		n := min(int64(len(list)), file.First+tileWidth-first) // as many as the file still takes
		for i := range list[:n] {
			file.Records = append(file.Records, &list[i])
		}
		file.keepCosigned(string(after))
		data, err := layout.EncodeHeader(file)
		if err != nil {
			return err
		}
		if err := put(l.root, recordsPath(number), data); err != nil {
			return err
		}
		first, list = first+n, list[n:]
	}
	return nil
}

// keepCosigned has the checkpoints that the leaves name, and no other.
func (r *records) keepCosigned(newest string) {
	named, have := map[string]bool{}, map[string]bool{}
	for _, leaf := range r.Records {
		named[leaf.AfterSHA256] = true
	}
	var kept []string
	for _, text := range append(r.Cosigned, newest) {
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
