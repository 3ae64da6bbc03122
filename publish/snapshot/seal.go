package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// ErrConflict: another publisher committed this version first, or is about to. Nothing
// of this attempt is visible; the next run starts from the other publisher's commit.
var ErrConflict = errors.New("another publisher was faster")

// ErrStoreLacks: publications are missing in the object store that decides about commits, so
// nothing may follow them there. Its text begins with the code of mkt doctor.
var ErrStoreLacks = errors.New("STORE_LACKS: publications are missing in the object store, and nothing is published until they are there: mkt push --repair stores them from a data root that has them")

// CreateFile writes one file of a staged folder, syncs it, reads it back and describes it. It
// does not sync the name: [CreateManifest], which comes last, syncs the folder, and a file staged
// alone is linked.
func CreateFile(f durable.FS, dir, name string, write func(io.Writer) error) (File, error) {
	if err := durable.CreateIn(f, dir+"/"+name, write); err != nil {
		return File{}, err
	}
	return describe(f, dir, name)
}

func describe(f durable.ReadFS, dir, name string) (File, error) {
	size, sum, err := durable.HashFile(f, dir+"/"+name)
	return File{Name: name, Bytes: size, SHA256: sum}, err
}

// ShareFile gives one sealed file of a folder a name in another folder too: its bytes are on the
// disk once. The file is read back and compared with its sealed description.
func ShareFile(f durable.FS, from, dir string, sealed File) error {
	name := from + "/" + sealed.Name
	if err := f.Link(name, dir+"/"+sealed.Name); err != nil {
		return Fault(name, err)
	}
	shared, err := describe(f, dir, sealed.Name)
	if err == nil && shared != sealed {
		err = fmt.Errorf("%s: %w: not as it was sealed", name, ErrDamaged)
	}
	return err
}

// CreateManifest writes the header of a staged folder, after everything else in it, syncs the
// folder, and returns the hash of the header.
func CreateManifest(f durable.FS, dir string, m Manifest) (string, error) {
	if err := m.Validate(); err != nil {
		return "", err
	}
	encode := layout.EncodeHeader
	if m.ShortTimes {
		encode = layout.EncodeShortTimes
	}
	data, err := encode(m)
	if err != nil {
		return "", err
	}
	name := layout.ManifestFile
	if m.Kind == KindCanonical {
		name = layout.CanonicalFile
	}
	file, err := CreateFile(f, dir, name, durable.Bytes(data))
	if err != nil {
		return "", err
	}
	return file.SHA256, f.SyncDir(dir)
}

// Seal publishes: it gives the commit its number by creating its record, which must not exist,
// and then replaces CURRENT. Everything named by the commit is in place and synced. staged is the
// name of the record until then. The error is [ErrConflict] if another run took the number, and a
// [*LateError] if the commit exists but CURRENT could not be replaced. After any other error the
// commit may exist, which the next run finds out.
func Seal(f durable.FS, c Commit, staged string) (Commit, error) {
	return SealAfter(f, c, staged, func([]byte) error { return nil })
}

// SealAfter is [Seal] for a commit made elsewhere first: ship is called with the bytes of the
// record before it gets its name here. If ship returns an error, nothing is committed here.
func SealAfter(f durable.FS, c Commit, staged string, ship func(record []byte) error) (Commit, error) {
	if err := c.Validate(); err != nil {
		return Commit{}, err
	}
	data, err := layout.EncodeHeader(c)
	if err != nil {
		return Commit{}, err
	}
	c.SHA256 = durable.Hash(data)
	if err := durable.CreateIn(f, staged, durable.Bytes(data)); err != nil {
		return Commit{}, err
	}
	if packed, err := isPacked(f, c.Version); err != nil || packed {
		return Commit{}, errors.Join(err, fmt.Errorf("commit %d: %w", c.Version, ErrConflict))
	}
	if err := ship(data); err != nil {
		return Commit{}, err
	}
	if err := f.Link(staged, layout.Commit(c.Version)); err != nil {
		if err := whoseCommit(f, c, err); err != nil {
			return Commit{}, err
		}
	}
	if err := f.SyncDir(layout.CommitsDir); err != nil {
		return Commit{}, err
	}
	if err := WriteCurrent(f, c); err != nil {
		return c, &LateError{err}
	}
	return c, nil
}

// LateError: the commit exists and is durable, but CURRENT does not name it.
type LateError struct{ Err error }

func (e *LateError) Error() string { return fmt.Sprintf("committed, then: %v", e.Err) }
func (e *LateError) Unwrap() error { return e.Err }

// whoseCommit finds out whether a failed link exists nevertheless: an answer can be lost. It
// returns nil if the record is ours.
func whoseCommit(f durable.ReadFS, c Commit, failed error) error {
	there, err := ReadCommit(f, c.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed
	case err == nil && there.SHA256 == c.SHA256:
		return nil
	}
	return fmt.Errorf("commit %d: %w", c.Version, ErrConflict)
}

// WriteCurrent makes CURRENT name a commit.
func WriteCurrent(f durable.FS, c Commit) error {
	data, err := layout.EncodeHeader(Pointer{Format: Format, Version: c.Version, CommitSHA256: c.SHA256})
	if err != nil {
		return err
	}
	return durable.Overwrite(f, layout.Current, data)
}

// IsCurrent reports whether CURRENT holds the very bytes of [WriteCurrent].
func IsCurrent(f durable.ReadFS, c Commit) (bool, error) {
	got, err := durable.ReadFile(f, layout.Current, maxPointer)
	return err == nil && Names(got, c), err
}

// Names reports whether the content of CURRENT is the very bytes of [WriteCurrent] for a commit.
func Names(current []byte, c Commit) bool {
	want, err := layout.EncodeHeader(Pointer{Format: Format, Version: c.Version, CommitSHA256: c.SHA256})
	return err == nil && bytes.Equal(current, want)
}

// Recover makes the newest commit durable and CURRENT name it. Every writer starts with it.
func Recover(f durable.FS, c Commit) error {
	if err := f.SyncDir(layout.CommitsDir); err != nil {
		return err
	}
	if done, err := IsCurrent(f, c); err == nil && done {
		return nil
	}
	return WriteCurrent(f, c)
}
