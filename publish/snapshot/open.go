package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// Open reads the manifest of a committed snapshot and compares it with the commit. It does not
// look at the data: see [Verify].
func Open(f durable.ReadFS, c Commit) (Manifest, error) {
	m, sum, err := ReadManifest(f, c.Dir()+"/"+layout.ManifestFile)
	if err != nil {
		return Manifest{}, err
	}
	return m, check(c.Dir(), []rule{
		{sum == c.ManifestSHA256, "hash of the manifest"},
		{m.Kind == KindSnapshot, "kind"},
		{m.CycleID == c.CycleID, "cycle_id"},
		{m.PublishedAt != nil && m.PublishedAt.Equal(c.PublishedAt), "published_at"},
		{windowOf(m.Changes, c.LastSeq) == c.Window(), "window of the change log"},
		{c.Segment == nil || len(m.Changes) > 0 && *c.Segment == m.Changes[len(m.Changes)-1], "segment"},
	})
}

// windowOf is the window of the retained segments, if last is the newest seq ever given.
func windowOf(segments []Segment, last uint64) Window {
	if len(segments) == 0 {
		return Window{First: last + 1, Last: last}
	}
	return Window{First: segments[0].First, Last: segments[len(segments)-1].Last}
}

// OpenCanonical reads the header of a canonical cycle and its hash. A cycle without a header does
// not exist: [fs.ErrNotExist].
func OpenCanonical(f durable.ReadFS, cycle layout.CycleID) (Manifest, string, error) {
	dir := layout.Cycle(layout.CanonicalDir, cycle)
	m, sum, err := ReadManifest(f, dir+"/"+layout.CanonicalFile)
	if err != nil {
		return Manifest{}, "", err
	}
	return m, sum, check(dir, []rule{{m.Kind == KindCanonical, "kind"}, {m.CycleID == cycle, "cycle_id"}})
}

// ReadManifest reads and validates one header, and returns its hash.
func ReadManifest(f durable.ReadFS, name string) (Manifest, string, error) {
	data, err := durable.ReadFile(f, name, maxManifest)
	if err != nil {
		return Manifest{}, "", Fault(name, err)
	}
	m, err := ParseManifest(data)
	if err != nil {
		return Manifest{}, "", fmt.Errorf("%s: %w", name, err)
	}
	return m, durable.Hash(data), nil
}

// Verify reads every file of a folder to its end and compares type, size and SHA-256 with
// the manifest, before any Parquet library reads it.
func Verify(f durable.ReadFS, dir string, m Manifest) error {
	for _, file := range m.Files {
		if err := VerifyFile(f, dir, file); err != nil {
			return err
		}
	}
	return nil
}

// VerifyFile does the same for one file of a folder.
func VerifyFile(f durable.ReadFS, dir string, file File) error {
	return verifyFile(f, dir+"/"+file.Name, file.Bytes, file.SHA256)
}

// ReadVerified is [VerifyFile] for a file that fits into memory, and returns its bytes. The
// caller bounds file.Bytes.
func ReadVerified(f durable.ReadFS, dir string, file File) ([]byte, error) {
	name := dir + "/" + file.Name
	data, err := durable.ReadFile(f, name, file.Bytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: missing", name, ErrDamaged)
	case errors.Is(err, durable.ErrNotRegular):
		return nil, fmt.Errorf("%s: %w: not a regular file", name, ErrDamaged)
	case errors.Is(err, durable.ErrTooLarge):
		return nil, fmt.Errorf("%s: %w: larger than the %d bytes it was sealed with", name, ErrDamaged, file.Bytes)
	case err != nil:
		return nil, Fault(name, err)
	case int64(len(data)) != file.Bytes:
		return nil, fmt.Errorf("%s: %w: %d bytes, sealed with %d", name, ErrDamaged, len(data), file.Bytes)
	case durable.Hash(data) != file.SHA256:
		return nil, fmt.Errorf("%s: %w: hash differs from the sealed one", name, ErrDamaged)
	}
	return data, nil
}

// VerifySegment is [VerifyFile] for one file of the change log or of the steps.
func VerifySegment(f durable.ReadFS, s Segment) error {
	return verifyFile(f, s.File, s.Bytes, s.SHA256)
}

func verifyFile(f durable.ReadFS, name string, size int64, sum string) error {
	info, err := f.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: missing", name, ErrDamaged)
	case err != nil:
		return Fault(name, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: not a regular file", name, ErrDamaged)
	case info.Size() != size:
		return fmt.Errorf("%s: %w: %d bytes, sealed with %d", name, ErrDamaged, info.Size(), size)
	}
	_, got, err := durable.HashFile(f, name)
	if err != nil {
		return Fault(name, err)
	}
	if got != sum {
		return fmt.Errorf("%s: %w: hash differs from the sealed one", name, ErrDamaged)
	}
	return nil
}

// Events iterates over the retained events after a seq, oldest first, and checks that none is
// missing. It does not open segments that end before. A row is only valid until the next one.
func Events(f durable.ReadFS, m Manifest, after uint64) iter.Seq2[*table.EventRow, error] {
	return func(yield func(*table.EventRow, error) bool) {
		for _, s := range m.Changes {
			if s.Last <= after {
				continue
			}
			if !segmentEvents(f, s, after, yield) {
				return
			}
		}
	}
}

// segmentEvents yields the events of one segment; false ends the iteration.
func segmentEvents(f durable.ReadFS, s Segment, after uint64, yield func(*table.EventRow, error) bool) bool {
	r, err := f.Open(s.File)
	if err != nil {
		yield(nil, Fault(s.File, err))
		return false
	}
	defer r.Close()
	rows, err := table.NewReader[table.EventRow](r, r.Size())
	if err != nil {
		yield(nil, fmt.Errorf("%s: %w: %w", s.File, ErrDamaged, err))
		return false
	}
	defer rows.Close()
	next := s.First
	for row, err := range rows.All {
		switch {
		case err != nil && !durable.IsExhausted(err):
			err = fmt.Errorf("%s: %w: %w", s.File, ErrDamaged, err)
		case err == nil && uint64(row.Seq) != next:
			err = fmt.Errorf("%s: %w: seq %d instead of %d", s.File, ErrDamaged, row.Seq, next)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if next++; next-1 > after && !yield(row, nil) {
			return false
		}
	}
	if next != s.Last+1 {
		yield(nil, fmt.Errorf("%s: %w: ends before seq %d", s.File, ErrDamaged, s.Last))
		return false
	}
	return true
}
