package reader

import (
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
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/segments"
)

// Dataset is one tenant's data of one product: the newest snapshot that could be
// loaded, and the contents of the steps' state files. A Dataset gives access to this
// tenant only.
type Dataset struct {
	shared   *shared
	clientID string
	product  football.Product
	log      *slog.Logger
	counts   *loadCounts // of its product, over all tenants

	mu      sync.RWMutex
	current *View // nil until a snapshot is loaded
	state   State
	trouble Trouble
	ahead   map[uint64]time.Time // positions beyond the end of the log, and when a client first sent them

	refreshing   sync.Mutex // held during a refresh
	indexing     sync.Mutex // held while the indexes of steps are made
	asking       sync.Mutex // held during a refresh for a request
	faults       *faults
	root         folder // of the account and product; nil until the folder exists
	publications publications
	segments     *segments.Reader
	quarantined  quarantined
	backOff      backOff
	lastRefresh  time.Time     // end of the last refresh
	lastFetch    time.Time     // when other replicas were last asked
	looked       atomic.Bool   // the state files were read, or there are none
	gone         bool          // the tenant is no longer served
	watch        watch         // of the polls
	isWatched    bool          // the operating system gives notices
	watchAt      time.Time     // when it is asked again, after it refused
	noticed      atomic.Bool   // a poll is about to begin because of a notice
	took         time.Duration // of the last successful load of markets, without the wait for its slot
}

type folder interface {
	durable.ReadFS
	io.Closer
}

func newDataset(s *shared, clientID string, p football.Product) *Dataset {
	log := s.o.Log.With("tenant", clientID, "product", string(p))
	return &Dataset{shared: s, clientID: clientID, product: p, log: log, counts: s.counts.loads[p], faults: newFaults(log, s.o.Now),
		publications: publications{clock: s.o.Clock, log: log}, quarantined: quarantined{}}
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
// if the last fetch could not reach the provider, else DATA_NOT_READY. A process that has just
// started is ready in a moment, and says so.
func (d *Dataset) NotReady() *api.Error {
	wait := time.Minute
	if !d.Looked() || d.Published() && d.Trouble() == NoTrouble {
		wait = time.Second
	}
	if run := d.State().Fetch; run != nil && !run.OK && run.Code == health.CodeUnreachable {
		return &api.Error{Code: api.UpstreamUnavailable, RetryAfter: wait}
	}
	return &api.Error{Code: api.DataNotReady, RetryAfter: wait}
}

// Published reports whether a publish step has ever succeeded, according to its state
// file. If it has and there is no view, a view is about to be loaded.
func (d *Dataset) Published() bool {
	run := d.State().Publish
	return run != nil && (run.OK || run.LastOKAt != nil)
}

func (d *Dataset) setState(s State) {
	d.mu.Lock()
	d.state = s
	d.mu.Unlock()
}

func (d *Dataset) setTrouble(t Trouble) {
	d.mu.Lock()
	d.trouble = t
	d.mu.Unlock()
}

func (d *Dataset) folder() string {
	return filepath.Join(d.shared.o.DataDir, layout.TenantProduct(d.clientID, string(d.product)))
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
	root, err := durable.OpenWithin(d.shared.o.DataDir, layout.TenantProduct(d.clientID, string(d.product)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the data of %s: %w", d.clientID, err)
	}
	d.root, d.segments = root, segments.New(root, d.shared.shareOf(eventCacheSize), d.shared.steps)
	return nil
}

// swap replaces the current view. Requests that hold the old one keep it.
func (d *Dataset) swap(next *View) {
	d.mu.Lock()
	before := d.current
	if d.current = next; next != nil {
		next.order = d.shared.swaps.Add(1)
	}
	d.mu.Unlock()
	if before != nil {
		before.Release()
	}
	if next != nil && d.shared.o.Loaded != nil {
		d.shared.o.Loaded(d.clientID)
	}
}

func (d *Dataset) close() {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.swap(nil)
	d.gone = true
	if d.shared.watched.CompareAndDelete(d.folder(), d) { // no dataset that followed it has its folder
		d.shared.notices.Remove(d.folder())
	}
	if d.root != nil {
		d.root.Close()
		d.root = nil
	}
}
