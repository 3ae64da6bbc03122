package verify

import (
	"errors"
	"io/fs"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// kind is one of those that retention lets go of.
type kind int

const (
	snapshotKind kind = iota
	canonicalKind
	thinnedKind // canonical cycles that are not the first of their hour
	rawKind
)

func (k kind) of(f retention.Watermarks) *retention.Watermark {
	return [...]*retention.Watermark{f.Snapshots, f.Canonical, f.Thinned, f.Raw}[k]
}

// covers reports whether retention has let go of a cycle by now. That is recorded
// before anything is deleted: what is missing, and not covered by the record as it
// is behind that, was not deleted by retention.
func (v *verifier) covers(k kind, id layout.CycleID) bool {
	if k.of(v.floors).Covers(id) {
		return true
	}
	if now, err := retention.ReadWatermarks(v.Root); err == nil && now != v.floors && now.Check(v.Root) == nil {
		v.floors = now
	}
	return k.of(v.floors).Covers(id)
}

// mayGo reports whether a cycle's folder may be deleted by a writer.
func (v *verifier) mayGo(k kind, id layout.CycleID) bool {
	if k != snapshotKind && id > v.head.CycleID {
		return true // it was not published when the run began, and nothing vouches for it
	}
	return v.covers(k, id) || k == canonicalKind && v.covers(thinnedKind, id)
}

// folderOf judges a cycle's folder. What is found in it does not count when a writer
// deleted it meanwhile.
func (v *verifier) folderOf(k kind, dir string, id layout.CycleID, judge func() error) error {
	from := len(v.report.Findings)
	err := judge()
	if err == nil && len(v.report.Findings) == from || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there, unknown := durable.Exists(v.Root, dir)
	switch {
	case unknown != nil:
		return errors.Join(err, unknown)
	case !there && v.mayGo(k, id):
		v.forget(from)
		return nil
	case !there && k == rawKind && v.isRolledUp(id):
		v.forget(from)
		return judge() // out of its pack
	case err != nil:
		v.find("FILE_MISSING", dir, v.fixMend(), "something in it went while it was read")
	}
	return nil
}

// isRolledUp reports whether a raw cycle that has no folder is in a pack.
func (v *verifier) isRolledUp(id layout.CycleID) bool {
	_, err := raw.Open(v.Root, id)
	return err == nil
}

// since are the publications that were made since the run began, by cycle.
func (v *verifier) since() (map[layout.CycleID]snapshot.Commit, error) {
	newest, err := v.newestNumber()
	if err != nil {
		return nil, err
	}
	later := map[layout.CycleID]snapshot.Commit{}
	for n := v.newest + 1; n <= newest; n++ {
		if c, err := snapshot.ReadCommit(v.Root, n); err == nil {
			later[c.CycleID] = c
		}
	}
	return later, nil
}

// isRetained reports whether a publication that is kept names a segment.
func (v *verifier) isRetained(s snapshot.Segment) bool {
	for _, c := range v.order {
		if v.covers(snapshotKind, c.CycleID) {
			continue
		}
		m, err := snapshot.Open(v.Root, c)
		if err != nil {
			continue
		}
		for _, named := range m.Changes {
			if named.File == s.File {
				return true
			}
		}
	}
	return false
}
