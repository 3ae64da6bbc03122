package reader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// wanted tells whether a commit is to be loaded. Within one history a reader never
// goes back; another history is a restored backup, which begins anew. An engine
// that broke is replaced.
func (d *Dataset) wanted(c snapshot.Commit) bool {
	if d.setAside(c) {
		return d.current == nil // an older one may do
	}
	if d.current == nil {
		return true
	}
	served := d.current.commit
	if e := d.current.engine; e != nil && e.broken.Load() && c.Version >= served.Version {
		return true
	}
	return c.HistoryID != served.HistoryID || c.Version > served.Version
}

// asideFor is how long a publication that will not load is not tried again. It
// may be one whose files are still being restored.
const asideFor = 10 * time.Minute

func (d *Dataset) setAside(c snapshot.Commit) bool {
	at, ok := d.unfit[c.SHA256]
	return ok && d.library.now().Sub(at) < asideFor
}

// putAside notes that a publication will not load, and forgets those whose time is
// over: where every one is unfit, there is another every few seconds.
func (d *Dataset) putAside(c snapshot.Commit) {
	now := d.library.now()
	maps.DeleteFunc(d.unfit, func(_ string, at time.Time) bool { return now.Sub(at) >= asideFor })
	d.unfit[c.SHA256] = now
}

// backward is how many publications a reader without any tries before it waits.
const backward = 8

// loadNewest loads a commit; when it is unfit and nothing is served yet, the
// newest before it that is fit.
func (d *Dataset) loadNewest(ctx context.Context, c snapshot.Commit) error {
	var errs []error
	for tries := 0; ; tries++ {
		if !d.setAside(c) {
			started := time.Now()
			err := d.load(ctx, c)
			d.counts.load(ctx, err, time.Since(started))
			if err == nil || !isUnfit(err) {
				return errors.Join(append(errs, err)...)
			}
			d.putAside(c)
			errs = append(errs, fmt.Errorf("publication %d is set aside: %w", c.Version, err))
		}
		if d.current != nil || c.Version == 1 || tries == backward || !d.library.asOf.IsZero() {
			return errors.Join(errs...)
		}
		older, err := snapshot.ReadCommit(d.root, c.Version-1)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		c = older
	}
}

// isUnfit tells whether a snapshot itself is to blame, so that it will not load
// the next time either.
func isUnfit(err error) bool {
	for _, blame := range []error{snapshot.ErrDamaged, ErrUnfit, table.ErrFormat, errKills, fs.ErrNotExist} {
		if errors.Is(err, blame) {
			return true
		}
	}
	return false
}

// load makes a commit the current view.
func (d *Dataset) load(ctx context.Context, c snapshot.Commit) error {
	if err := snapshot.Settle(d.root, c); err != nil {
		return fmt.Errorf("publication %d is not certain to stay: %w", c.Version, err)
	}
	m, err := snapshot.Open(d.root, c)
	if err != nil {
		return err
	}
	if m.ClientID != d.clientID || m.Product != d.product {
		return fmt.Errorf("%w: the snapshot is of client %s, product %s", ErrUnfit, m.ClientID, m.Product)
	}
	if d.product == football.LiveIntelligence {
		return d.loadLive(ctx, c, m)
	}
	return d.loadMarkets(ctx, c, m)
}

// loadMarkets loads a snapshot of the market engine, in its turn.
func (d *Dataset) loadMarkets(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	release, err := d.library.turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	started := time.Now()
	attempt, err := d.library.scratch.begin(d.clientID, string(d.product), c.SHA256, d.library.now())
	if err != nil {
		return err
	}
	defer attempt.ended()
	l, err := load(ctx, d.root, c.Dir(), m, bounds{attempt.dir, d.library.engineMemory(), d.library.workers})
	if err != nil {
		return errors.Join(err, os.RemoveAll(attempt.dir))
	}
	if d.current != nil && d.current.engine.broken.Load() {
		d.library.counts.replaced.Add(1)
	}
	d.swap(d.view(c, m, l, attempt.dir))
	d.log.Info("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", l.index.fixtures(), "last_seq", c.LastSeq, "took_ms", time.Since(started).Milliseconds())
	return nil
}

// loadLive loads a snapshot of the live product. It waits for no turn: it takes
// milliseconds, and must not wait for a large load.
func (d *Dataset) loadLive(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	started := time.Now()
	s, err := loadLive(ctx, d.root, c.Dir(), m)
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
