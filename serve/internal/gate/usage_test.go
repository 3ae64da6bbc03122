package gate_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/publish/durable"
	"mkt/serve/internal/gate"
)

var quiet = slog.New(slog.DiscardHandler)

func usageDisk(t *testing.T) *durable.Disk {
	t.Helper()
	disk, err := durable.OpenExisting(t.TempDir())
	must(t, err)
	t.Cleanup(func() { disk.Close() })
	return disk
}

func total(days []gate.Day) (n int64) {
	for _, d := range days {
		for _, c := range d.Requests {
			n += c.Count
		}
	}
	return n
}

func TestUsageSurvivesARestart(t *testing.T) {
	disk := usageDisk(t)
	at := now
	clock := func() time.Time { return at }
	u := gate.NewUsage(disk, "web", clock, quiet)
	for range 3 {
		u.Count("acme", "/fixtures", "market_engine")
	}
	u.Count("acme", "/account", "")
	u.Count("other", "/fixtures", "market_engine")
	if days, flushed := u.Of("acme"); total(days) != 4 || !flushed.IsZero() {
		t.Errorf("before the flush: %+v, %v", days, flushed)
	}
	u.Flush()
	must(t, u.Close())
	u = gate.NewUsage(disk, "web", clock, quiet)
	at = at.Add(24 * time.Hour)
	u.Count("acme", "/fixtures", "market_engine")
	days, _ := u.Of("acme")
	if len(days) != 2 || days[0].Date != "2026-11-20" || total(days) != 5 || len(days[0].Requests) != 2 || days[0].Requests[0].Route != "/account" {
		t.Errorf("after a restart: %+v", days)
	}
	if _, flushed := u.Of("acme"); !flushed.IsZero() {
		t.Error("says it was flushed")
	}
	u.Flush()
	if _, flushed := u.Of("acme"); !flushed.Equal(at) {
		t.Errorf("flushed at %v", flushed)
	}
	at = at.AddDate(0, 0, 40)
	u.Count("acme", "/fixtures", "market_engine")
	u.Flush()
	if days, _ := u.Of("acme"); len(days) != 1 {
		t.Errorf("old days are kept: %+v", days)
	}
}

// Everything is counted once: by several replicas in one folder, in an account's file from
// before there were replicas, and by a process that is killed and started again.
func TestUsageIsTheSumOfAllReplicas(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "acme.json"), []byte(`{"format":1,"days":{"2026-11-20":[{"route":"/fixtures","product":"market_engine","count":7}]}}`), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "acme-2.web.json"), []byte(`{"format":1,"days":{"2026-11-20":[{"route":"/fixtures","count":1000}]}}`), 0o600))
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	clock := func() time.Time { return now }
	var wait sync.WaitGroup
	for _, replica := range []string{"web", "web", "web", "other", "other", "third"} {
		wait.Go(func() {
			u := gate.NewUsage(disk, replica, clock, quiet)
			for range 20 {
				u.Count("acme", "/fixtures", "market_engine")
				u.Flush()
			}
			must(t, u.Close())
		})
	}
	wait.Wait()
	u := gate.NewUsage(disk, "third", clock, quiet)
	if days, _ := u.Of("acme"); total(days) != 7+6*20 {
		t.Errorf("%d counted, want %d", total(days), 7+6*20)
	}
}

// A file of a process that has ended is removed when none of its days is kept.
func TestUsageOfOldReplicasIsRemoved(t *testing.T) {
	dir := t.TempDir()
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	at := now
	clock := func() time.Time { return at }
	running, ended, ahead := gate.NewUsage(disk, "running", clock, quiet), gate.NewUsage(disk, "ended", clock, quiet), gate.NewUsage(disk, "ahead", func() time.Time { return at.AddDate(0, 0, 36) }, quiet)
	for _, u := range []*gate.Usage{running, ended, ahead} {
		u.Count("acme", "/fixtures", "market_engine")
		u.Flush()
	}
	must(t, ended.Close())
	must(t, ahead.Close())
	at = at.AddDate(0, 0, 35)
	next := gate.NewUsage(disk, "next", clock, quiet)
	next.Count("other", "/fixtures", "market_engine")
	next.Flush()
	files, err := filepath.Glob(filepath.Join(dir, "acme.*"))
	must(t, err)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if want := []string{"acme.ahead.json", "acme.running.json"}; !slices.Equal(files, want) {
		t.Errorf("%v, want %v", files, want)
	}
}

func TestUsageOfAccountsIsSeparate(t *testing.T) {
	disk := usageDisk(t)
	at := now
	u := gate.NewUsage(disk, "web", func() time.Time { return at }, quiet)
	u.Count("quiet", "/account", "")
	u.Flush()
	at = at.Add(time.Hour)
	u.Count("busy", "/fixtures", "market_engine")
	u.Flush()
	if days, flushed := u.Of("quiet"); total(days) != 1 || !flushed.Equal(now) {
		t.Errorf("%d requests, written at %v, want 1 at %v", total(days), flushed, now)
	}
}

// Old days are removed even if nothing is written.
func TestUsageInMemoryIsTrimmed(t *testing.T) {
	at := now
	u := gate.NewUsage(nil, "web", func() time.Time { return at }, quiet)
	u.Count("acme", "/fixtures", "market_engine")
	u.Flush()
	at = at.AddDate(0, 0, 35)
	u.Count("acme", "/fixtures", "market_engine")
	if days, _ := u.Of("acme"); len(days) != 1 || days[0].Date != "2026-12-25" {
		t.Errorf("%+v", days)
	}
}

func TestUsageOfDamagedFileStartsAtZero(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "acme.web.json"), []byte(`{"format":1,"days":`), 0o600))
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	u := gate.NewUsage(disk, "web", time.Now, quiet)
	u.Count("acme", "/fixtures", "")
	u.Count("../escape", "/fixtures", "")
	u.Flush()
	data, err := os.ReadFile(filepath.Join(dir, "acme.web.json"))
	if err != nil || !strings.Contains(string(data), "/fixtures") {
		t.Errorf("%s, %v", data, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 { // and the lock
		t.Errorf("%v", entries)
	}
}

func TestUsageCountsUnderLoad(t *testing.T) {
	u := gate.NewUsage(nil, "web", func() time.Time { return now }, quiet)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 500 {
				u.Count("acme", "/fixtures", "market_engine")
				if i%50 == 0 {
					u.Flush()
				}
			}
		})
	}
	wait.Wait()
	if days, _ := u.Of("acme"); total(days) != 4000 {
		t.Errorf("%d counted", total(days))
	}
}
