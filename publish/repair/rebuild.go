package repair

import (
	"context"
	"errors"
	"maps"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// rebuilder rebuilds publications below the staging folder of its run.
type rebuilder struct {
	publish.Options
	readOnly bool // damaged inputs are an error and are not repaired

	repaired []string
	// substitutes are rebuilt files with the same rows in other bytes, by version of the
	// publication: see publish.Base.
	substitutes map[uint64]map[string]string
}

func newRebuilder(o publish.Options) (*rebuilder, error) {
	o, err := o.Complete()
	return &rebuilder{Options: o, substitutes: map[uint64]map[string]string{}}, err
}

// rebuilt is a publication rebuilt below staging.
type rebuilt struct {
	*publish.Draft
	manifestSum string
}

// assumption is an option that determines a publication besides its inputs and its commit
// record. Its manifest records it. If the manifest is lost, or too old to record it, several are
// tried.
type assumption struct {
	binaryVersion  string
	acceptRemovals bool
	recorded       bool // the manifest records acceptRemovals
	withoutSteps   bool // the build did not know steps, or a new history lost them
}

func (r *rebuilder) assumptions(c snapshot.Commit, sealed *snapshot.Manifest) (all []assumption) {
	if sealed != nil {
		_, steps := sealed.Counters["steps"]
		a := assumption{binaryVersion: sealed.BinaryVersion, acceptRemovals: sealed.AcceptRemovals, recorded: sealed.AcceptRemovals, withoutSteps: !steps}
		all = append(all, a)
		if !a.recorded {
			a.acceptRemovals = true
			all = append(all, a)
		}
		return all
	}
	versions := []string{r.Version}
	if m, _, err := snapshot.OpenCanonical(r.Root, c.CycleID); err == nil && m.BinaryVersion != r.Version {
		versions = append(versions, m.BinaryVersion)
	}
	for _, withoutSteps := range []bool{false, true} {
		for _, version := range versions {
			all = append(all, assumption{version, false, false, withoutSteps}, assumption{version, true, true, withoutSteps}, assumption{version, true, false, withoutSteps})
		}
	}
	return all
}

// rebuild rebuilds publication c from the one before it and from its canonical cycle. sealed is
// its manifest, nil if lost. If no assumption reproduces the publication, it returns the result
// of the last one.
func (r *rebuilder) rebuild(ctx context.Context, c snapshot.Commit, sealed *snapshot.Manifest) (made rebuilt, err error) {
	for _, a := range r.assumptions(c, sealed) {
		made, err = r.rebuildAs(ctx, c, a)
		if err != nil || made.fits(c, sealed) {
			break
		}
	}
	return made, err
}

// fits reports whether the result may be the published one. With a manifest, this means the same
// number of held fixtures.
func (m *rebuilt) fits(c snapshot.Commit, sealed *snapshot.Manifest) bool {
	if sealed == nil {
		return m.manifestSum == c.ManifestSHA256
	}
	held := m.Manifest.Counters["fixtures_held"]
	return held == 0 || held == sealed.Counters["fixtures_held"]
}

func (r *rebuilder) rebuildAs(ctx context.Context, c snapshot.Commit, a assumption) (made rebuilt, err error) {
	o := r.Options
	o.Cycle, o.Version, o.AcceptRemovals, o.WithoutSteps = c.CycleID, a.binaryVersion, a.acceptRemovals, a.withoutSteps
	o.WithoutRoot = c.FixturesRoot == ""
	if c.Republishes > 0 {
		made.Draft, err = r.redraftHistory(ctx, o, c)
	} else {
		made.Draft, err = r.redraft(ctx, o, c)
	}
	if err != nil {
		return made, err
	}
	made.Manifest.AcceptRemovals = made.Manifest.AcceptRemovals && a.recorded
	made.manifestSum, err = made.WriteManifest()
	for _, ofBuildBefore := range []func(*snapshot.Manifest) bool{
		func(m *snapshot.Manifest) bool { had := m.Losses != nil; m.Losses = nil; return had },
		func(m *snapshot.Manifest) bool { had := m.ShortTimes; m.ShortTimes = true; return !had },
	} {
		if err != nil || made.manifestSum == c.ManifestSHA256 || !ofBuildBefore(&made.Manifest) {
			continue
		}
		if err = r.Root.Remove(made.SnapshotDir() + "/" + layout.ManifestFile); err == nil {
			made.manifestSum, err = made.WriteManifest()
		}
	}
	return made, err
}

// open opens a publication to build on, repairing its manifest first if damaged.
func (r *rebuilder) open(ctx context.Context, c snapshot.Commit) (publish.Base, error) {
	m, err := r.manifest(ctx, c)
	return publish.Base{Commit: c, Manifest: &m}, err
}

// redraft writes publication c again. If files of the base are damaged, it repairs them and
// starts again.
func (r *rebuilder) redraft(ctx context.Context, o publish.Options, c snapshot.Commit) (d *publish.Draft, err error) {
	base := publish.Base{Commit: snapshot.Commit{LastSeq: c.FirstSeq - 1}} // for the first publication
	if c.Version > 1 {
		previous, err := snapshot.ReadCommit(r.Root, c.Version-1)
		if err != nil {
			return nil, err
		}
		if previous.HistoryID != c.HistoryID {
			base.Commit = beginAfter(previous, c.FirstSeq-1)
		} else if base, err = r.open(ctx, previous); err != nil {
			return nil, err
		}
	}
	for tries := 0; ; tries++ {
		base.Substitutes = r.substitutes[base.Commit.Version]
		err := r.Root.RemoveAll(r.dir(c))
		if err == nil {
			d, err = publish.NewDraft(o, base, r.dir(c))
		}
		if err == nil {
			err = d.Write(ctx, c.PublishedAt)
		}
		var damage *snapshot.DamageError
		if !errors.As(err, &damage) || r.readOnly || tries > len(base.Manifest.Files) {
			return d, err
		}
		if err := r.repairFiles(ctx, base.Commit, base.Manifest, err); err != nil {
			return nil, err
		}
	}
}

func (r *rebuilder) dir(c snapshot.Commit) string { return r.Staging() + "/" + string(c.CycleID) }

// redraftHistory writes the first publication of a history again.
func (r *rebuilder) redraftHistory(ctx context.Context, o publish.Options, c snapshot.Commit) (*publish.Draft, error) {
	previous, err := snapshot.ReadCommit(r.Root, c.Version-1)
	if err != nil {
		return nil, err
	}
	republished, err := snapshot.ReadCommit(r.Root, c.Republishes)
	if err != nil {
		return nil, err
	}
	source, err := r.open(ctx, republished)
	if err != nil {
		return nil, err
	}
	if err := r.Root.RemoveAll(r.dir(c)); err != nil {
		return nil, err
	}
	return draftHistory(ctx, o, r.dir(c), c, source, previous.ManifestSHA256)
}

// draftHistory writes commit c, the first of a history, in dir: the dataset of a
// publication once more, without a change log, and with its steps unless o says otherwise.
func draftHistory(ctx context.Context, o publish.Options, dir string, c snapshot.Commit, source publish.Base, previousManifestSum string) (*publish.Draft, error) {
	d := &publish.Draft{Options: o, Dir: dir, Manifest: *source.Manifest}
	m := &d.Manifest
	m.CycleID, m.PublishedAt, m.BinaryVersion = c.CycleID, &c.PublishedAt, o.Version
	m.PreviousManifestSHA256, m.Changes, m.AcceptRemovals = previousManifestSum, nil, false
	if o.WithoutSteps {
		m.Steps, m.Counters = nil, maps.Clone(m.Counters)
		delete(m.Counters, "steps")
	}
	if err := durable.MkdirAllSync(o.Root, d.SnapshotDir()); err != nil {
		return nil, err
	}
	for _, file := range m.Files {
		if err := snapshot.ShareFile(o.Root, source.Commit.Dir(), d.SnapshotDir(), file); err != nil {
			return nil, err
		}
	}
	return d, nil
}
