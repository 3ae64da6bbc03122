package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
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
	counts   *loadCounts // of its product, over all tenants

	mu      sync.RWMutex
	current *View // nil until a snapshot was loaded
	state   State
	trouble Trouble

	refreshing sync.Mutex // held while news are looked for and loaded
	faults     *faults
	root       folder // of the account and product; nil until it is there
	changes    *changeLog
	unfit      map[string]unfit // publications that would not load, by the hash of their commit
	retryAt    time.Time        // after a fault of ours: not before
	failed     int              // times in a row
	looked     time.Time        // when news were last looked for
	looks      atomic.Uint64    // how often that was begun
	gone       bool             // the tenant is served no longer
}

// folder is a folder that is opened once.
type folder interface {
	durable.FS
	io.Closer
}

// State is what the newest run of each step found, nil where there was none, and
// how often the provider was asked, by UTC day and endpoint.
type State struct {
	Fetch, Transform, Publish *health.Run
	// FetchLost: the state file of fetch is there and cannot be read. Fetch is what
	// it said before, if anything.
	FetchLost bool
	Calls     map[string]map[string]int64
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

// Trouble is why the newest publication is not served.
type Trouble string

const (
	NoTrouble   Trouble = ""
	Quarantined Trouble = "quarantined" // it is damaged, unreadable, or killed the process: an older one is served, if any
	NoAccess    Trouble = "no access"   // what was published, or the private folder, cannot be worked with
)

// Trouble is what the newest look for news found.
func (d *Dataset) Trouble() Trouble {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.trouble
}

// NotReady is the refusal as long as there is no view: what the last attempt came
// to, and when to ask again.
func (d *Dataset) NotReady() *api.Error {
	if run := d.State().Fetch; run != nil && !run.OK && run.Code == health.CodeUnreachable {
		return &api.Error{Code: api.UpstreamUnavailable, RetryAfter: time.Minute}
	}
	return &api.Error{Code: api.DataNotReady, RetryAfter: time.Minute}
}

// Published tells whether a publish step has ever succeeded, as far as its state
// file knows: without a view, whether there is one to come.
func (d *Dataset) Published() bool {
	run := d.State().Publish
	return run != nil && (run.OK || run.LastOKAt != nil)
}

// Refresh looks for news and loads them. It waits for another refresh that is
// under way, and for its turn among the tenants. Faults are logged; the current
// view stays.
func (d *Dataset) Refresh(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.look(ctx)
}

// look is Refresh with the lock held.
func (d *Dataset) look(ctx context.Context) {
	d.looks.Add(1)
	if err := d.refresh(ctx); ctx.Err() == nil {
		d.faults.note(slog.LevelError, "refresh", err)
	}
}

// soon is how old the last look for news may be for RefreshSoon.
const soon = 200 * time.Millisecond

// RefreshSoon looks for news on behalf of a request: it waits for what comes of
// it as long as patience lasts. Clients can cause it, so it does nothing when
// news were looked for a moment ago or are being looked for: of many at once, one
// looks.
func (d *Dataset) RefreshSoon(ctx context.Context, patience time.Duration) {
	if !d.refreshing.TryLock() {
		return
	}
	if d.library.now().Sub(d.looked) < soon {
		d.refreshing.Unlock()
		return
	}
	done := make(chan struct{})
	go func() { // a client that goes away does not stop a load
		defer close(done)
		defer d.refreshing.Unlock()
		d.look(context.WithoutCancel(ctx))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(patience):
	}
}

// RefreshNow returns when news that were there when it was called have been looked
// for and loaded, or when patience has run out. Of many calls at once one looks.
func (d *Dataset) RefreshNow(ctx context.Context, patience time.Duration) {
	before := d.looks.Load()
	done := make(chan struct{})
	go func() { // a client that goes away does not stop a load
		defer close(done)
		d.refreshing.Lock()
		defer d.refreshing.Unlock()
		if d.looks.Load() == before { // else somebody has looked since
			d.look(context.WithoutCancel(ctx))
		}
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
		if err != nil {
			d.setTrouble(NoAccess)
		}
		return err
	}
	c, found, fault, err := d.head()
	d.readState(c)
	if d.library.now().Before(d.retryAt) {
		return nil
	}
	if err == nil && found && d.wanted(c) {
		err = d.loadNewest(ctx, c)
		if ctx.Err() == nil {
			d.backOff(err)
		}
	}
	d.judge(c, found, fault, err)
	if fault != nil {
		fault = fmt.Errorf("the newest publication is in quarantine, and an older one is served: %w", fault)
	}
	return errors.Join(fault, err)
}

// judge notes why the newest publication is not served. c is the newest whose
// record can be read.
func (d *Dataset) judge(c snapshot.Commit, found bool, fault, err error) {
	trouble := NoTrouble
	switch {
	case fault != nil, found && d.isQuarantined(c) && d.wanted(c), !found && isUnfit(err):
		trouble = Quarantined
	case err != nil && !isUnfit(err):
		trouble = NoAccess
	}
	d.setTrouble(trouble)
}

func (d *Dataset) setTrouble(t Trouble) {
	d.mu.Lock()
	d.trouble = t
	d.mu.Unlock()
}

// open opens the folder of the dataset once it is there.
func (d *Dataset) open() error {
	if d.root != nil || d.gone {
		return nil
	}
	root, err := durable.OpenWithin(d.library.dataDir, layout.TenantProduct(d.clientID, string(d.product)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the data of %s: %w", d.clientID, err)
	}
	d.root, d.changes = root, newChangeLog(root, d.library.room(eventRoom))
	return nil
}

// readState reads what the steps' newest runs found; c is the publication that is
// to be served, zero when there is none.
func (d *Dataset) readState(c snapshot.Commit) {
	var s State
	known := d.State()
	for step, run := range map[string]struct{ now, before **health.Run }{
		"fetch": {&s.Fetch, &known.Fetch}, "transform": {&s.Transform, &known.Transform}, "publish": {&s.Publish, &known.Publish},
	} {
		r, err := health.Read(d.root, step)
		if err == nil && r == nil {
			err = d.isLost(step)
		}
		d.faults.note(slog.LevelWarn, "read the state of "+step, err)
		*run.now = d.library.then(r, c.PublishedAt)
		if err != nil {
			*run.now = *run.before
			s.FetchLost = s.FetchLost || step == health.StepFetch
		}
	}
	calls, err := health.ReadCalls(d.root)
	d.faults.note(slog.LevelWarn, "read the provider calls", err)
	s.Calls = calls.Days
	d.mu.Lock()
	d.state = s
	d.mu.Unlock()
}

// isLost is an error when a step's state file is there and is none. The next run
// of the step writes it anew.
func (d *Dataset) isLost(step string) error {
	name := layout.StateDir + "/" + step + ".json"
	there, err := durable.Exists(d.root, name)
	if err == nil && there {
		err = fmt.Errorf("%s is no state file: what was known before holds", name)
	}
	return err
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
