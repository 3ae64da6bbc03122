package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// ReadCommit reads commit record n. The error is [fs.ErrNotExist] if it is missing, and
// [ErrDamaged] if the file is not record n; see also [ErrUnreadable] and [layout.ErrNewer].
func ReadCommit(f durable.ReadFS, n uint64) (Commit, error) {
	c, _, err := ReadRecord(f, n)
	return c, err
}

// ReadRecord is [ReadCommit], with the bytes of the record.
func ReadRecord(f durable.ReadFS, n uint64) (Commit, []byte, error) {
	data, err := recordBytes(f, n)
	if err != nil {
		return Commit{}, nil, Fault(layout.Commit(n), err)
	}
	c, err := commitOf(n, data)
	return c, data, err
}

func commitOf(n uint64, data []byte) (Commit, error) {
	c, err := ParseCommit(data)
	if err == nil && c.Version != n {
		err = fmt.Errorf("%w: version", ErrDamaged)
	}
	if err != nil {
		return Commit{}, fmt.Errorf("%s: %w", layout.Commit(n), err)
	}
	c.SHA256 = durable.Hash(data)
	return c, nil
}

// recordBytes is a record as it is on disk, or in the pack of an earlier, killed run.
func recordBytes(f durable.ReadFS, n uint64) ([]byte, error) {
	data, err := durable.ReadFile(f, layout.Commit(n), maxCommit)
	if errors.Is(err, fs.ErrNotExist) {
		return readPacked(f, n, err)
	}
	return data, err
}

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

// maxPack bounds a file of compacted commit records.
const maxPack = 32 << 20

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

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPack))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})
