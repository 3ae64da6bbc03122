package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// snapshot checks every byte of the newest publication.
func (d *doctor) snapshot(r *root) {
	if r.fs == nil {
		return
	}
	head, found, err := snapshot.Last(r.fs)
	switch {
	case errors.Is(err, layout.ErrNewer):
		r.published = true
		d.faulty("COMMIT_DAMAGED", r, layout.CommitsDir, "", err)
		return
	case errors.Is(err, snapshot.ErrDamaged):
		r.published = true
		d.bad(Fail, "COMMIT_DAMAGED", "snapshot", r.at(layout.CommitsDir),
			"restore the record from a backup: without it nothing more is published; without a backup "+d.recover(r, "--new-history"), "%v", err)
		return
	case err != nil:
		d.unreadable("snapshot", r.at(layout.CommitsDir), err)
		return
	case !found:
		d.noCommit(r)
		return
	}
	r.head, r.published = &head, true
	d.current(r, head)
	d.chain(r, head)
	d.contents(r, head)
}

// noCommit checks a root without commit records. If CURRENT exists, they were lost.
func (d *doctor) noCommit(r *root) {
	if _, err := r.fs.Stat(layout.Current); errors.Is(err, fs.ErrNotExist) {
		return
	}
	r.published = true
	d.bad(Fail, "COMMIT_DAMAGED", "snapshot", r.at(layout.CommitsDir), "restore the folder from a backup", "CURRENT is there, but no commit record is")
}

// current checks CURRENT, which the next publication repairs.
func (d *doctor) current(r *root, head snapshot.Commit) {
	data, err := durable.ReadFile(r.fs, layout.Current, 4<<10)
	var p snapshot.Pointer
	if err == nil {
		p, err = snapshot.ParsePointer(data)
	}
	why := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "it is missing"
	case err != nil:
		why = "it cannot be read: " + err.Error()
	case p.Version != head.Version:
		why = "it names another commit than the newest"
	case p.CommitSHA256 != head.SHA256:
		why = "its hash is not that of the newest commit"
	default:
		d.ok("snapshot", r.at(layout.Current), "names commit %d", head.Version)
		return
	}
	d.bad(Warn, "CURRENT_STALE", "snapshot", r.at(layout.Current), d.mkt("publish --tenant "+r.id), "%s; readers find the newest commit without it", why)
}

// chain checks the newest commit against the one before.
func (d *doctor) chain(r *root, head snapshot.Commit) {
	at := r.at(layout.Commit(head.Version))
	if head.Version == 1 {
		d.ok("snapshot", at, "is the first")
		return
	}
	before, err := snapshot.ReadCommit(r.fs, head.Version-1)
	switch {
	case err != nil && !snapshot.IsDamage(err):
		d.faulty("CHAIN_BROKEN", r, layout.Commit(head.Version-1), "", err)
	case err != nil || before.SHA256 != head.PreviousSHA256:
		d.bad(Fail, "CHAIN_BROKEN", "snapshot", at, "restore "+layout.Commit(head.Version-1)+" from a backup", "it follows a commit with another hash: records were lost or changed")
	default:
		d.ok("snapshot", at, "follows the one before")
	}
}

func (d *doctor) recover(r *root, flags ...string) string {
	return d.mkt(strings.Join(append([]string{"recover"}, flags...), " ") + fmt.Sprintf(" --tenant %s --product %s", r.id, r.product))
}

// contents checks the manifest and every file in it.
func (d *doctor) contents(r *root, head snapshot.Commit) {
	manifest := head.Dir() + "/" + layout.ManifestFile
	fix := d.recover(r) + " rebuilds it; if it cannot, restore it from a backup: the hash must be the same. Until then nothing is published on it, and serve keeps what it has loaded"
	m, err := snapshot.Open(r.fs, head)
	if err != nil {
		d.faulty("MANIFEST_DAMAGED", r, manifest, fix, err)
		return
	}
	if m.ClientID != r.id || m.Product != r.product {
		d.bad(Fail, "SNAPSHOT_FOREIGN", "snapshot", r.at(manifest), "remove the folder: it was copied here", "it belongs to tenant %s, product %s", m.ClientID, m.Product)
	}
	if d.idKey != "" && m.IDKeyFingerprint != d.idKey {
		d.bad(Fail, "ID_KEY_OTHER", "keys", r.at(manifest), "restore the key with the fingerprint "+m.IDKeyFingerprint+" as "+cli.Quote(d.IDKey),
			"the snapshot was made with the id key %s, this one is %s", m.IDKeyFingerprint, d.idKey)
	}
	for _, file := range m.Files {
		name := head.Dir() + "/" + file.Name
		if err := snapshot.VerifyFile(r.fs, head.Dir(), file); err != nil {
			d.faulty("SNAPSHOT_DAMAGED", r, name, fix, err)
			continue
		}
		d.ok("snapshot", r.at(name), "%s as sealed", cli.Size(file.Bytes))
	}
	for _, s := range m.Segments() {
		if err := snapshot.VerifySegment(r.fs, s); err != nil {
			d.faulty("CHANGES_DAMAGED", r, s.File, fix, err)
			continue
		}
		d.ok("snapshot", r.at(s.File), "seq %d to %d as sealed", s.First, s.Last)
	}
}

func (d *doctor) faulty(code string, r *root, name, fix string, err error) {
	switch {
	case errors.Is(err, layout.ErrNewer):
		code, fix = "FORMAT_NEWER", "install the version of mkt that wrote it, or a later one"
	case errors.Is(err, snapshot.ErrUnreadable) && !errors.Is(err, snapshot.ErrDamaged):
		d.unreadable("snapshot", r.at(name), err)
		return
	}
	d.bad(Fail, code, "snapshot", r.at(name), fix, "%s", reason(err, name))
}

// reason returns an error's text without the file's name, which the finding has.
func reason(err error, name string) string {
	return strings.TrimPrefix(err.Error(), filepath.ToSlash(name)+": ")
}
