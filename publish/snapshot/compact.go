package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// maxPack bounds a file of compacted commit records.
const maxPack = 32 << 20

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

// recordBytes is a record as it is on disk, or in the pack of an earlier, killed run.
func recordBytes(f durable.ReadFS, n uint64) ([]byte, error) {
	data, err := durable.ReadFile(f, layout.Commit(n), maxCommit)
	if errors.Is(err, fs.ErrNotExist) {
		return readPacked(f, n, err)
	}
	return data, err
}

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPack))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// isCommitted reports whether there is a commit record n, compacted or not.
func isCommitted(f durable.ReadFS, n uint64) (bool, error) {
	exists, err := durable.Exists(f, layout.Commit(n))
	if err != nil || exists {
		return exists, err
	}
	return isPacked(f, n)
}

func isPacked(f durable.ReadFS, n uint64) (bool, error) {
	if n == 0 {
		return false, nil
	}
	name, _, _ := layout.CommitPack(n)
	return durable.Exists(f, name)
}

// readPacked reads record n from its pack. If there is none, it returns missing.
func readPacked(f durable.ReadFS, n uint64, missing error) ([]byte, error) {
	if n == 0 {
		return nil, missing
	}
	name, _, _ := layout.CommitPack(n)
	records, err := readPack(f, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	data, ok := records[n]
	if !ok {
		return nil, fmt.Errorf("%s: %w: record %d is not in it", name, ErrDamaged, n)
	}
	return data, nil
}

// readPack reads all records of a pack, by number.
func readPack(f durable.ReadFS, name string) (map[uint64][]byte, error) {
	data, err := durable.ReadFile(f, name, maxPack)
	if err != nil {
		return nil, Fault(name, err)
	}
	plain, err := unpacker().DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	records := make(map[uint64][]byte, layout.PackedCommits)
	in := tar.NewReader(bytes.NewReader(plain))
	for {
		header, err := in.Next()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
		}
		n, ok := layout.ParseCommit(header.Name)
		if !ok {
			continue
		}
		if records[n], err = io.ReadAll(io.LimitReader(in, maxCommit)); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
		}
	}
}
