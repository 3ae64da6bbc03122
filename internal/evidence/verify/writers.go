package verify

import (
	"errors"
	"io/fs"
	"reflect"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// kind is a kind of data deleted by retention.
type kind int

const (
	snapshotKind kind = iota
	canonicalKind
	thinnedKind // canonical cycles except the first of each hour
	rawKind
)

func (k kind) of(f retention.Watermarks) *retention.Watermark {
	return [...]*retention.Watermark{f.Snapshots, f.Canonical, f.Thinned, f.Raw}[k]
}

// covers reports whether retention has given up a cycle by now. Retention records a deletion before
// it begins. So if a cycle is missing and a record read afterwards does not cover it, retention did
// not delete it.
func (v *verifier) covers(k kind, id layout.CycleID) bool {
	if k.of(v.watermarks).Covers(id) {
		return true
	}
	if now, err := retention.ReadWatermarks(v.Root); err == nil && !reflect.DeepEqual(now, v.watermarks) && now.Check(v.Root) == nil {
		v.watermarks = now
	}
	return k.of(v.watermarks).Covers(id)
}

// mayGo reports whether a writer may delete a cycle's folder.
func (v *verifier) mayGo(k kind, id layout.CycleID) bool {
	if k != snapshotKind && id > v.head.CycleID {
		return true // it was not published when the run began
	}
	return v.covers(k, id) || k == canonicalKind && v.covers(thinnedKind, id)
}

// folderOf checks a cycle's folder. Findings in it do not count if a writer deleted it
// meanwhile.
func (v *verifier) folderOf(k kind, dir string, id layout.CycleID, check func() error) error {
	from := len(v.report.Findings)
	err := check()
	if err == nil && len(v.report.Findings) == from || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there, unknown := durable.Exists(v.Root, dir)
	switch {
	case unknown != nil:
		return errors.Join(err, unknown)
	case !there && v.mayGo(k, id):
		v.dropFindings(from)
		return nil
	case !there && k == rawKind && v.isInPack(id):
		v.dropFindings(from)
		return check() // the cycle is in a pack now
	case err != nil:
		v.addFinding("FILE_MISSING", dir, v.fixRepair(), "a file in it disappeared while it was read")
	}
	return nil
}

// isInPack reports whether a raw cycle without a folder is in a pack.
func (v *verifier) isInPack(id layout.CycleID) bool {
	_, err := raw.Open(v.Root, id)
	return err == nil
}

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

// isRetained reports whether a kept publication names a segment.
func (v *verifier) isRetained(s snapshot.Segment) bool {
	for _, c := range v.order {
		if v.covers(snapshotKind, c.CycleID) {
			continue
		}
		m, err := snapshot.Open(v.Root, c)
		if err != nil {
			continue
		}
		for _, named := range m.Segments() {
			if named.File == s.File {
				return true
			}
		}
	}
	return false
}
