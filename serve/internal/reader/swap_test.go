package reader_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/markets"
	"mkt/serve/quarantine"
)

func TestNothingPublishedYet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	if v := refresh(l).Acquire(); v != nil {
		t.Error("a view of nothing")
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Error("the reader created something below the data root")
	}
	root := servetest.NewRoot(t, dir, "acme") // comes later
	root.PublishNext(3, 3)
	view(t, refresh(l))
}

func TestNewSnapshotReplacesTheOld(t *testing.T) {
	t.Parallel()
	root := published(t, 10, 5)
	l := open(t, root.DataDir)
	d := refresh(l)
	old := view(t, d)
	root.PublishNext(12, 5)
	d.Refresh(t.Context())
	now := view(t, d)
	if old.FixtureCount() != 10 || now.FixtureCount() != 12 || now.Commit().Version != 2 {
		t.Errorf("old %d fixtures, new %d, version %d", old.FixtureCount(), now.FixtureCount(), now.Commit().Version)
	}
	for v, version := range map[*reader.View]int{old: 1, now: 2} { // both can be read
		f, _ := v.Find(servetest.FixtureID("acme", 3))
		must(t, v.Fixture(t.Context(), f, func(_, body []byte) {
			if !strings.Contains(string(body), fmt.Sprintf("Home 3 v%d", version)) {
				t.Errorf("version %d shows %s", version, body)
			}
		}))
	}
}

func TestDamagedSnapshotChangesNothing(t *testing.T) {
	t.Parallel()
	for _, file := range []string{layout.FixturesFile, layout.MarketsFile, layout.ManifestFile} {
		root, cache := published(t, 10, 5), t.TempDir()
		d := refresh(open(t, root.DataDir, func(o *reader.Options) { o.CacheDir = cache }))
		root.PublishNext(12, 5)
		root.Damage(file)
		for range 3 {
			d.Refresh(t.Context())
		}
		if v := view(t, d); v.Commit().Version != 1 {
			t.Errorf("%s: version %d is served", file, v.Commit().Version)
		}
		if loads, _ := filepath.Glob(filepath.Join(cache, "run-*", "load-*")); len(loads) != 1 {
			t.Errorf("%s: %v, want only the folder of the served snapshot", file, loads)
		}
		// A reader that starts now also serves the one before.
		if v := current(t, root.DataDir); v.Commit().Version != 1 {
			t.Errorf("%s, cold: version %d is served", file, v.Commit().Version)
		}
		root.PublishNext(13, 5)
		d.Refresh(t.Context())
		if v := view(t, d); v.Commit().Version != 3 {
			t.Errorf("%s: version %d is served after the next publication", file, v.Commit().Version)
		}
	}
}

func TestContradictingTablesAreInvalid(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func([]servetest.Fixture) []servetest.Fixture{
		"market of an unknown fixture": func(l []servetest.Fixture) []servetest.Fixture {
			for i := range l[3].Markets {
				l[3].Markets[i].FixtureID = servetest.FixtureID("other", 1)
			}
			return l
		},
		"id of a wrong shape": func(l []servetest.Fixture) []servetest.Fixture {
			l[0].Row.FixtureID, l[0].Markets = "fx_short", nil
			return l
		},
	} {
		root := servetest.NewRoot(t, t.TempDir(), "acme")
		root.PublishNext(5, 3)
		d := refresh(open(t, root.DataDir))
		root.Publish(servetest.Content{Fixtures: spoil(servetest.Samples("acme", 5, 3, 2))})
		d.Refresh(t.Context())
		if v := view(t, d); v.Commit().Version != 1 {
			t.Errorf("%s: version %d is served", name, v.Commit().Version)
		}
	}
}

func TestNeverBackWithinAHistory(t *testing.T) {
	t.Parallel()
	root := published(t, 4, 2)
	d := refresh(open(t, root.DataDir))
	root.PublishNext(5, 2)
	d.Refresh(t.Context())
	must(t, root.FS.Remove(layout.Commit(2)))
	d.Refresh(t.Context())
	if v := view(t, d); v.Commit().Version != 2 {
		t.Errorf("went back to version %d", v.Commit().Version)
	}
	// A restored backup has another history, which is served at whatever version it is.
	other := servetest.NewRoot(t, root.DataDir, "acme").At(1)
	other.History, other.Late = "restored", time.Minute
	other.Publish(servetest.Content{Fixtures: servetest.Samples("acme", 6, 2, 3)})
	d.Refresh(t.Context())
	if v := view(t, d); v.FixtureCount() != 6 {
		t.Errorf("%d fixtures: the restored history is not served", v.FixtureCount())
	}
}

// A folder that was copied from another tenant is not served, although it is intact.
func TestAnotherTenantsSnapshotIsInvalid(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.ClientID = "other"
	root.Publish(servetest.Content{Fixtures: servetest.Samples("other", 3, 2, 1)})
	if v := refresh(open(t, root.DataDir)).Acquire(); v != nil {
		t.Error("another tenant's data is served")
		v.Release()
	}
}

func TestStateFilesAreRead(t *testing.T) {
	t.Parallel()
	root := published(t, 1, 1)
	root.Record(health.Run{Step: "fetch", Cycle: "c", OK: false, Code: "PROVIDER_UNREACHABLE"})
	d := refresh(open(t, root.DataDir))
	s := d.State()
	if s.Fetch == nil || s.Fetch.Code != "PROVIDER_UNREACHABLE" || s.Publish != nil {
		t.Errorf("state %+v", s)
	}
}

// diedLoading leaves the notes of processes that died while they loaded the newest
// publication of a root.
func diedLoading(t *testing.T, notes string, root *servetest.Root, deaths int) {
	t.Helper()
	store, err := quarantine.Open(notes, time.Now)
	must(t, err)
	defer store.Close()
	load, err := store.Begin(quarantine.Publication{ClientID: root.ClientID, Product: string(football.MarketEngine), Version: root.Commit.Version, CommitSHA256: root.Commit.SHA256})
	must(t, err)
	held, err := os.ReadDir(notes)
	must(t, err)
	for _, e := range held { // a copy is like the note that is held, and nobody holds it
		for n := range deaths {
			must(t, os.WriteFile(filepath.Join(notes, fmt.Sprintf("%s%c", e.Name(), 'A'+n)), nil, 0o600))
		}
		must(t, os.Remove(filepath.Join(notes, e.Name())))
	}
	_ = load // its process is dead
}

// A publication that killed the process twice is quarantined in the next process, with
// the default settings: a temporary cache, and a permanent folder of notes.
func TestPublicationThatKillsIsQuarantinedAcrossRestarts(t *testing.T) {
	t.Parallel()
	for deaths, want := range map[int]uint64{1: 2, 2: 1} {
		root := published(t, 4, 2)
		root.PublishNext(5, 2)
		notes := filepath.Join(t.TempDir(), "usage", "loads")
		diedLoading(t, notes, root, deaths)
		for range 2 {
			l, err := reader.Open(reader.Options{DataDir: root.DataDir, NotesDir: notes, Products: []football.Product{football.MarketEngine}})
			must(t, err)
			d := refresh(l)
			v := d.Acquire()
			if v == nil || v.Commit().Version != want {
				t.Errorf("%d deaths: %v, want version %d", deaths, v, want)
			} else {
				v.Release()
			}
			if quarantined := d.Trouble() == reader.Quarantined; quarantined != (deaths > 1) {
				t.Errorf("%d deaths: trouble %q", deaths, d.Trouble())
			}
			must(t, l.Close())
		}
		root.PublishNext(6, 2)
		l, err := reader.Open(reader.Options{DataDir: root.DataDir, NotesDir: notes, Products: []football.Product{football.MarketEngine}})
		must(t, err)
		if d := refresh(l); view(t, d).Commit().Version != 3 || d.Trouble() != reader.NoTrouble {
			t.Errorf("the next publication is not served: trouble %q", d.Trouble())
		}
		if left, err := os.ReadDir(notes); err != nil || len(left) != 0 {
			t.Errorf("notes left: %v, %v", left, err)
		}
		t.Cleanup(func() { must(t, l.Close()) })
	}
}

func TestFilesOfAKilledProcessAreRemoved(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	debris := filepath.Join(cache, "run-123")
	must(t, os.MkdirAll(filepath.Join(debris, "load-1"), 0o700))
	must(t, os.WriteFile(filepath.Join(debris, "lock"), nil, 0o600))
	first, err := reader.Open(reader.Options{DataDir: t.TempDir(), CacheDir: cache})
	must(t, err)
	if _, err := os.Stat(debris); !os.IsNotExist(err) {
		t.Errorf("files of a killed process remain: %v", err)
	}
	second, err := reader.Open(reader.Options{DataDir: t.TempDir(), CacheDir: cache})
	must(t, err)
	if runs, _ := filepath.Glob(filepath.Join(cache, "run-*")); len(runs) != 2 {
		t.Errorf("%v: the folder of a live process was removed, or one is missing", runs)
	}
	must(t, first.Close())
	must(t, second.Close())
	if runs, _ := filepath.Glob(filepath.Join(cache, "run-*")); len(runs) != 0 {
		t.Errorf("files remain: %v", runs)
	}
}

// Clients cancel queries while snapshots are swapped: no other query fails, and the
// engine keeps working.
func TestCancelledQueriesHarmNobody(t *testing.T) {
	t.Parallel()
	root := published(t, 60, 40)
	d := refresh(open(t, root.DataDir))
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	var readers sync.WaitGroup
	for reader := range 8 {
		readers.Go(func() {
			for n := reader; ctx.Err() == nil; n++ {
				impatient, cancel := context.WithTimeout(context.Background(), time.Duration(n%40)*50*time.Microsecond)
				if n%3 == 0 {
					impatient, cancel = context.WithCancel(context.Background()) // one in three is patient
				}
				if err := readSome(impatient, d, n); err != nil && impatient.Err() == nil {
					t.Errorf("a query that was not cancelled failed: %v", err)
				}
				cancel()
			}
		})
	}
	for version := 2; ctx.Err() == nil; version++ {
		root.PublishNext(60, 40)
		d.Refresh(t.Context())
	}
	readers.Wait()
}

func readSome(ctx context.Context, d *reader.Dataset, n int) error {
	v := d.Acquire()
	defer v.Release()
	f, _ := v.Find(servetest.FixtureID("acme", n%60))
	if n%2 == 0 {
		_, err := v.Markets(ctx, f, markets.Filter{}, "", 10+n%30, func(_, _ []byte) {})
		return err
	}
	_, err := v.Fixtures(ctx, markets.FixtureFilter{League: fmt.Sprint(n % 50)}, "", 20, func(_, _ []byte) {})
	return err
}
