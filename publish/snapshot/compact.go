package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// CompactCommits replaces the commit records before a version by a few files, each with
// [layout.PackedCommits] of them byte for byte; [ReadCommit] finds them there. It begins where
// the last run ended, and returns the number of compacted records. Only the holder of the lock
// may call it. It may be killed at any point.
func CompactCommits(f durable.FS, before uint64) (compacted int, err error) {
	if before <= layout.PackedCommits {
		return 0, nil
	}
	first, err := First(f)
	if err != nil {
		return 0, err
	}
	oldest := (first + layout.PackedCommits - 2) / layout.PackedCommits // number of the oldest file with all its records here, from 0
	newest := (before-1)/layout.PackedCommits - 1                       // number of the newest file wholly before it
	if newest < oldest {
		return 0, nil
	}
	from := newest
	for {
		name, _, last := layout.CommitPack(from*layout.PackedCommits + 1)
		done, err := isCompacted(f, name, last)
		if err != nil {
			return 0, err
		}
		if done {
			from++
			break
		}
		if from == oldest {
			break
		}
		from--
	}
	for n := from; n <= newest; n++ {
		if err := compactFrom(f, n*layout.PackedCommits+1); err != nil {
			return compacted, err
		}
		compacted += layout.PackedCommits
	}
	return compacted, nil
}

// isCompacted reports whether a pack exists and its records are deleted. They are deleted
// in order.
func isCompacted(f durable.ReadFS, name string, last uint64) (bool, error) {
	there, err := durable.Exists(f, name)
	if err != nil || !there {
		return false, err
	}
	left, err := durable.Exists(f, layout.Commit(last))
	return !left, err
}

// compactFrom compacts the records starting with one: it writes the pack, reads it back, and
// deletes the records. An existing pack is from a run killed before it had deleted them all. It
// may be of another build and have other bytes.
func compactFrom(f durable.FS, from uint64) error {
	name, first, last := layout.CommitPack(from)
	there, err := durable.Exists(f, name)
	if err == nil && !there {
		err = createPack(f, name, first, last)
	}
	if err == nil {
		err = f.SyncDir(layout.CommitsDir)
	}
	if err == nil {
		err = verifyPack(f, name, first, last)
	}
	if err != nil {
		return err
	}
	for n := first; n <= last; n++ {
		if err := f.Remove(layout.Commit(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return f.SyncDir(layout.CommitsDir)
}

// verifyPack checks that a pack can be read and has every record. If a record still exists by
// itself, both must have the same bytes.
func verifyPack(f durable.ReadFS, name string, first, last uint64) error {
	records, err := readPack(f, name)
	if err != nil {
		return err
	}
	for n := first; n <= last; n++ {
		loose, err := durable.ReadFile(f, layout.Commit(n), maxCommit)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case records[n] == nil, err == nil && !bytes.Equal(loose, records[n]):
			return fmt.Errorf("%s: %w: it has another record %d", name, ErrDamaged, n)
		}
	}
	return nil
}

func createPack(f durable.FS, name string, first, last uint64) error {
	data, err := packOf(f, first, last)
	if err != nil {
		return err
	}
	return durable.CreateAgain(f, name, durable.Bytes(data))
}

// packOf is the content of a pack: the same records make the same bytes. Each record must be
// valid and follow the one before it.
func packOf(f durable.ReadFS, first, last uint64) ([]byte, error) {
	var plain bytes.Buffer
	out := tar.NewWriter(&plain)
	previous := ""
	for n := first; n <= last; n++ {
		data, err := recordBytes(f, n)
		if err != nil {
			return nil, Fault(layout.Commit(n), err)
		}
		c, err := commitOf(n, data)
		if err != nil {
			return nil, err
		}
		if previous != "" && c.PreviousSHA256 != previous {
			return nil, fmt.Errorf("%s: %w: it does not follow the record before it", layout.Commit(n), ErrDamaged)
		}
		header := tar.Header{Name: path.Base(layout.Commit(n)), Mode: 0o644, Size: int64(len(data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := out.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := out.Write(data); err != nil {
			return nil, err
		}
		previous = c.SHA256
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return packer().EncodeAll(plain.Bytes(), nil), nil
}

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})
