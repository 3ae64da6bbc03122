package reader

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

func TestPollsReadOnlyWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	root := servetest.NewLiveRoot(t, t.TempDir(), "acme")
	samples := servetest.LiveSamples("acme", 1, 1, servetest.Start)
	root.Publish(samples)
	now := servetest.Start
	l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.LiveIntelligence}, Now: func() time.Time { return now }})
	check.Must(t, err)
	defer l.Close()
	d := l.Tenant("acme").Dataset(football.LiveIntelligence)
	poll := func() (read bool) {
		d.lastRefresh = time.Time{}
		d.poll(t.Context())
		return !d.lastRefresh.IsZero()
	}
	serves := func(version uint64) {
		t.Helper()
		v := d.Acquire()
		defer v.Release()
		if got := v.Commit().Version; got != version {
			t.Fatalf("version %d is served, want %d", got, version)
		}
	}
	settle := func() {
		t.Helper()
		for n := 0; poll(); n++ {
			if n == 4 {
				t.Fatal("every poll reads the dataset again")
			}
		}
	}
	settle()
	serves(1)
	root.Publish(samples)
	poll()
	serves(2)

	// The folders may have the same times after a second publication soon after the first.
	dir := filepath.Join(root.DataDir, layout.TenantProduct("acme", string(football.LiveIntelligence)))
	folders := []string{dir, filepath.Join(dir, layout.CommitsDir), filepath.Join(dir, layout.StateDir)}
	before := d.watch.marks
	root.Publish(samples)
	check.Must(t, os.Chtimes(folders[0], time.Time{}, before.root))
	check.Must(t, os.Chtimes(folders[1], time.Time{}, before.commits))
	poll()
	serves(3)

	settle()
	root.Record(health.Run{Step: health.StepFetch, Cycle: "c", OK: true, FinishedAt: servetest.Start})
	poll()
	if d.State().Fetch == nil {
		t.Error("a new state file was not read")
	}
	settle()
	now = now.Add(trusted)
	if !poll() {
		t.Error("the dataset is never read again while its folders are the same")
	}
	check.Must(t, os.WriteFile(filepath.Join(folders[2], "publish.json"), []byte("{"), 0o600))
	poll()
	if poll(); !poll() {
		t.Error("a dataset with an unreadable state file is not read again")
	}
}

// The operating system's notice of a publication is enough: there is one poll an hour here.
func TestPublicationsAreNoticed(t *testing.T) {
	t.Parallel()
	root := servetest.NewLiveRoot(t, t.TempDir(), "acme")
	samples := servetest.LiveSamples("acme", 1, 1, servetest.Start)
	root.Publish(samples)
	var loaded atomic.Int64
	l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.LiveIntelligence},
		Clients: func() []string { return []string{"acme"} }, Poll: time.Hour, Loaded: func(string) { loaded.Add(1) }})
	check.Must(t, err)
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	defer running.Wait()
	defer cancel()
	for version := int64(1); version <= 4; version++ {
		check.Eventually(t, fmt.Sprint("version ", version), func() bool { return loaded.Load() == version })
		if version == 1 {
			<-l.Loaded()
		}
		root.Publish(samples)
	}
}
