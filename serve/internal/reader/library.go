package reader

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"mkt/internal/scratch"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/asof"
	"mkt/serve/internal/reader/fairqueue"
	"mkt/serve/quarantine"
)

// Options configure a library.
type Options struct {
	DataDir  string // the data root; nothing is written there
	CacheDir string // private: engines' files, bounded; "" = a temporary folder
	// NotesDir holds notes about loads in progress, so that after a restart a publication
	// that killed the process is known. If it is empty, the notes are kept below CacheDir
	// for as long as that exists.
	NotesDir string
	Clients  func() []string
	// Fetch copies publications from elsewhere to the data root, for a client that may
	// have seen them there; nil if everything is published to the data root itself.
	Fetch    func(ctx context.Context, clientID string, p football.Product) error
	Products []football.Product
	Loaded   func(clientID string) // is called when another publication is served; must not wait; nil = none
	Poll     time.Duration         // interval of refreshes; live datasets are refreshed twice as often; 0 = a second
	// Paths: the indexes that paths of prices need are made before the first one is asked for.
	Paths bool
	// Clock, if it shows the past, decides which publication of every dataset is the newest, and as
	// of when the runs are reported. nil = the present.
	Clock *asof.Clock
	Now   func() time.Time
	Log   *slog.Logger
}

// Library has the datasets of all tenants. Safe for concurrent use.
type Library struct {
	o       Options       // none of its functions but Fetch and Loaded is nil
	loading chan struct{} // has an element during a load, of which there is one at a time over all tenants
	scratch *scratch.Folder
	loads   *quarantine.Store
	renders *fairqueue.Queue
	counts  counts
	notices *fsnotify.Watcher // set by Run; nil = there are none
	watched sync.Map          // the datasets whose folders are watched, by folder
	swaps   atomic.Uint64
	steps   *stepCaches

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

type watched interface{ poll(context.Context) }

// cacheSize is a cache size: a total that all tenants share, and the minimum for each.
type cacheSize struct{ all, least int }

var (
	pageCacheSize    = cacheSize{32 << 20, 1 << 20}
	eventCacheSize   = cacheSize{16 << 20, 1 << 20}
	engineMemorySize = cacheSize{96 << 20, minEngineMemory}
)

// The memory for the indexes of steps of all tenants, and for whole paths of prices.
const (
	stepIndexSize = 60 << 20
	pathSize      = 4 << 20
)

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
	l := &Library{
		o: o, loading: make(chan struct{}, 1), scratch: private, tenants: map[string]*Tenant{}, loaded: make(chan struct{}),
		steps: newStepCaches(), renders: fairqueue.New(max(2, runtime.GOMAXPROCS(0)), maxConcurrent), counts: counts{loads: map[football.Product]*loadCounts{}},
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
	t = &Tenant{datasets: map[football.Product]*Dataset{}, connection: newConnection(l, clientID)}
	for _, p := range l.o.Products {
		log := l.o.Log.With("tenant", clientID, "product", string(p))
		t.datasets[p] = &Dataset{library: l, clientID: clientID, product: p, quarantined: map[string]quarantined{}, counts: l.counts.loads[p],
			log: log, faults: newFaults(log, l.o.Now)}
	}
	l.tenants[clientID] = t
	return t
}

// liveRounds is how many times more often live datasets are refreshed than others: a
// live publication must be served within a second.
const liveRounds = 2

func isLiveDataset(w watched) bool {
	d, ok := w.(*Dataset)
	return ok && d.product == football.LiveIntelligence
}

// Run refreshes all datasets until ctx ends, then waits for the loads in progress.
func (l *Library) Run(ctx context.Context) {
	var busy sync.Map // being refreshed
	var wait sync.WaitGroup
	defer wait.Wait()
	if !l.o.Clock.IsPast() { // nothing new is published there
		if w, err := fsnotify.NewWatcher(); err == nil { // else each publication is found by the next poll
			l.notices = w
			wait.Go(func() { l.pollNoticed(ctx, &wait) })
		}
	}
	begin := func(w watched, ended func()) {
		if _, running := busy.LoadOrStore(w, true); running {
			return
		}
		d, ok := w.(*Dataset)
		wait.Go(func() {
			defer busy.Delete(w)
			if ok && l.o.Clock.IsPast() {
				d.follow(ctx, ended)
				return
			}
			w.poll(ctx)
			ended()
		})
	}
	var opening sync.WaitGroup
	for _, w := range l.served() {
		opening.Add(1)
		begin(w, opening.Done)
	}
	wait.Go(func() { opening.Wait(); close(l.loaded) })
	interval := max(l.o.Poll/liveRounds, time.Millisecond)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for round := 1; sleep(ctx, tick.C); round++ {
		list := l.served()
		if round%liveRounds != 0 {
			list = slices.DeleteFunc(list, func(w watched) bool { return !isLiveDataset(w) })
		}
		steps := pollSteps(len(list), interval)
		for step := range steps {
			for _, w := range list[len(list)*step/steps : len(list)*(step+1)/steps] {
				begin(w, func() {})
			}
			if step+1 < steps && !sleep(ctx, time.After(interval/time.Duration(steps))) {
				return
			}
		}
	}
}

// pollNoticed polls the datasets whose pointers were replaced, as the operating system says. Its
// notices are hints: without them, a publication is found by the next poll.
func (l *Library) pollNoticed(ctx context.Context, wait *sync.WaitGroup) {
	defer l.notices.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.notices.Errors: // such as lost notices
		case e := <-l.notices.Events:
			if filepath.Base(e.Name) != layout.Current || !e.Has(fsnotify.Create) && !e.Has(fsnotify.Write) {
				continue
			}
			if d, ok := l.watched.Load(filepath.Dir(e.Name)); ok && d.(*Dataset).noticed.CompareAndSwap(false, true) {
				wait.Go(func() { d.(*Dataset).poll(ctx) })
			}
		}
	}
}

// sleep returns false if ctx has ended.
func sleep(ctx context.Context, until <-chan time.Time) bool {
	select {
	case <-until:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// pollSteps returns in how many steps to begin the polls of a round: those of many accounts
// would delay requests and pushes if they began at once.
func pollSteps(polls int, interval time.Duration) int {
	const each, pause, most = 16, 10 * time.Millisecond, 20
	return max(1, min(polls/each, int(interval/pause), most))
}

// served returns the datasets and connections for [Library.Run] to refresh, and closes the
// datasets of tenants that are no longer served.
func (l *Library) served() []watched {
	var list []watched
	wanted := map[string]bool{}
	for _, id := range l.o.Clients() {
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
			go d.close() // waits for a refresh in progress
		}
	}
	return list
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

func (l *Library) shareOf(r cacheSize) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return max(r.least, r.all/max(1, len(l.tenants)))
}

func (l *Library) engineMemory() int64 {
	return min(maxEngineMemory, int64(l.shareOf(engineMemorySize)))
}
