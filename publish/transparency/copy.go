package transparency

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Copy is a log whose files are written, by one process at a time. It grows by the extensions of other
// machines (see [Copy.Apply]), and needs no private key.
type Copy struct {
	View
	root durable.FS
	lock io.Closer
}

// OpenCopy opens the log below a data root for writing, and makes its folders. The error is
// durable.ErrLocked if another process writes it, and [ErrOtherKey] if it was begun with another key.
func OpenCopy(root durable.FS, v note.Verifier) (*Copy, error) {
	if err := durable.MkdirAllSync(root, logDir, leavesDir); err != nil {
		return nil, err
	}
	lock, err := root.Lock(lockFile)
	if err != nil {
		return nil, err
	}
	c := &Copy{*NewView(root, v), root, lock}
	for _, name := range []string{checkpointFile, cosignedFile, witnessesFile} {
		if err == nil {
			err = durable.RemoveTempsOf(root, name) // of a run that was killed
		}
	}
	if err == nil {
		_, err = c.head()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return c, nil
}

// Close lets another process write the log.
func (c *Copy) Close() error { return c.lock.Close() }

// head is Head with an empty log if there is none.
func (c *Copy) head() (Signed, error) {
	head, err := c.Head()
	if errors.Is(err, ErrNoLog) {
		root, err := tlog.TreeHash(0, nil)
		return Signed{Checkpoint: Checkpoint{Origin: c.Origin(), Root: root}}, err
	}
	return head, err
}

// Size is the number of entries of the log.
func (c *Copy) Size() (int64, error) {
	head, err := c.head()
	return head.Size, err
}

// writeFiles writes the leaves of an extension, and everything that a head over them covers.
func (c *Copy) writeFiles(e *Extension, entries [][]byte, after int64, hashes tlog.HashReader) error {
	if err := c.writeTree(e.From, after, hashes); err != nil {
		return err
	}
	if err := c.writeBundles(e.From, entries); err != nil {
		return err
	}
	return c.writeRecords(e.From, e.Leaves, e.Cosigned)
}

// commit makes a signed checkpoint the head, and returns it.
func (c *Copy) commit(before int64, signed []byte) (Signed, error) {
	head, err := OpenSigned(signed, c.verifier)
	if err != nil {
		return head, err
	}
	if err := durable.Overwrite(c.root, checkpointFile, signed); err != nil {
		return head, err
	}
	c.removePartial(before, head.Size)
	return head, nil
}

// tree returns the head of a tree with further entries, and its hashes.
func (c *Copy) tree(before Checkpoint, entries [][]byte) (Checkpoint, grown, error) {
	g := grown{c.hashes(before), map[int64]tlog.Hash{}}
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
func (c *Copy) writeTree(before, after int64, hashes tlog.HashReader) error {
	for _, t := range tlog.NewTiles(tileHeight, before, after) {
		data, err := tlog.ReadTileData(t, hashes)
		if err != nil {
			return fmt.Errorf("tile %s: %w", tilePath(t), err)
		}
		if err := put(c.root, logDir+"/"+tilePath(t), data); err != nil {
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
func (c *Copy) writeBundles(first int64, entries [][]byte) error {
	for _, t := range lowest(first, first+int64(len(entries))) {
		var all [][]byte
		if begin := t.N * tileWidth; begin < first {
			var err error
			if all, err = c.entries(tlog.Tile{H: tileHeight, N: t.N, W: int(first - begin)}); err != nil {
				return err
			}
		}
		have := t.N*tileWidth + int64(len(all)) - first
		all = append(all, entries[have:have+int64(t.W-len(all))]...)
		if err := put(c.root, logDir+"/"+bundlePath(t), bundle(all)); err != nil {
			return err
		}
	}
	return nil
}

// removePartial deletes partial tiles that full ones have replaced, and partial files of leaves.
// Failures leave files that nobody reads.
func (c *Copy) removePartial(before, after int64) {
	for _, t := range tlog.NewTiles(tileHeight, before, after) {
		if t.W < tileWidth {
			continue
		}
		_ = c.root.RemoveAll(logDir + "/" + tilePath(t) + ".p")
		if t.L == 0 {
			_ = c.root.RemoveAll(logDir + "/" + bundlePath(t) + ".p")
		}
	}
}

// writeRecords writes the leaves of further entries, and the checkpoints which they name. A file of leaves
// grows until its tile is full: readers take no leaf beyond the head.
func (c *Copy) writeRecords(first int64, list []*Record, cosigned []string) error {
	for len(list) > 0 {
		number := first / tileWidth
		file := records{Format: recordsFormat, First: number * tileWidth}
		if first > file.First {
			old, err := c.records(number)
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
		if err := put(c.root, recordsPath(number), data); err != nil {
			return err
		}
		first, list = first+n, list[n:]
	}
	return nil
}
