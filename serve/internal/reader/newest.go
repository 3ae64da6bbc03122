package reader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
	"mkt/serve/quarantine"
)

// wanted reports whether a commit is to be loaded. Within one history a reader
// never goes back; another history is a restored backup, which begins anew. An
// engine that broke is replaced.
func (d *Dataset) wanted(c snapshot.Commit) bool {
	if d.current == nil {
		return true
	}
	served := d.current.commit
	if e := d.current.engine; e != nil && e.broken.Load() && c.Version >= served.Version {
		return true
	}
	return c.HistoryID != served.HistoryID || c.Version > served.Version
}

// unfit is a publication that is not served: it is in quarantine.
type unfit struct {
	why   error
	until time.Time // it is not tried again before
}

// How long a publication that will not load is not tried again. It may be one whose
// files are still being restored, or whose rights are just being put right.
const (
	unfitFor      = 10 * time.Minute
	unreadableFor = time.Minute
)

func (d *Dataset) isQuarantined(c snapshot.Commit) bool {
	u, ok := d.unfit[c.SHA256]
	return ok && d.library.now().Before(u.until)
}

// quarantine notes that a publication will not load, and forgets those that may be
// tried again: where every one is unfit, there is another every few seconds.
func (d *Dataset) quarantine(c snapshot.Commit, why error) {
	now := d.library.now()
	maps.DeleteFunc(d.unfit, func(_ string, u unfit) bool { return !now.Before(u.until) })
	wait := unfitFor
	if errors.Is(why, snapshot.ErrUnreadable) {
		wait = unreadableFor
	}
	d.unfit[c.SHA256] = unfit{why, now.Add(wait)}
}

// backward is how many publications a reader tries before it waits.
const backward = 8

// loadNewest loads the newest publication that is fit: that of a commit, or one
// before it that is newer than what is served.
func (d *Dataset) loadNewest(ctx context.Context, head snapshot.Commit) error {
	var errs []error
	for version := head.Version; version > 0 && head.Version-version <= backward; version-- {
		c, err := head, error(nil)
		if version < head.Version {
			c, err = snapshot.ReadCommit(d.root, version)
		}
		switch {
		case snapshot.IsFault(err):
			continue // the record is gone or damaged, and so its publication
		case err != nil:
			return errors.Join(append(errs, err)...)
		case version < head.Version && (!d.library.asOf.IsZero() || !d.wanted(c)):
			return errors.Join(errs...)
		case d.isQuarantined(c):
			continue
		}
		started := time.Now()
		err = d.load(ctx, c, version == head.Version)
		d.counts.load(ctx, err, time.Since(started))
		if err == nil || !isUnfit(err) {
			return errors.Join(append(errs, err)...)
		}
		d.quarantine(c, err)
		errs = append(errs, fmt.Errorf("publication %d is in quarantine: %w", c.Version, err))
	}
	return errors.Join(errs...)
}

// isUnfit reports whether a snapshot itself is to blame, so that another one may
// load although this one does not.
func isUnfit(err error) bool {
	for _, blame := range []error{ErrUnfit, table.ErrFormat, durable.ErrNotRegular, fs.ErrNotExist} {
		if errors.Is(err, blame) {
			return true
		}
	}
	var killed *quarantine.QuarantineError
	return snapshot.IsFault(err) || errors.As(err, &killed)
}

// load makes a commit the current view. The newest one may still go with the
// power; those before it were built upon, and do not.
func (d *Dataset) load(ctx context.Context, c snapshot.Commit, newest bool) error {
	if newest {
		if err := snapshot.Settle(d.root, c); err != nil {
			return fmt.Errorf("publication %d is not certain to survive a power cut: %w", c.Version, snapshot.Fault(layout.CommitsDir, err))
		}
	}
	m, err := snapshot.Open(d.root, c)
	if err != nil {
		return err
	}
	if m.ClientID != d.clientID || m.Product != d.product {
		return fmt.Errorf("%w: the snapshot is of client %s, product %s", ErrUnfit, m.ClientID, m.Product)
	}
	load := d.loadMarkets
	if d.product == football.LiveIntelligence {
		load = d.loadLive
	}
	if err := load(ctx, c, m); err != nil {
		return err
	}
	d.faults.note(slog.LevelWarn, "look at the owners of what is served", d.strangers(c, m))
	return nil
}

// noted runs a load under a note, which tells the next process when this one dies
// in it.
func (d *Dataset) noted(c snapshot.Commit, load func() error) error {
	note, err := d.library.loads.Begin(quarantine.Publication{ClientID: d.clientID, Product: string(d.product), Version: c.Version, CommitSHA256: c.SHA256})
	var killed *quarantine.QuarantineError
	if errors.As(err, &killed) {
		return err
	}
	d.faults.note(slog.LevelWarn, "make a note of a load", err)
	if err != nil {
		return load()
	}
	err = load()
	d.faults.note(slog.LevelWarn, "remove the note of a load", note.End())
	return err
}

// strangers is an error that names files of a publication whose owner is neither
// root, nor this user, nor the owner of the folder they are in.
func (d *Dataset) strangers(c snapshot.Commit, m snapshot.Manifest) error {
	names := []string{layout.Current, layout.Commit(c.Version), c.Dir(), c.Dir() + "/" + layout.ManifestFile}
	for _, f := range m.Files {
		names = append(names, c.Dir()+"/"+f.Name)
	}
	strange, err := durable.Strangers(d.root, os.Geteuid(), names...)
	if err != nil || len(strange) == 0 {
		return err
	}
	return fmt.Errorf("%s and %d more belong to another user, who can change them: mkt doctor says how to put it right", path.Base(strange[0]), len(strange)-1)
}

// loadMarkets loads a snapshot of the market engine, in its turn.
func (d *Dataset) loadMarkets(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	release, err := d.library.turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	started := time.Now()
	dir, err := os.MkdirTemp(d.library.scratch.Dir, "load-")
	if err != nil {
		return err
	}
	var l *loaded
	err = d.noted(c, func() (err error) {
		l, err = load(ctx, d.root, c.Dir(), m, bounds{dir, d.library.engineMemory(), d.library.workers})
		return err
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if d.current != nil && d.current.engine.broken.Load() {
		d.library.counts.replaced.Add(1)
	}
	d.swap(d.view(c, m, l, dir))
	d.log.Info("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", l.index.fixtures(), "last_seq", c.LastSeq, "took_ms", time.Since(started).Milliseconds())
	return nil
}

// loadLive loads a snapshot of the live product. It waits for no turn: it takes
// milliseconds, and must not wait for a large load.
func (d *Dataset) loadLive(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	started := time.Now()
	var s *liveSet
	err := d.noted(c, func() (err error) {
		s, err = loadLive(ctx, d.root, c.Dir(), m)
		return err
	})
	if err != nil {
		return err
	}
	v := &View{commit: c, manifest: trimmed(m), held: m.Counters["held"], live: s, log: d.changes, dataset: d}
	v.refs.Store(1)
	d.swap(v)
	d.log.Debug("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", len(s.fixtures), "in_play", len(s.inPlay), "took_ms", time.Since(started).Milliseconds())
	return nil
}

// view makes a view of what was loaded. dir holds what its engine spills.
func (d *Dataset) view(c snapshot.Commit, m snapshot.Manifest, l *loaded, dir string) *View {
	v := &View{
		commit: c, manifest: trimmed(m), held: m.Counters["fixtures_held"], index: l.index, engine: l.engine, log: d.changes, dataset: d,
		pages:   newLRU[string, *api.Page](d.library.room(pageRoom)),
		matches: newLRU[FixtureFilter, []int32](d.library.room(matchRoom)),
		closed: func(err error) {
			if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
				d.log.Warn("close a snapshot", "version", c.Version, "err", err)
			}
		},
	}
	v.refs.Store(1)
	return v
}

// trimmed keeps of a manifest what serving needs.
func trimmed(m snapshot.Manifest) snapshot.Manifest {
	m.Files, m.Tables, m.Counters, m.UnknownFields, m.Broken, m.Damaged = nil, nil, nil, nil, nil, nil
	return m
}

// backOff spaces out tries after a fault that is not the snapshot's, such as a
// full disk: 1 s, 2 s, 4 s and so on up to a minute.
func (d *Dataset) backOff(err error) {
	if err == nil || isUnfit(err) {
		d.failed, d.retryAt = 0, time.Time{}
		return
	}
	d.failed = min(d.failed+1, 7)
	d.retryAt = d.library.now().Add(min(time.Minute, time.Second<<(d.failed-1)))
}
