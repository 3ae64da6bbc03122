package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// sealAs puts what is staged into place and commits it. The folder comes first:
// its name is a cycle's, and whoever has it there is the one to commit it.
func (r *run) sealAs(c snapshot.Commit, inTheWay bool) error {
	if err := r.install(inTheWay); err != nil {
		return err
	}
	if err := r.installSegments(); err != nil {
		return err
	}
	if _, there, err := durable.HashFile(r.Root, c.Dir()+"/"+layout.ManifestFile); err != nil || there != c.ManifestSHA256 {
		return errors.Join(err, fmt.Errorf("snapshot was replaced before its commit: %w", ErrConflict))
	}
	_, err := snapshot.Seal(r.Root, c, r.staging+"/commit.json")
	var late *snapshot.LateError
	if errors.As(err, &late) {
		r.Log.Warn("CURRENT does not follow yet; readers find the commit all the same", "cycle", r.cycle, "error", late.Err)
		err = nil
	}
	return err
}

func (r *run) commit(m snapshot.Manifest, sum string) snapshot.Commit {
	c := snapshot.Commit{
		Format: snapshot.Format, Version: r.base.Version + 1, HistoryID: r.base.HistoryID, RunID: r.RunID, CycleID: r.cycle,
		PublishedAt: *m.PublishedAt, ManifestSHA256: sum, LastSeq: r.summary.LastSeq, FirstSeq: r.summary.LastSeq + 1, PreviousSHA256: r.base.SHA256,
		CanonicalSHA256: r.canonicalSum, RawSHA256: r.canonical.RawSHA256,
	}
	if c.HistoryID == "" {
		c.HistoryID = r.RunID
	}
	if n := len(m.Changes); n > 0 {
		c.FirstSeq = m.Changes[0].First
		if r.summary.Events > 0 {
			c.Segment = &m.Changes[n-1]
		}
	}
	return c
}

// install moves the staged folder to its cycle's name. One that was there when
// the run began is debris: kept when it is the same, else set aside. One that
// has come since is another publisher's.
func (r *run) install(inTheWay bool) error {
	staged, final := r.staging+"/snapshot", layout.Cycle(layout.SnapshotsDir, r.cycle)
	err := durable.Install(r.Root, staged, final)
	if !errors.Is(err, durable.ErrDiffers) {
		return err
	}
	if inTheWay {
		aside, err := durable.SetAside(r.Root, final, layout.AsideDir)
		if err != nil {
			return err
		}
		r.Log.Warn("set aside a snapshot that was never committed", "cycle", r.cycle, "to", aside)
		if err := durable.Install(r.Root, staged, final); !errors.Is(err, durable.ErrDiffers) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", final, ErrConflict)
}

// installSegments gives the staged segments their names. Any other file of such
// a name was never committed: this run owns the cycle's folder.
func (r *run) installSegments() error {
	for _, name := range slices.Sorted(maps.Keys(r.staged)) {
		if err := r.installSegment(r.staged[name], name); err != nil {
			return err
		}
	}
	return r.Root.SyncDir(layout.ChangesDir)
}

func (r *run) installSegment(staged, name string) error {
	err := r.Root.Link(staged, name)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	same, err := durable.SameFile(r.Root, staged, name)
	if err != nil || same {
		return err
	}
	if _, err := durable.SetAside(r.Root, name, layout.AsideDir); err != nil {
		return err
	}
	return r.Root.Link(staged, name)
}
