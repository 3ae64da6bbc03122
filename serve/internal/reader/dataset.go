package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/segments"
)

// Dataset is one tenant's data of one product: the newest snapshot that could be
// loaded, and the contents of the steps' state files. A Dataset gives access to this
// tenant only.
type Dataset struct {
	library  *Library
	clientID string
	product  football.Product
	log      *slog.Logger
	counts   *loadCounts // of its product, over all tenants

	mu      sync.RWMutex
	current *View // nil until a snapshot is loaded
	state   State
	trouble Trouble
	ahead   map[uint64]time.Time // positions beyond the end of the log, and when a client first sent them

	refreshing  sync.Mutex // held during a refresh
	indexing    sync.Mutex // held while the indexes of steps are made
	asking      sync.Mutex // held during a refresh for a request
	faults      *faults
	root        folder // of the account and product; nil until the folder exists
	segments    *segments.Reader
	quarantined map[string]quarantined // publications that cannot be loaded, by the hash of their commit
	retryAt     time.Time              // no load before this time, after an error that is not the snapshot's
	failed      int                    // loads that failed in a row
	lastRefresh time.Time              // end of the last refresh
	lastFetch   time.Time              // when other replicas were last asked
	looked      atomic.Bool            // the state files were read, or there are none
	gone        bool                   // the tenant is no longer served
	watch       watch                  // of the polls
	isWatched   bool                   // the operating system gives notices
	watchAt     time.Time              // when it is asked again, after it refused
	noticed     atomic.Bool            // a poll is about to begin because of a notice
	span        []snapshot.Commit      // for a clock of the past, the publications that it can show, oldest first; nil = not read yet
	next        time.Time              // when the publication after the served one was published, for a clock of the past; zero = there is none
	took        time.Duration          // of the last successful load of markets, without the wait for its slot
}

type folder interface {
	durable.ReadFS
	io.Closer
}

// State is the result of the newest run of each step, nil if there was none, and the
// number of provider calls by UTC day and endpoint.
type State struct {
	Fetch, Transform, Publish *health.Run
	// FetchLost reports that the state file of fetch exists but cannot be read. Fetch
	// then has the file's last readable content, if there was any.
	FetchLost bool
	// Pace is how often a schedule runs the cycles for the sake of the provider's quota;
	// nil if it never did.
	Pace  *health.Pace
	Calls map[string]map[string]int64
}

// Acquire pins the current view and returns it, or nil if there is none yet. The
// caller must release it.
func (d *Dataset) Acquire() *View {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.current != nil {
		d.current.refs.Add(1)
	}
	return d.current
}

// State returns the state files as they were last read.
func (d *Dataset) State() State {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.state
}

// Looked reports whether the folder of the dataset was looked at. Before that, State knows
// nothing.
func (d *Dataset) Looked() bool { return d.looked.Load() }

// Trouble is why the newest publication is not served.
type Trouble string

const (
	NoTrouble   Trouble = ""
	Quarantined Trouble = "quarantined" // it is damaged, unreadable, or killed the process; an older one is served, if there is one
	NoAccess    Trouble = "no access"   // the published files or the private folder cannot be read or written
)

// Trouble returns why the newest publication is not served, as of the last refresh.
func (d *Dataset) Trouble() Trouble {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.trouble
}

// NotReady returns the error for requests while there is no view: UPSTREAM_UNAVAILABLE
// if the last fetch could not reach the provider, else DATA_NOT_READY.
func (d *Dataset) NotReady() *api.Error {
	if run := d.State().Fetch; run != nil && !run.OK && run.Code == health.CodeUnreachable {
		return &api.Error{Code: api.UpstreamUnavailable, RetryAfter: time.Minute}
	}
	return &api.Error{Code: api.DataNotReady, RetryAfter: time.Minute}
}

// Published reports whether a publish step has ever succeeded, according to its state
// file. If it has and there is no view, a view is about to be loaded.
func (d *Dataset) Published() bool {
	run := d.State().Publish
	return run != nil && (run.OK || run.LastOKAt != nil)
}

// poll refreshes the dataset if anything may have changed.
func (d *Dataset) poll(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.noticed.Store(false)
	if d.open() != nil || d.root == nil {
		d.refreshLocked(ctx) // which reports the error
		return
	}
	at := d.library.o.Now()
	if l := d.library; l.notices != nil && !d.isWatched && !at.Before(d.watchAt) {
		l.watched.Store(d.folder(), d)
		d.isWatched, d.watchAt = l.notices.Add(d.folder()) == nil, at.Add(time.Minute) // it allows so many watches
	}
	now := marksOf(d.root)
	if d.watch.isUnchanged(now, at) && !d.isBroken() && !d.library.o.Clock.IsPast() {
		return
	}
	d.watch.hasRead(now, at, d.refreshLocked(ctx))
}

// Refresh looks for a new publication and loads it. It waits for another refresh of
// this dataset to end, and for a free load slot. It logs errors and then keeps the
// current view.
func (d *Dataset) Refresh(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.refreshLocked(ctx)
}

// refreshLocked reports whether everything could be read, and the newest publication is
// served.
func (d *Dataset) refreshLocked(ctx context.Context) bool {
	complete, err := d.refresh(ctx)
	if ctx.Err() == nil {
		d.faults.note(slog.LevelError, "cannot load the newest publication", err)
	}
	return complete && err == nil
}

const minRefreshAge = 200 * time.Millisecond

// RefreshSoon refreshes on behalf of a request and waits for the result for at most
// timeout. Clients can cause it, so it does nothing if another request's is in progress
// or has just ended. A poll is waited for, because it does not ask other replicas.
func (d *Dataset) RefreshSoon(ctx context.Context, timeout time.Duration) {
	if !d.asking.TryLock() {
		return
	}
	await(ctx, timeout, func(ctx context.Context) {
		defer d.asking.Unlock()
		d.refreshing.Lock()
		defer d.refreshing.Unlock()
		last := &d.lastRefresh
		if d.library.o.Fetch != nil {
			last = &d.lastFetch
		}
		if d.library.o.Now().Sub(*last) < minRefreshAge {
			return
		}
		if d.library.o.Fetch != nil {
			_ = d.library.o.Fetch(ctx, d.clientID, d.product) // an error is logged there, and the local data is served
			d.lastFetch = d.library.o.Now()
		}
		d.refreshLocked(ctx)
	})
}

// await runs do and returns when it has returned, ctx has ended, or timeout has elapsed. do
// continues in any case, because a client that disconnects must not stop a load.
func await(ctx context.Context, timeout time.Duration, do func(context.Context)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(context.WithoutCancel(ctx))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(timeout):
	}
}

func (d *Dataset) refresh(ctx context.Context) (complete bool, err error) {
	defer func() { d.lastRefresh = d.library.o.Now() }()
	if err := d.open(); err != nil || d.root == nil {
		if err != nil {
			d.setTrouble(NoAccess)
		}
		d.looked.Store(true)
		return false, err
	}
	c, found, fault, err := d.head()
	complete = d.readState(c)
	d.looked.Store(true)
	if d.library.o.Now().Before(d.retryAt) {
		return false, nil
	}
	if err == nil && !found && d.library.o.Clock.IsPast() && d.current != nil {
		d.swap(nil) // it is rewound to before the first publication
	}
	if err == nil && found && d.wanted(c) {
		err = d.loadNewest(ctx, c)
		if ctx.Err() == nil {
			d.backOff(err)
		}
	}
	d.updateTrouble(c, found, fault, err)
	if fault != nil {
		fault = fmt.Errorf("the newest publication is in quarantine, and an older one is served: %w", fault)
	}
	return complete && (!found || !d.wanted(c)), errors.Join(fault, err)
}

// updateTrouble records why c, the newest readable publication, is not served.
func (d *Dataset) updateTrouble(c snapshot.Commit, found bool, fault, err error) {
	trouble := NoTrouble
	switch {
	case fault != nil, found && d.isQuarantined(c) && d.wanted(c), !found && isSnapshotFault(err):
		trouble = Quarantined
	case err != nil && !isSnapshotFault(err):
		trouble = NoAccess
	}
	d.setTrouble(trouble)
}

func (d *Dataset) setTrouble(t Trouble) {
	d.mu.Lock()
	d.trouble = t
	d.mu.Unlock()
}

func (d *Dataset) folder() string {
	return filepath.Join(d.library.o.DataDir, layout.TenantProduct(d.clientID, string(d.product)))
}

func (d *Dataset) open() error {
	if d.root != nil || d.gone {
		return nil
	}
	if _, err := os.Lstat(d.folder()); errors.Is(err, fs.ErrNotExist) {
		if above, err := os.Lstat(filepath.Dir(d.folder())); err == nil && above.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("open the data of %s: %w", d.clientID, durable.ErrNotRegular)
		}
		return nil // as for every account without this product, at every poll
	}
	root, err := durable.OpenWithin(d.library.o.DataDir, layout.TenantProduct(d.clientID, string(d.product)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the data of %s: %w", d.clientID, err)
	}
	d.root, d.segments = root, segments.New(root, d.library.shareOf(eventCacheSize), d.library.steps)
	return nil
}

// readState reads the state files, and reports whether all of them could be read. c is the
// publication to serve, or zero if there is none.
func (d *Dataset) readState(c snapshot.Commit) bool {
	var s State
	known, complete := d.State(), true
	run := func(step string, before *health.Run) *health.Run {
		r, err := health.Read(d.root, step)
		if err == nil && r == nil {
			err = d.checkStateFile(step)
		}
		d.faults.note(slog.LevelWarn, "cannot read the state of "+step, err)
		if err != nil {
			complete = false
			s.FetchLost = s.FetchLost || step == health.StepFetch
			return before
		}
		return d.library.runAsOf(r, c.PublishedAt)
	}
	s.Fetch, s.Transform, s.Publish = run(health.StepFetch, known.Fetch), run("transform", known.Transform), run("publish", known.Publish)
	calls, err := health.ReadCalls(d.root)
	d.faults.note(slog.LevelWarn, "cannot read the counts of provider calls", err)
	s.Calls = calls.Days
	complete = complete && err == nil
	pace, err := health.ReadPace(d.root)
	d.faults.note(slog.LevelWarn, "cannot read the pace", err)
	s.Pace = pace
	if err != nil {
		s.Pace = known.Pace
	}
	d.mu.Lock()
	d.state = s
	d.mu.Unlock()
	return complete && err == nil
}

// checkStateFile returns an error if a step's state file exists but cannot be parsed. The
// next run of the step rewrites it.
func (d *Dataset) checkStateFile(step string) error {
	name := layout.StateDir + "/" + step + ".json"
	there, err := durable.Exists(d.root, name)
	if err == nil && there {
		err = fmt.Errorf("%s is not a state file; the last known state is kept until the next run rewrites it", name)
	}
	return err
}

// swap replaces the current view. Requests that hold the old one keep it.
func (d *Dataset) swap(next *View) {
	d.mu.Lock()
	before := d.current
	if d.current = next; next != nil {
		next.order = d.library.swaps.Add(1)
	}
	d.mu.Unlock()
	if before != nil {
		before.Release()
	}
	if next != nil && d.library.o.Loaded != nil {
		d.library.o.Loaded(d.clientID)
	}
}

func (d *Dataset) close() {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.swap(nil)
	d.gone = true
	if d.library.watched.CompareAndDelete(d.folder(), d) { // no dataset that followed it has its folder
		d.library.notices.Remove(d.folder())
	}
	if d.root != nil {
		d.root.Close()
		d.root = nil
	}
}
