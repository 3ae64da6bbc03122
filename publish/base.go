package publish

import (
	"cmp"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Base is the publication on which the next one is built.
type Base struct {
	Commit   snapshot.Commit    // Version is 0 if nothing was published yet
	Manifest *snapshot.Manifest // nil then
	// Substitutes are read in place of the snapshot's own files: they have the same rows in other
	// bytes. Package repair sets them, as paths by the names in the manifest.
	Substitutes map[string]string
}

// OpenBase opens a committed publication. A damaged manifest is a [*snapshot.DamageError].
func OpenBase(f durable.ReadFS, c snapshot.Commit) (Base, error) {
	m, err := snapshot.Open(f, c)
	if err != nil {
		return Base{}, damaged(c, c.Dir()+"/"+layout.ManifestFile, err)
	}
	return Base{Commit: c, Manifest: &m}, nil
}

// damaged wraps damage in a [*snapshot.DamageError] and returns other errors unchanged.
func damaged(c snapshot.Commit, file string, err error) error {
	if !snapshot.IsDamage(err) {
		return err
	}
	return &snapshot.DamageError{Commit: c, File: file, Err: err}
}

// file returns the path of one table of the snapshot, or of its substitute. Its bytes are
// compared with the manifest first: damage is a [*snapshot.DamageError].
func (b *Base) file(f durable.ReadFS, name string) (string, error) {
	path := b.Commit.Dir() + "/" + name
	if b.Substitutes[name] == "" {
		if err := snapshot.Verify(f, b.Commit.Dir(), b.Manifest.Only(name)); err != nil {
			return "", damaged(b.Commit, path, err)
		}
	}
	return cmp.Or(b.Substitutes[name], path), nil
}
