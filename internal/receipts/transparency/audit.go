package transparency

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Audited is the result of [View.Audit].
type Audited struct {
	Entries int64 // that were read
	Leaves  bool  // the leaves could be read, and were compared with the entries
	Faults  []error
}

// maxFaults is how many faults an audit collects before it ends: a log in which everything is wrong
// needs no longer list.
const maxFaults = 100

// Audit reads every entry and every tile of a log up to its head, and compares the roots with the head
// and with older checkpoints of the same log. If the leaves are there, it compares each with its entry
// and calls leaf for it, in their order. The checkpoints must have been verified. An error of the disk
// ends it; damage and other histories are faults of the result.
func (v *View) Audit(head Checkpoint, older []Checkpoint, leaf func(index int64, r *Record)) (Audited, error) {
	a := audit{view: v, head: head, leaf: leaf, roots: map[int64][]Checkpoint{}, newest: map[string]*Record{}}
	for _, c := range append(older, head) {
		if c.Size > head.Size {
			a.fault("the log has %d entries, and a checkpoint of it has %d: entries were removed", head.Size, c.Size)
			continue
		}
		a.roots[c.Size] = append(a.roots[c.Size], c)
	}
	a.result.Leaves = v.hasLeaves()
	a.compareRoot(0)
	for n := int64(0); n*tileWidth < head.Size && a.result.Entries == n*tileWidth && len(a.result.Faults) < maxFaults; n++ {
		if err := a.tile(n); err != nil {
			return a.result, err
		}
	}
	if a.result.Entries == head.Size {
		a.lastTiles()
	}
	return a.result, nil
}

func (v *View) hasLeaves() bool {
	_, err := v.root.Stat(recordsPath(0))
	return err == nil
}

// audit computes the tree of a log again.
type audit struct {
	view   *View
	head   Checkpoint
	leaf   func(int64, *Record)
	roots  map[int64][]Checkpoint // to compare, by size
	newest map[string]*Record     // the last leaf of each pseudonym
	stack  []tlog.Hash            // roots of the complete subtrees so far, largest first
	levels [][]tlog.Hash          // the hashes of the last tile of each level
	result Audited
}

func (a *audit) fault(format string, args ...any) {
	a.result.Faults = append(a.result.Faults, fmt.Errorf(format, args...))
}

// check makes damage a fault, and returns any other error.
func (a *audit) check(err error) error {
	if errors.Is(err, ErrDamaged) {
		a.fault("%w", err)
		return nil
	}
	return err
}

// tile reads the entries of a tile of level 0, and their leaves. If the entries cannot be read, nothing
// after them can be compared.
func (a *audit) tile(n int64) error {
	t := tlog.Tile{H: tileHeight, N: n, W: int(min(tileWidth, a.head.Size-n*tileWidth))}
	entries, err := a.view.entries(t)
	if err != nil {
		return a.check(fmt.Errorf("entries from %d on: %w", n*tileWidth, err))
	}
	var file records
	if a.result.Leaves {
		file, err = a.view.recordsUpTo(a.head.Size, n)
		if err := a.check(err); err != nil {
			return err
		}
	}
	for i, entry := range entries {
		if i < len(file.Records) {
			a.compareLeaf(n*tileWidth+int64(i), file.Records[i], entry)
		}
		if err := a.add(entry); err != nil {
			return err
		}
	}
	return nil
}

// compareLeaf compares a leaf with its entry, and with the leaf before of its dataset.
func (a *audit) compareLeaf(index int64, r *Record, entry []byte) {
	l, err := r.Leaf()
	switch {
	case err != nil:
		a.fault("leaf %d: %w: %w", index, ErrDamaged, err)
	case !bytes.Equal(l.Entry(), entry):
		a.fault("leaf %d, version %d of %s %s: it is not the entry of the log", index, r.Version, r.ClientID, r.Product)
	}
	before := a.newest[r.Dataset]
	if before == nil {
		before = &Record{ClientID: r.ClientID, Product: r.Product}
	}
	if before.ClientID != r.ClientID || before.Product != r.Product {
		a.fault("leaf %d: %s %s has the pseudonym of %s %s", index, r.ClientID, r.Product, before.ClientID, before.Product)
	}
	if r.PreviousVersion != before.Version || r.PreviousSHA256 != before.CommitSHA256 {
		a.fault("leaf %d, version %d of %s %s: it names version %d as the one before it, and that leaf has %d: its history was rewritten", index, r.Version, r.ClientID, r.Product, r.PreviousVersion, before.Version)
	}
	a.newest[r.Dataset] = r
	a.leaf(index, r)
}

// add adds an entry to the tree.
func (a *audit) add(entry []byte) error {
	h := tlog.RecordHash(entry)
	a.stack = append(a.stack, h)
	for n := a.result.Entries; n&1 == 1; n >>= 1 { // two complete subtrees of one size are one
		last := len(a.stack) - 1
		a.stack = append(a.stack[:last-1], tlog.NodeHash(a.stack[last-1], a.stack[last]))
	}
	a.result.Entries++
	a.compareRoot(a.result.Entries)
	return a.addToTiles(0, h)
}

// addToTiles adds a hash to the last tile of a level. A full tile is compared with its file, and its
// root is a hash of the level above.
func (a *audit) addToTiles(level int, h tlog.Hash) error {
	if level == len(a.levels) {
		a.levels = append(a.levels, nil)
	}
	a.levels[level] = append(a.levels[level], h)
	if len(a.levels[level]) < tileWidth {
		return nil
	}
	if err := a.compareTile(level); err != nil {
		return err
	}
	row := append([]tlog.Hash(nil), a.levels[level]...)
	for ; len(row) > 1; row = row[:len(row)/2] {
		for i := range len(row) / 2 {
			row[i] = tlog.NodeHash(row[2*i], row[2*i+1])
		}
	}
	a.levels[level] = a.levels[level][:0]
	return a.addToTiles(level+1, row[0])
}

// compareTile compares the hashes of the last tile of a level with its file.
func (a *audit) compareTile(level int) error {
	hashes := a.levels[level]
	number := (a.result.Entries>>(tileHeight*level) - 1) / tileWidth
	t := tlog.Tile{H: tileHeight, L: level, N: number, W: len(hashes)}
	data, err := tiles{a.view.root}.read(t)
	if err != nil {
		return a.check(err)
	}
	for i, h := range hashes {
		if !bytes.Equal(data[i*tlog.HashSize:(i+1)*tlog.HashSize], h[:]) {
			a.fault("%s: %w: hash %d is not that of the entries", tilePath(t), ErrDamaged, i)
			return nil
		}
	}
	return nil
}

// lastTiles compares the partial tiles at the end.
func (a *audit) lastTiles() {
	for level, hashes := range a.levels {
		if len(hashes) == 0 {
			continue
		}
		if err := a.compareTile(level); err != nil {
			a.fault("%w", err)
		}
	}
}

// compareRoot compares the root of the tree so far with the checkpoints of its size.
func (a *audit) compareRoot(size int64) {
	list := a.roots[size]
	if len(list) == 0 {
		return
	}
	root, _ := tlog.TreeHash(0, nil) // never fails
	if n := len(a.stack); n > 0 {
		root = a.stack[n-1]
		for i := n - 2; i >= 0; i-- {
			root = tlog.NodeHash(a.stack[i], root)
		}
	}
	for _, c := range list {
		switch {
		case c.Root == root:
		case c == a.head:
			a.fault("the entries do not lead to the root of the log's checkpoint, of size %d: %w", c.Size, ErrDamaged)
		default:
			a.fault("the first %d entries are not those of a checkpoint that the log has signed: its history was rewritten", c.Size)
		}
	}
}

// ShownLeaf is a leaf that somebody has a receipt for.
type ShownLeaf struct {
	Index int64
	Leaf  Leaf
}

// AuditShown compares leaves from receipts with the entries of the log, and those of a dataset with each other: no two of
// them may cover a publication of one number.
func (v *View) AuditShown(head Checkpoint, list []ShownLeaf) (faults []error, err error) {
	list = slices.SortedFunc(slices.Values(list), func(a, b ShownLeaf) int { return cmp.Compare(a.Index, b.Index) })
	newest := map[[32]byte]ShownLeaf{}
	for _, s := range list {
		if s.Index >= head.Size {
			faults = append(faults, fmt.Errorf("leaf %d of a receipt: the log has only %d entries", s.Index, head.Size))
			continue
		}
		n := s.Index / tileWidth
		entries, err := v.entries(tlog.Tile{H: tileHeight, N: n, W: int(min(tileWidth, head.Size-n*tileWidth))})
		if err != nil {
			return faults, err
		}
		if !bytes.Equal(entries[s.Index%tileWidth], s.Leaf.Entry()) {
			faults = append(faults, fmt.Errorf("leaf %d of a receipt: it is not the entry of the log", s.Index))
			continue
		}
		before, known := newest[s.Leaf.Dataset]
		newest[s.Leaf.Dataset] = s
		from := s.Leaf.Previous
		if known && before.Index < s.Index && (from.Version < before.Leaf.Version || from.Version == before.Leaf.Version && from.Commit != before.Leaf.Commit) {
			faults = append(faults, fmt.Errorf("leaves %d and %d of the dataset %x contradict each other: one has its publication %d, and the other does not follow it: its history was rewritten",
				before.Index, s.Index, s.Leaf.Dataset, before.Leaf.Version))
		}
	}
	return faults, nil
}

// Open reads a signed checkpoint of the log. The error is [ErrCheckpoint] if it is none, or another
// log's.
func (v *View) Open(signed []byte) (Signed, error) { return OpenSigned(signed, v.verifier) }
