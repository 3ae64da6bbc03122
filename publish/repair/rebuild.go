package repair

import (
	"context"
	"errors"

	"mkt/publish"
	"mkt/publish/snapshot"
)

// rebuilder rebuilds publications below the staging folder of its run.
type rebuilder struct {
	publish.Options
	readOnly bool // damage of what a publication was made from is an error, not repaired

	repaired []string
	// substitutes are rebuilt files with the rows that were sealed in other bytes, by the
	// version of the publication: see publish.Base.
	substitutes map[uint64]map[string]string
}

func newRebuilder(o publish.Options) (*rebuilder, error) {
	o, err := o.Complete()
	return &rebuilder{Options: o, substitutes: map[uint64]map[string]string{}}, err
}

// rebuilt is a publication that was rebuilt below staging.
type rebuilt struct {
	*publish.Draft
	manifestSum string
}

// assumption is what a publication depends on beside its inputs and its commit record.
// Its manifest records it; if the manifest is lost, or does not record everything since
// an older version wrote it, assumptions are tried.
type assumption struct {
	binaryVersion  string
	acceptRemovals bool
	recorded       bool // the manifest records acceptRemovals
}

func (r *rebuilder) assumptions(c snapshot.Commit, sealed *snapshot.Manifest) (all []assumption) {
	if sealed != nil && sealed.AcceptRemovals {
		return []assumption{{sealed.BinaryVersion, true, true}}
	}
	if sealed != nil {
		return []assumption{{binaryVersion: sealed.BinaryVersion}, {sealed.BinaryVersion, true, false}}
	}
	versions := []string{r.Version}
	if m, _, err := snapshot.OpenCanonical(r.Root, c.CycleID); err == nil && m.BinaryVersion != r.Version {
		versions = append(versions, m.BinaryVersion)
	}
	for _, version := range versions {
		all = append(all, assumption{binaryVersion: version}, assumption{version, true, true}, assumption{version, true, false})
	}
	return all
}

// rebuild rebuilds publication c from the one before it and from its canonical cycle.
// sealed is its manifest, nil if that is lost. If no assumption gives what was
// published, the last one's result is returned.
func (r *rebuilder) rebuild(ctx context.Context, c snapshot.Commit, sealed *snapshot.Manifest) (made rebuilt, err error) {
	for _, a := range r.assumptions(c, sealed) {
		made, err = r.rebuildAs(ctx, c, a)
		if err != nil || made.fits(c, sealed) {
			break
		}
	}
	return made, err
}

// fits reports whether what was rebuilt may be what was published. If the manifest is
// there, that is whether the same number of fixtures was held.
func (m *rebuilt) fits(c snapshot.Commit, sealed *snapshot.Manifest) bool {
	if sealed == nil {
		return m.manifestSum == c.ManifestSHA256
	}
	held := m.Manifest.Counters["fixtures_held"]
	return held == 0 || held == sealed.Counters["fixtures_held"]
}

func (r *rebuilder) rebuildAs(ctx context.Context, c snapshot.Commit, a assumption) (made rebuilt, err error) {
	o := r.Options
	o.Cycle, o.Version, o.AcceptRemovals = c.CycleID, a.binaryVersion, a.acceptRemovals
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
	return made, err
}

// open opens a committed version to build on; a damaged manifest is repaired first.
func (r *rebuilder) open(ctx context.Context, version uint64) (publish.Base, error) {
	c, err := snapshot.ReadCommit(r.Root, version)
	if err != nil {
		return publish.Base{}, err
	}
	m, err := r.manifest(ctx, c)
	return publish.Base{Commit: c, Manifest: &m}, err
}

// redraft writes publication c again. Files of the base that turn out to be damaged are
// repaired, after which it starts anew.
func (r *rebuilder) redraft(ctx context.Context, o publish.Options, c snapshot.Commit) (d *publish.Draft, err error) {
	base := publish.Base{Commit: snapshot.Commit{LastSeq: c.FirstSeq - 1}} // of the first publication
	if c.Version > 1 {
		if base, err = r.open(ctx, c.Version-1); err != nil {
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
		var damage *publish.DamageError
		if !errors.As(err, &damage) || r.readOnly || tries > len(base.Manifest.Files) {
			return d, err
		}
		if err := r.repairFiles(ctx, base.Commit, base.Manifest, err); err != nil {
			return nil, err
		}
	}
}

// dir is the folder that publication c is rebuilt in.
func (r *rebuilder) dir(c snapshot.Commit) string { return r.Staging() + "/" + string(c.CycleID) }

// redraftHistory writes the first publication of a history again.
func (r *rebuilder) redraftHistory(ctx context.Context, o publish.Options, c snapshot.Commit) (*publish.Draft, error) {
	previous, err := snapshot.ReadCommit(r.Root, c.Version-1)
	if err != nil {
		return nil, err
	}
	source, err := r.open(ctx, c.Republishes)
	if err != nil {
		return nil, err
	}
	if err := r.Root.RemoveAll(r.dir(c)); err != nil {
		return nil, err
	}
	return draftHistory(ctx, o, r.dir(c), c, source, previous.ManifestSHA256)
}
