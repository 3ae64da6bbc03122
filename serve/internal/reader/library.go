package reader

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"mkt/internal/scratch"
	"mkt/publish/football"
	"mkt/serve/asof"
	"mkt/serve/internal/reader/engine"
	"mkt/serve/internal/reader/fairqueue"
	"mkt/serve/internal/reader/segments"
	"mkt/serve/quarantine"
)

// Library has the datasets of all tenants. Safe for concurrent use.
type Library struct {
	*shared
	loaded chan struct{} // closed when every tenant has been refreshed once

	mu      sync.RWMutex
	tenants map[string]*Tenant
}

// Loaded returns a channel that is closed once [Library.Run] has tried to load every
// publication older than its own start.
func (l *Library) Loaded() <-chan struct{} { return l.loaded }

// Tenant has one tenant's datasets, by product, and its provider connection.
type Tenant struct {
	datasets   map[football.Product]*Dataset
	connection *Connection
}

// Dataset returns the dataset of a product, or nil if the library does not serve it.
func (t *Tenant) Dataset(p football.Product) *Dataset { return t.datasets[p] }

// Connection returns the tenant's provider connection.
func (t *Tenant) Connection() *Connection { return t.connection }

// Open starts a library. Run keeps it up to date, and Close closes it.
func Open(o Options) (*Library, error) {
	private, err := makeCache(o.CacheDir)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Poll, o.Log, o.Clock = cmp.Or(o.Poll, time.Second), cmp.Or(o.Log, slog.New(slog.DiscardHandler)), cmp.Or(o.Clock, asof.Real(o.Now))
	l := &Library{loaded: make(chan struct{}), tenants: map[string]*Tenant{}}
	l.shared = &shared{
		o: o, tenantCount: l.tenantCount, loading: make(chan struct{}, 1), scratch: private, steps: segments.NewSteps(),
		renders: fairqueue.New(max(2, runtime.GOMAXPROCS(0)), engine.MaxConcurrent), counts: counts{loads: map[football.Product]*loadCounts{}},
	}
	for _, p := range o.Products {
		l.counts.loads[p] = new(loadCounts)
	}
	if l.loads, err = l.openNotes(o.NotesDir); err != nil {
		return nil, errors.Join(err, private.Remove())
	}
	return l, nil
}

func makeCache(dir string) (*scratch.Folder, error) {
	if dir == "" {
		return scratch.Make("", "mkt-serve-")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return scratch.Make(dir, "run-")
}

// openNotes opens the folder of notes. If it cannot be written, the library works
// without it, and a restart forgets the notes.
func (l *Library) openNotes(dir string) (*quarantine.Store, error) {
	if dir != "" {
		s, err := quarantine.Open(dir, l.o.Now)
		if err == nil {
			return s, nil
		}
		l.o.Log.Warn("cannot write notes about loads; a publication that kills this process will be loaded again after a restart", "dir", dir, "err", err)
	}
	return quarantine.Open(filepath.Join(l.scratch.Dir, "notes"), l.o.Now)
}

// Tenant returns the datasets of a tenant. They give access to this tenant only.
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
	t = &Tenant{datasets: map[football.Product]*Dataset{}, connection: newConnection(l.shared, clientID)}
	for _, p := range l.o.Products {
		t.datasets[p] = newDataset(l.shared, clientID, p)
	}
	l.tenants[clientID] = t
	return t
}

func (l *Library) tenantCount() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.tenants)
}

// Close closes every dataset. Views that are still pinned stay readable.
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
