package publish

import (
	"cmp"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Base is the publication that the next one is built on.
type Base struct {
	Commit   snapshot.Commit    // Version is 0 if nothing was published yet
	Manifest *snapshot.Manifest // nil then
	// Substitutes are files with the same rows in other bytes, which are read instead of
	// the snapshot's own: the path of each by the name in the manifest. Package repair
	// has some.
	Substitutes map[string]string
}

// DamageError says that a file of a publication is missing or is not what was sealed.
// Nothing is built on it until package repair has rebuilt the file.
type DamageError struct {
	Commit snapshot.Commit
	File   string // its path
	Err    error
}

func (e *DamageError) Error() string { return e.Err.Error() }
func (e *DamageError) Unwrap() error { return e.Err }

// OpenBase opens a committed publication. A damaged manifest is a *DamageError.
func OpenBase(f durable.ReadFS, c snapshot.Commit) (Base, error) {
	m, err := snapshot.Open(f, c)
	if err != nil {
		return Base{}, damaged(c, c.Dir()+"/"+layout.ManifestFile, err)
	}
	return Base{Commit: c, Manifest: &m}, nil
}

// damaged makes damage a *DamageError; other errors stay as they are.
func damaged(c snapshot.Commit, file string, err error) error {
	if !snapshot.IsDamage(err) {
		return err
	}
	return &DamageError{Commit: c, File: file, Err: err}
}

// file is the path where the rows of one file of the snapshot are read. Its bytes are
// compared with the manifest first: damage is a *DamageError.
func (b *Base) file(f durable.ReadFS, name string) (string, error) {
	path := b.Commit.Dir() + "/" + name
	if b.Substitutes[name] == "" {
		if err := snapshot.Verify(f, b.Commit.Dir(), b.Manifest.Only(name)); err != nil {
			return "", damaged(b.Commit, path, err)
		}
	}
	return cmp.Or(b.Substitutes[name], path), nil
}
