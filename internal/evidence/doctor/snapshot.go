package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mkt/internal/terminal"
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
			"restore the record from a backup: without it nothing more is published; without a backup: "+d.recover(r, "--new-history"), "%v", err)
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

// chain checks that no commit record is missing, and the newest against the one before. The hashes of the
// others are for mkt verify: there may be millions.
func (d *doctor) chain(r *root, head snapshot.Commit) {
	first, err := snapshot.First(r.fs)
	if err != nil {
		d.faulty("CHAIN_BROKEN", r, layout.First, "", err)
		return
	}
	gaps, err := missing(r.fs, first)
	switch {
	case err != nil:
		d.unreadable("snapshot", r.at(layout.CommitsDir), err)
		return
	case len(gaps) > 0:
		d.bad(Fail, "CHAIN_BROKEN", "snapshot", r.at(layout.CommitsDir), "restore them from a backup, and then: "+d.mkt("verify --tenant "+r.id),
			"records are missing: %s", strings.Join(gaps, ", "))
		return
	}
	at := r.at(layout.Commit(head.Version))
	if head.Version == first {
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

// missing returns the numbers of the commit records that are not there, from the first to the newest,
// as "5" or "7 to 9". They are found by the names of files, which are read once.
func missing(f durable.ReadFS, first uint64) (gaps []string, err error) {
	entries, err := f.ReadDir(layout.CommitsDir)
	if err != nil {
		return nil, err
	}
	type span struct{ first, last uint64 }
	var there []span
	for _, e := range entries {
		if n, ok := layout.ParseCommit(e.Name()); ok {
			there = append(there, span{n, n})
		} else if last, ok := layout.ParseCommitPack(e.Name()); ok {
			there = append(there, span{last - layout.PackedCommits + 1, last})
		}
	}
	slices.SortFunc(there, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	next := first
	for _, s := range there {
		// One that was compacted while the folder was read is not missing.
		if s.first > next && isMissing(f, next) {
			gap := fmt.Sprint(next)
			if s.first > next+1 {
				gap += fmt.Sprintf(" to %d", s.first-1)
			}
			gaps = append(gaps, gap)
		}
		next = max(next, s.last+1)
	}
	return gaps, nil
}

func isMissing(f durable.ReadFS, record uint64) bool {
	_, err := snapshot.ReadCommit(f, record)
	return errors.Is(err, fs.ErrNotExist)
}

func (d *doctor) recover(r *root, flags ...string) string {
	return d.mkt(strings.Join(append([]string{"recover"}, flags...), " ") + fmt.Sprintf(" --tenant %s --product %s", r.id, r.product))
}

// contents checks the manifest and every file in it.
func (d *doctor) contents(r *root, head snapshot.Commit) {
	manifest := head.Dir() + "/" + layout.ManifestFile
	fix := d.recover(r) + "; if that cannot rebuild it, restore it from a backup: the hash must be the same. Until then nothing is published on it, and serve keeps what it has loaded"
	m, err := snapshot.Open(r.fs, head)
	if err != nil {
		d.faulty("MANIFEST_DAMAGED", r, manifest, fix, err)
		return
	}
	if m.ClientID != r.id || m.Product != r.product {
		d.bad(Fail, "SNAPSHOT_FOREIGN", "snapshot", r.at(manifest), "remove the folder: it was copied here", "it belongs to tenant %s, product %s", m.ClientID, m.Product)
	}
	if d.idKey != "" && m.IDKeyFingerprint != d.idKey {
		d.bad(Fail, "ID_KEY_OTHER", "keys", r.at(manifest), "restore the key with the fingerprint "+m.IDKeyFingerprint+" as "+terminal.Quote(d.IDKey),
			"the snapshot was made with the id key %s, this one is %s", m.IDKeyFingerprint, d.idKey).causedBy("id key "+m.IDKeyFingerprint, "")
	}
	for _, file := range m.Files {
		name := head.Dir() + "/" + file.Name
		if err := snapshot.VerifyFile(r.fs, head.Dir(), file); err != nil {
			d.faulty("SNAPSHOT_DAMAGED", r, name, fix, err)
			continue
		}
		d.ok("snapshot", r.at(name), "%s as sealed", terminal.Size(file.Bytes))
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
	f := d.bad(Fail, code, "snapshot", r.at(name), fix, "%s", reason(err, name))
	if code == "MANIFEST_DAMAGED" || code == "SNAPSHOT_DAMAGED" || code == "CHANGES_DAMAGED" {
		f.causedBy(r.damaged(), "")
	}
}

// damaged is the cause of findings about the files of the newest publication, on which nothing is published.
func (r *root) damaged() string { return "publication " + r.dir }

// reason returns an error's text without the file's name, which the finding has.
func reason(err error, name string) string {
	return strings.TrimPrefix(err.Error(), filepath.ToSlash(name)+": ")
}
