package reader_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/markets"
)

var swaps = flag.Int("swaps", 200, "how many snapshots of each product are swapped while files, goroutines and memory are counted")

// S4: after many swaps of market and live snapshots, for several accounts at once and
// with pages, filters and events read from each, there are as many open files,
// goroutines and cache files as before, and no more memory is used. The flag -swaps
// 10000 is a whole live day.
func TestNothingLeaksOverManySwaps(t *testing.T) { // alone: it counts open files
	needs.Time(t, "swaps hundreds of times")
	w := newSwapping(t)
	w.swap(*swaps / 10)
	before := w.footprint()
	t.Logf("after %d swaps: %+v", w.swapped, before)
	for range 9 {
		w.swap(*swaps / 10)
		t.Logf("after %d swaps: %+v", w.swapped, w.footprint())
	}
	after := w.footprint()
	if after.files > before.files || after.goroutines > before.goroutines || after.cached > before.cached {
		t.Errorf("after %d swaps %+v, before %+v", w.swapped, after, before)
	}
	const roomMiB = 32 // the allocators of two languages take and give back
	if after.residentMiB > before.residentMiB+roomMiB {
		t.Errorf("%d MiB are resident, %d before", after.residentMiB, before.residentMiB)
	}
}

const swappers = 4

type swapping struct {
	t       *testing.T
	cache   string
	swapped int
	list    []*swapper
}

func newSwapping(t *testing.T) *swapping {
	w := &swapping{t: t, cache: t.TempDir()}
	dir := t.TempDir()
	l := open(t, dir, func(o *reader.Options) {
		o.CacheDir, o.Products = w.cache, []football.Product{football.MarketEngine, football.LiveIntelligence}
	})
	for n := range swappers {
		id := fmt.Sprint("acme-", n)
		w.list = append(w.list, &swapper{t: t, id: id, markets: servetest.NewRoot(t, dir, id), live: servetest.NewLiveRoot(t, dir, id),
			engine: l.Tenant(id).Dataset(football.MarketEngine), ticks: l.Tenant(id).Dataset(football.LiveIntelligence)})
	}
	return w
}

func (w *swapping) swap(n int) {
	var all sync.WaitGroup
	for _, s := range w.list {
		all.Go(func() { s.swap(n / swappers) })
	}
	all.Wait()
	w.swapped += n / swappers * swappers
}

type swapper struct {
	t             *testing.T
	id            string
	markets       *servetest.Root
	live          *servetest.LiveRoot
	engine, ticks *reader.Dataset
	version       int
	debris        []func() error
}

func (w *swapper) swap(n int) {
	for range n {
		w.version++
		list := servetest.Samples(w.id, 20, 4, w.version)
		c := w.markets.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: min(1, w.version/6)})
		w.forget(w.markets.FS, c.Dir(), c.Segment.File)
		w.forget(w.live.FS, w.live.Publish(servetest.LiveSamples(w.id, 20, w.version, servetest.Start)).Dir())
		w.engine.Refresh(w.t.Context())
		w.ticks.Refresh(w.t.Context())
		w.read()
	}
}

// keeps is the number of publications in the data root, as after retention.
const keeps = 16

func (w *swapper) forget(f *durable.Disk, names ...string) {
	w.debris = append(w.debris, func() error {
		for _, name := range names {
			if err := f.RemoveAll(name); err != nil {
				return err
			}
		}
		return nil
	})
	if len(w.debris) > 2*keeps {
		must(w.t, w.debris[0]())
		w.debris = w.debris[1:]
	}
}

// read reads something of every kind; every value contains its version.
func (w *swapper) read() {
	v, live := w.engine.Acquire(), w.ticks.Acquire()
	defer v.Release()
	defer live.Release()
	mark := fmt.Sprintf(" v%d\"", w.version)
	_, err := v.Fixtures(w.t.Context(), markets.FixtureFilter{League: "league"}, "", 3, func(id, body []byte) {
		if !strings.Contains(string(body), mark) {
			w.t.Errorf("version %d shows %s", w.version, body)
		}
	})
	must(w.t, err)
	f, _ := v.Find(servetest.FixtureID(w.id, w.version%20))
	_, err = v.Markets(w.t.Context(), f, markets.Filter{}, "", 50, func(id, body []byte) {
		if !strings.Contains(string(body), mark) {
			w.t.Errorf("version %d shows %s", w.version, body)
		}
	})
	must(w.t, err)
	window, events := v.Window(), 0
	_, _, err = v.Events(window.FirstSeq-1, 200, func([]byte) { events++ })
	must(w.t, err)
	if events == 0 || live.Commit().Version != uint64(w.version) {
		w.t.Errorf("%d events; live version %d of %d", events, live.Commit().Version, w.version)
	}
}

type footprint struct{ files, goroutines, cached, residentMiB int }

// footprint waits until everything that is being closed in the background is closed.
func (w *swapping) footprint() (f footprint) {
	w.t.Helper()
	for last := (footprint{files: -1}); f.files != last.files || f.goroutines != last.goroutines || f.cached != last.cached; {
		time.Sleep(100 * time.Millisecond)
		runtime.GC()
		debug.FreeOSMemory()
		last, f = f, footprint{w.count("/proc/self/fd"), runtime.NumGoroutine(), 0, int(check.Resident(w.t, os.Getpid()) >> 20)}
		must(w.t, filepath.WalkDir(w.cache, func(_ string, _ os.DirEntry, err error) error { f.cached++; return nil }))
	}
	return f
}

func (w *swapping) count(dir string) int {
	w.t.Helper()
	entries, err := os.ReadDir(dir)
	must(w.t, err)
	return len(entries)
}
