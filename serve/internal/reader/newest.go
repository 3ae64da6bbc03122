package reader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/engine"
	"mkt/serve/internal/reader/feed"
	"mkt/serve/internal/reader/markets"
	"mkt/serve/internal/reader/pages"
	"mkt/serve/quarantine"
)

// wanted reports whether a commit is to be loaded. Within one history a reader never
// goes back. A commit of another history comes from a restored backup, which is
// loaded whatever its version. If the engine is broken, the current commit is loaded
// again.
func (d *Dataset) wanted(c snapshot.Commit) bool {
	if d.current == nil {
		return true
	}
	served := d.current.commit
	if d.shared.o.Clock.IsPast() { // a replay also goes back
		return d.isBroken() || c.SHA256 != served.SHA256
	}
	if d.isBroken() && c.Version >= served.Version {
		return true
	}
	return c.HistoryID != served.HistoryID || c.Version > served.Version
}

// isBroken reports whether the engine of the current view is broken.
func (d *Dataset) isBroken() bool {
	return d.current != nil && d.current.engine != nil && d.current.engine.Broken.Load()
}

// maxOlder is how many older publications are tried before the dataset waits.
const maxOlder = 8

// loadNewest loads the newest loadable publication: head, or an older one
// that is still newer than the served one.
func (d *Dataset) loadNewest(ctx context.Context, head snapshot.Commit) error {
	var errs []error
	for version := head.Version; version > 0 && head.Version-version <= maxOlder; version-- {
		c, err := head, error(nil)
		if version < head.Version {
			c, err = snapshot.ReadCommit(d.root, version)
		}
		switch {
		case snapshot.IsFault(err):
			continue // the record is missing or damaged, so its publication cannot be served
		case err != nil:
			return errors.Join(append(errs, err)...)
		case version < head.Version && (d.shared.o.Clock.IsPast() || !d.wanted(c)):
			return errors.Join(errs...)
		case d.quarantined.has(c, d.shared.o.Now()):
			continue
		}
		started := d.shared.o.Now()
		err = d.load(ctx, c, version == head.Version)
		d.counts.load(ctx, err, d.shared.o.Now().Sub(started))
		if err == nil || !isSnapshotFault(err) {
			return errors.Join(append(errs, err)...)
		}
		d.quarantined.add(c, err, d.shared.o.Now())
		errs = append(errs, fmt.Errorf("publication %d is in quarantine: %w", c.Version, err))
	}
	return errors.Join(errs...)
}

// load makes a commit the current view. The newest commit may not be durable yet and
// is synced; those before it are durable because another one was built on them.
func (d *Dataset) load(ctx context.Context, c snapshot.Commit, newest bool) error {
	if newest {
		if err := snapshot.EnsureDurable(d.root, c); err != nil {
			return fmt.Errorf("publication %d might not survive a power cut: %w", c.Version, snapshot.Fault(layout.CommitsDir, err))
		}
	}
	m, err := snapshot.Open(d.root, c)
	if err != nil {
		return err
	}
	if m.ClientID != d.clientID || m.Product != d.product {
		return fmt.Errorf("%w: the snapshot belongs to client %s, product %s", snapshot.ErrInvalid, m.ClientID, m.Product)
	}
	load := d.loadMarkets
	if d.product == football.LiveIntelligence {
		load = d.loadLive
	}
	if err := load(ctx, c, m); err != nil {
		return err
	}
	d.indexSteps(ctx, m.Steps)
	d.faults.note(slog.LevelWarn, "the check of the owners of the served files failed", d.foreignOwners(c, m))
	return nil
}

// withNote runs a load while a note about it exists, so that the next process knows if
// this one is killed by the load.
func (d *Dataset) withNote(c snapshot.Commit, load func() error) error {
	note, err := d.shared.loads.Begin(quarantine.Publication{ClientID: d.clientID, Product: string(d.product), Version: c.Version, CommitSHA256: c.SHA256})
	var killed *quarantine.QuarantineError
	if errors.As(err, &killed) {
		return err
	}
	d.faults.note(slog.LevelWarn, "cannot write the note about a load", err)
	if err != nil {
		return load()
	}
	err = load()
	d.faults.note(slog.LevelWarn, "cannot remove the note about a load", note.End())
	return err
}

// foreignOwners returns an error that names files of a publication whose owner is neither
// root, nor this user, nor the owner of their folder.
func (d *Dataset) foreignOwners(c snapshot.Commit, m snapshot.Manifest) error {
	names := []string{layout.Current, layout.Commit(c.Version), c.Dir(), c.Dir() + "/" + layout.ManifestFile}
	for _, f := range m.Files {
		names = append(names, c.Dir()+"/"+f.Name)
	}
	foreign, err := durable.Strangers(d.root, os.Geteuid(), names...)
	if err != nil || len(foreign) == 0 {
		return err
	}
	return fmt.Errorf("%s and %d other files belong to another user, who can change them; run \"mkt doctor\" to see how to correct this", path.Base(foreign[0]), len(foreign)-1)
}

func (d *Dataset) loadMarkets(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	select {
	case d.shared.loading <- struct{}{}:
		defer func() { <-d.shared.loading }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	started := d.shared.o.Now()
	dir, err := os.MkdirTemp(d.shared.scratch.Dir, "load-")
	if err != nil {
		return err
	}
	var t *markets.Tables
	var e *engine.Engine
	err = d.withNote(c, func() (err error) {
		t, e, err = markets.Load(ctx, d.root, c.Dir(), m, dir, d.shared.engineMemory())
		return err
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if d.current != nil && d.current.engine.Broken.Load() {
		d.shared.counts.replaced.Add(1)
	}
	d.swap(d.view(c, m, t, e, dir))
	d.took = d.shared.o.Now().Sub(started)
	d.log.Info("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", t.FixtureCount(), "last_seq", c.LastSeq, "took_ms", d.took.Milliseconds())
	return nil
}

// loadLive loads a snapshot of the live product. It takes milliseconds and must not
// wait for a large load, so it needs no load slot.
func (d *Dataset) loadLive(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	started := d.shared.o.Now()
	var s *feed.Set
	err := d.withNote(c, func() (err error) {
		s, err = feed.Load(ctx, d.root, c.Dir(), m)
		return err
	})
	if err != nil {
		return err
	}
	v := &View{commit: c, manifest: trimmed(m), held: m.Counters["held"], Set: s, segments: d.segments}
	v.refs.Store(1)
	d.swap(v)
	d.log.Debug("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", s.KeptCount(), "in_play", s.LiveCount(), "took_ms", d.shared.o.Now().Sub(started).Milliseconds())
	return nil
}

// view returns a view of tables, whose engine spills into dir.
func (d *Dataset) view(c snapshot.Commit, m snapshot.Manifest, t *markets.Tables, e *engine.Engine, dir string) *View {
	v := &View{
		commit: c, manifest: trimmed(m), held: m.Counters["fixtures_held"], Tables: t, engine: e, segments: d.segments,
		Cache: pages.New(d.shared.shareOf(pageCacheSize), d.clientID, d.shared.renders, &d.shared.counts.pages),
		closed: func(err error) {
			if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
				d.log.Warn("cannot close a snapshot", "version", c.Version, "err", err)
			}
		},
	}
	v.refs.Store(1)
	return v
}

func trimmed(m snapshot.Manifest) snapshot.Manifest {
	m.Files, m.Tables, m.Counters, m.UnknownFields, m.Broken, m.Damaged = nil, nil, nil, nil, nil, nil
	return m
}

// indexSteps makes the indexes of the segments, the newest ones first, so that no request waits for
// them. It ends at the tenant's share of their memory: more would evict those of other tenants, and all
// would be built again with every publication. It is called after the publication is served, and does
// not wait for the end.
func (d *Dataset) indexSteps(ctx context.Context, list []snapshot.Segment) {
	if !d.shared.o.Paths || !d.indexing.TryLock() {
		return
	}
	reader, left := d.segments, d.shared.shareOf(stepIndexSize)
	go func() {
		defer d.indexing.Unlock()
		for _, s := range slices.Backward(list) {
			if ctx.Err() != nil || left <= 0 {
				return
			}
			x, err := reader.StepIndex(s)
			switch {
			case err == nil:
				left -= x.Memory()
			case !errors.Is(err, fs.ErrClosed):
				d.log.Warn("cannot read a segment of the steps of prices", "file", s.File, "err", err)
			}
		}
	}()
}
