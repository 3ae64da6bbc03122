package reader

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"mkt/internal/scratch"
	"mkt/publish/football"
	"mkt/serve/quarantine"
)

// Options of a library.
type Options struct {
	DataDir  string // the data root; nothing is written there
	CacheDir string // private: engines' files, bounded; "" = a temporary folder
	// NotesDir keeps notes of loads under way, so that a publication that kills the
	// process is known after a restart; "" = below CacheDir, for as long as that lasts.
	NotesDir string
	// Clients lists the tenants to serve, as it is now.
	Clients  func() []string
	Products []football.Product
	Poll     time.Duration // how often news are looked for, live ones twice as often; 0 = a second
	Loads    int           // at once, over all tenants; 0 = 1
	Workers  int           // renderers of one load; 0 = 1
	Renders  int           // pages rendered at once, over all tenants; 0 = as many as processors, at least 2
	// AsOf, when not zero, pins every dataset to the publication that was out at
	// that time, and tells of the runs as of then.
	AsOf time.Time
	Now  func() time.Time
	Log  *slog.Logger
}

// Library is every tenant's datasets. Safe for concurrent use.
type Library struct {
	dataDir  string
	clients  func() []string
	products []football.Product
	poll     time.Duration
	turns    chan struct{}
	workers  int
	asOf     time.Time
	now      func() time.Time
	log      *slog.Logger
	scratch  *scratch.Folder
	loads    *quarantine.Store
	places   *places
	counts   counts

	loaded chan struct{} // closed when every tenant was looked at once

	mu      sync.RWMutex
	tenants map[string]*Tenant
}

// Loaded is closed when what was published before Run began has been loaded, or
// could not be.
func (l *Library) Loaded() <-chan struct{} { return l.loaded }

// Tenant is one tenant's datasets, by product, and its provider connection.
type Tenant struct {
	datasets   map[football.Product]*Dataset
	connection *Connection
}

// Dataset of a product; nil when the library does not serve it.
func (t *Tenant) Dataset(p football.Product) *Dataset { return t.datasets[p] }

// Connection is the tenant's.
func (t *Tenant) Connection() *Connection { return t.connection }

// watched is what has news to look for.
type watched interface{ Refresh(context.Context) }

// Room for what is remembered, over all tenants and at least for each.
type roomOf struct{ all, least int }

var (
	pageRoom   = roomOf{32 << 20, 1 << 20}
	eventRoom  = roomOf{16 << 20, 1 << 20}
	matchRoom  = roomOf{4 << 20, 256 << 10}
	engineRoom = roomOf{96 << 20, leastMemory}
)

// Open starts a library. Run keeps it up to date; Close ends it.
func Open(o Options) (*Library, error) {
	private, err := makeCache(o.CacheDir)
	if err != nil {
		return nil, err
	}
	l := &Library{
		dataDir: o.DataDir, clients: o.Clients, products: o.Products, poll: o.Poll, asOf: o.AsOf, now: o.Now, log: o.Log,
		workers: max(1, o.Workers), turns: make(chan struct{}, max(1, o.Loads)), scratch: private, tenants: map[string]*Tenant{}, loaded: make(chan struct{}),
		places: newPlaces(cmp.Or(o.Renders, max(2, runtime.GOMAXPROCS(0)))),
	}
	l.counts.loads = map[football.Product]*loadCounts{}
	for _, p := range o.Products {
		l.counts.loads[p] = new(loadCounts)
	}
	if l.poll <= 0 {
		l.poll = time.Second
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.loads, err = l.openNotes(o.NotesDir); err != nil {
		return nil, errors.Join(err, private.Remove())
	}
	return l, nil
}

// makeCache makes the private folder of this process.
func makeCache(dir string) (*scratch.Folder, error) {
	if dir == "" {
		return scratch.Make("", "mkt-serve-")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return scratch.Make(dir, "run-")
}

// openNotes opens the folder of notes. One that cannot be written to is no reason
// not to serve: then a restart forgets.
func (l *Library) openNotes(dir string) (*quarantine.Store, error) {
	if dir != "" {
		s, err := quarantine.Open(dir, l.now)
		if err == nil {
			return s, nil
		}
		l.log.Warn("a publication that kills this process will be tried again after a restart: no notes can be made", "err", err)
	}
	return quarantine.Open(filepath.Join(l.scratch.Dir, "notes"), l.now)
}

// Tenant returns the handle of a tenant. Below it, no name of a tenant is ever
// asked for again.
func (l *Library) Tenant(clientID string) *Tenant {
	l.mu.RLock()
	t, ok := l.tenants[clientID]
	l.mu.RUnlock()
	if ok {
		return t
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.tenants[clientID]; ok {
		return t
	}
	t = &Tenant{datasets: map[football.Product]*Dataset{}, connection: newConnection(l, clientID)}
	for _, p := range l.products {
		log := l.log.With("tenant", clientID, "product", string(p))
		t.datasets[p] = &Dataset{library: l, clientID: clientID, product: p, unfit: map[string]unfit{}, counts: l.counts.loads[p],
			log: log, faults: newFaults(log, l.now)}
	}
	l.tenants[clientID] = t
	return t
}

// liveRounds is how many times more often than for others news of live datasets
// are looked for: theirs are served within a second.
const liveRounds = 2

func isLiveDataset(w watched) bool {
	d, ok := w.(*Dataset)
	return ok && d.product == football.LiveIntelligence
}

// Run looks for news until ctx ends, then waits for loads under way.
func (l *Library) Run(ctx context.Context) {
	var busy sync.Map // those whose refresh is under way
	var wait sync.WaitGroup
	defer wait.Wait()
	tick := time.NewTicker(max(l.poll/liveRounds, time.Millisecond))
	defer tick.Stop()
	var opening sync.WaitGroup
	for round := 0; ; round++ {
		for _, w := range l.served() {
			if round%liveRounds != 0 && !isLiveDataset(w) {
				continue
			}
			if _, running := busy.LoadOrStore(w, true); running {
				continue
			}
			if round == 0 {
				opening.Add(1)
			}
			wait.Go(func() {
				defer busy.Delete(w)
				w.Refresh(ctx)
				if round == 0 {
					opening.Done()
				}
			})
		}
		if round == 0 {
			wait.Go(func() { opening.Wait(); close(l.loaded) })
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// served lists what to keep up to date, and closes the datasets of tenants that
// are gone.
func (l *Library) served() []watched {
	var list []watched
	wanted := map[string]bool{}
	for _, id := range l.clients() {
		wanted[id] = true
		t := l.Tenant(id)
		list = append(list, t.connection)
		for _, d := range t.datasets {
			list = append(list, d)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, t := range l.tenants {
		if wanted[id] {
			continue
		}
		delete(l.tenants, id)
		for _, d := range t.datasets {
			go d.close() // waits for a refresh under way
		}
	}
	return list
}

// Close closes every dataset. Views that are still held stay readable.
func (l *Library) Close() error {
	l.mu.Lock()
	tenants := l.tenants
	l.tenants = map[string]*Tenant{}
	l.mu.Unlock()
	for _, t := range tenants {
		for _, d := range t.datasets {
			d.close()
		}
	}
	return errors.Join(l.loads.Close(), l.scratch.Remove())
}

// turn waits until this load may begin.
func (l *Library) turn(ctx context.Context) (release func(), err error) {
	select {
	case l.turns <- struct{}{}:
		return func() { <-l.turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// room is a tenant's share.
func (l *Library) room(r roomOf) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return max(r.least, r.all/max(1, len(l.tenants)))
}

func (l *Library) engineMemory() int64 { return min(mostMemory, int64(l.room(engineRoom))) }
