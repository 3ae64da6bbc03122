package reader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// Dataset is one tenant's data of one product: the newest snapshot that could be
// loaded, and what the steps' state files say. Whoever holds it reads this
// tenant and no other.
type Dataset struct {
	library  *Library
	clientID string
	product  football.Product
	log      *slog.Logger

	mu      sync.RWMutex
	current *View // nil until a snapshot was loaded
	state   State

	refreshing sync.Mutex // held while news are looked for and loaded
	root       *durable.Disk
	changes    *changeLog
	unfit      map[string]time.Time // commits by hash that would not load, and when that was
	retryAt    time.Time            // after a fault of ours: not before
	faults     int                  // of them in a row
	looked     time.Time            // when news were last looked for
	gone       bool                 // the tenant is served no longer
}

// State is what the newest run of each step found, nil where there was none, and
// how often the provider was asked, by UTC day and endpoint.
type State struct {
	Fetch, Transform, Publish *health.Run
	Calls                     map[string]map[string]int64
}

// Acquire pins the current view; nil when there is none yet. Release it.
func (d *Dataset) Acquire() *View {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.current != nil {
		d.current.refs.Add(1)
	}
	return d.current
}

// State returns what the state files said when they were last read.
func (d *Dataset) State() State {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.state
}

// Refresh looks for news and loads them. It waits for another refresh that is
// under way, and for its turn among the tenants. Errors are logged; the current
// view stays.
func (d *Dataset) Refresh(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	if err := d.refresh(ctx); err != nil && ctx.Err() == nil {
		d.log.Error("refresh", "err", err)
	}
}

// soon is how old the last look for news may be for RefreshSoon.
const soon = 200 * time.Millisecond

// RefreshSoon looks for news on behalf of a request: it waits for what comes of
// it as long as patience lasts. Clients can cause it, so it does nothing when
// news were looked for a moment ago or are being looked for.
func (d *Dataset) RefreshSoon(ctx context.Context, patience time.Duration) {
	if !d.refreshing.TryLock() {
		return
	}
	recent := d.library.now().Sub(d.looked) < soon
	d.refreshing.Unlock()
	if recent {
		return
	}
	done := make(chan struct{})
	go func() { // a client that goes away does not stop a load
		defer close(done)
		d.Refresh(context.WithoutCancel(ctx))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(patience):
	}
}

func (d *Dataset) refresh(ctx context.Context) error {
	defer func() { d.looked = d.library.now() }()
	if err := d.open(); err != nil || d.root == nil {
		return err
	}
	d.readState()
	if d.library.now().Before(d.retryAt) {
		return nil
	}
	c, found, err := snapshot.Head(d.root)
	if err != nil || !found || !d.wanted(c) {
		return err
	}
	err = d.loadNewest(ctx, c)
	if ctx.Err() == nil {
		d.backOff(err)
	}
	return err
}

// open opens the folder of the dataset once it is there.
func (d *Dataset) open() error {
	if d.root != nil || d.gone {
		return nil
	}
	root, err := durable.OpenExisting(filepath.Join(d.library.dataDir, layout.TenantProduct(d.clientID, string(d.product))))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the data of %s: %w", d.clientID, err)
	}
	d.root, d.changes = root, newChangeLog(root, d.library.room(eventRoom))
	return nil
}

func (d *Dataset) readState() {
	var s State
	for step, run := range map[string]**health.Run{"fetch": &s.Fetch, "transform": &s.Transform, "publish": &s.Publish} {
		r, err := health.Read(d.root, step)
		if err != nil {
			d.log.Warn("read a state file", "step", step, "err", err)
		}
		*run = r
	}
	calls, err := health.ReadCalls(d.root)
	if err != nil {
		d.log.Warn("read the provider calls", "err", err)
	}
	s.Calls = calls.Days
	d.mu.Lock()
	d.state = s
	d.mu.Unlock()
}

// wanted tells whether a commit is news. Within one history a reader never goes
// back; another history is a restored backup, which begins anew.
func (d *Dataset) wanted(c snapshot.Commit) bool {
	if d.setAside(c) {
		return d.current == nil // an older one may do
	}
	if d.current == nil {
		return true
	}
	served := d.current.commit
	return c.HistoryID != served.HistoryID || c.Version > served.Version
}

// asideFor is how long a publication that will not load is not tried again. It
// may be one whose files are still being restored.
const asideFor = 10 * time.Minute

func (d *Dataset) setAside(c snapshot.Commit) bool {
	at, ok := d.unfit[c.SHA256]
	return ok && d.library.now().Sub(at) < asideFor
}

// backward is how many publications a reader without any tries before it waits.
const backward = 8

// loadNewest loads a commit; when it is unfit and nothing is served yet, the
// newest before it that is fit.
func (d *Dataset) loadNewest(ctx context.Context, c snapshot.Commit) error {
	var errs []error
	for tries := 0; ; tries++ {
		if !d.setAside(c) {
			err := d.load(ctx, c)
			if err == nil || !isUnfit(err) {
				return errors.Join(append(errs, err)...)
			}
			d.unfit[c.SHA256] = d.library.now()
			errs = append(errs, fmt.Errorf("publication %d is set aside: %w", c.Version, err))
		}
		if d.current != nil || c.Version == 1 || tries == backward {
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
	if d.product == football.LiveIntelligence {
		return d.loadLive(ctx, c)
	}
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
	m, err := snapshot.Open(d.root, c)
	if err != nil {
		return err
	}
	l, err := load(ctx, d.root, c.Dir(), m, bounds{attempt.dir, d.library.engineMemory(), d.library.workers})
	if err != nil {
		return errors.Join(err, os.RemoveAll(attempt.dir))
	}
	d.swap(d.view(c, m, l, attempt.dir))
	d.log.Info("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", l.index.fixtures(), "last_seq", c.LastSeq, "took_ms", time.Since(started).Milliseconds())
	return nil
}

// loadLive makes a commit of the live product the current view. It waits for no
// turn: it takes milliseconds, and must not wait for a large load.
func (d *Dataset) loadLive(ctx context.Context, c snapshot.Commit) error {
	started := time.Now()
	m, err := snapshot.Open(d.root, c)
	if err != nil {
		return err
	}
	s, err := loadLive(ctx, d.root, c.Dir(), m)
	if err != nil {
		return err
	}
	v := &View{commit: c, manifest: trimmed(m), live: s, log: d.changes}
	v.refs.Store(1)
	d.swap(v)
	d.log.Debug("serving", "cycle", c.CycleID, "version", c.Version, "fixtures", len(s.fixtures), "in_play", len(s.inPlay), "took_ms", time.Since(started).Milliseconds())
	return nil
}

// view makes a view of what was loaded. dir holds what its engine spills.
func (d *Dataset) view(c snapshot.Commit, m snapshot.Manifest, l *loaded, dir string) *View {
	v := &View{
		commit: c, manifest: trimmed(m), index: l.index, engine: l.engine, log: d.changes,
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
	m.Files, m.Tables, m.Counters, m.UnknownFields, m.Broken = nil, nil, nil, nil, nil
	return m
}

// swap puts a view in place; requests that hold the one before keep it. nil
// leaves none.
func (d *Dataset) swap(next *View) {
	d.mu.Lock()
	before := d.current
	d.current = next
	d.mu.Unlock()
	if before != nil {
		before.Release()
	}
}

// backOff spaces out tries after a fault that is not the snapshot's, such as a
// full disk: 1 s, 2 s, 4 s and so on up to a minute.
func (d *Dataset) backOff(err error) {
	if err == nil || isUnfit(err) {
		d.faults, d.retryAt = 0, time.Time{}
		return
	}
	d.faults = min(d.faults+1, 7)
	d.retryAt = d.library.now().Add(min(time.Minute, time.Second<<(d.faults-1)))
}

func (d *Dataset) close() {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.swap(nil)
	d.gone = true
	if d.root != nil {
		d.root.Close()
		d.root = nil
	}
}
