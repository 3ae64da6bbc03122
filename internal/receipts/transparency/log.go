package transparency

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Log is a log to which leaves are added, by one process at a time.
type Log struct {
	View
	root      durable.FS
	lock      io.Closer
	signer    note.Signer
	pseudonym []byte // key of the pseudonyms
}

// Open opens the log below a data root for writing, and creates its folders. The error is
// durable.ErrLocked if another process writes it, and [ErrOtherKey] if it was begun with another key.
func Open(root durable.FS, key *Key) (*Log, error) {
	v, err := note.NewVerifier(key.verifier)
	if err != nil {
		return nil, fmt.Errorf("verifier key of the log: %w", err)
	}
	if err := durable.MkdirAllSync(root, logDir, leavesDir); err != nil {
		return nil, err
	}
	lock, err := root.Lock(lockFile)
	if err != nil {
		return nil, err
	}
	l := &Log{*NewView(root, v), root, lock, key.signer, key.pseudonym}
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
	logged, err := l.newest(head.Checkpoint)
	if err != nil {
		return head, err
	}
	var leaves []*Record
	var entries [][]byte
	for i := range records {
		r := &records[i]
		dataset := Pseudonym(l.pseudonym, r.ClientID, r.Product, r.HistoryID)
		r.AfterSHA256, r.Dataset = sum, hex.EncodeToString(dataset[:])
		if last := logged.of(r); last.HistoryID == r.HistoryID {
			r.PreviousVersion, r.PreviousSHA256 = last.Version, last.CommitSHA256
		}
		leaf, err := r.Leaf()
		if err != nil {
			return head, err
		}
		logged.add(r, head.Size+int64(i))
		leaves, entries = append(leaves, r), append(entries, leaf.Entry())
	}
	next, hashes, err := l.tree(head.Checkpoint, entries)
	if err != nil {
		return head, err
	}
	if err := l.writeTree(head.Size, next.Size, hashes); err != nil {
		return head, err
	}
	if err := l.writeBundles(head.Size, entries); err != nil {
		return head, err
	}
	if err := l.writeRecords(head.Size, leaves, string(after)); err != nil {
		return head, err
	}
	signed, err := note.Sign(&note.Note{Text: next.String()}, l.signer)
	if err != nil {
		return head, err
	}
	return l.commit(head.Size, signed)
}

// head is Head with an empty log if there is none.
func (l *Log) head() (Signed, error) {
	head, err := l.Head()
	if errors.Is(err, ErrNoLog) {
		root, err := tlog.TreeHash(0, nil)
		return Signed{Checkpoint: Checkpoint{Origin: l.Origin(), Root: root}}, err
	}
	return head, err
}

// commit makes a signed checkpoint the head, and returns it.
func (l *Log) commit(before int64, signed []byte) (Signed, error) {
	head, err := OpenSigned(signed, l.verifier)
	if err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, checkpointFile, signed); err != nil {
		return head, err
	}
	l.removePartial(before, head.Size)
	return head, nil
}

// tree returns the head of a tree with further entries, and its hashes.
func (l *Log) tree(before Checkpoint, entries [][]byte) (Checkpoint, grown, error) {
	g := grown{l.hashes(before), map[int64]tlog.Hash{}}
	size := before.Size
	for _, e := range entries {
		hashes, err := tlog.StoredHashes(size, e, g)
		if err != nil {
			return before, g, fmt.Errorf("hashes of the log: %w", err)
		}
		first := tlog.StoredHashIndex(0, size)
		for i, h := range hashes {
			g.added[first+int64(i)] = h
		}
		size++
	}
	root, err := tlog.TreeHash(size, g)
	if err != nil {
		return before, g, fmt.Errorf("root of the log: %w", err)
	}
	return Checkpoint{Origin: before.Origin, Size: size, Root: root}, g, nil
}

// writeTree writes the tiles by which a tree has grown.
func (l *Log) writeTree(before, after int64, hashes tlog.HashReader) error {
	for _, t := range tlog.NewTiles(tileHeight, before, after) {
		data, err := tlog.ReadTileData(t, hashes)
		if err != nil {
			return fmt.Errorf("tile %s: %w", tilePath(t), err)
		}
		if err := put(l.root, logDir+"/"+tilePath(t), data); err != nil {
			return err
		}
	}
	return nil
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

// writeRecords writes the leaves of further entries, and the checkpoint which they name. A file of leaves
// grows until its tile is full: readers take no leaf beyond the head.
func (l *Log) writeRecords(first int64, list []*Record, cosigned string) error {
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
		file.Records = append(file.Records, list[:n]...)
		file.keepCosigned(cosigned)
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
