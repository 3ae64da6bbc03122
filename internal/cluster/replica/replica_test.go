package replica_test

import (
	"io/fs"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/cluster/replica"
	"mkt/internal/cluster/store"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Where cycles run, a replica neither waits for a run nor makes one wait, and does not replace
// newer state files by those of the store. What another machine published is copied whole.
func TestReplicaBesideCycles(t *testing.T) {
	const newer, older = `{"newer":true}`, `{"newer":false}`
	bucket := storetest.NewMemory()
	s := store.New(bucket, store.Options{})
	d := s.Dataset("acme", football.MarketEngine)
	other := servetest.NewRoot(t, t.TempDir(), "acme")
	publish := func() {
		other.PublishNext(2, 2)
		_, err := d.Push(t.Context(), other.FS, store.PushOptions{})
		must(t, err)
	}
	publish()

	data := t.TempDir()
	root, err := durable.OpenUnsynced(data)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	dir := layout.TenantProduct("acme", string(football.MarketEngine))
	here, err := root.MakeWithin(dir)
	must(t, err)
	t.Cleanup(func() { here.Close() })
	_, err = d.Sync(t.Context(), here)
	must(t, err)
	const state = layout.StateDir + "/fetch.json"
	must(t, durable.MkdirAllSync(here, layout.RawDir))
	must(t, durable.MkdirAllSync(here, layout.StateDir))
	must(t, durable.Overwrite(here, state, []byte(older)))
	must(t, d.ShipStates(t.Context(), other.FS, here))
	must(t, durable.Overwrite(here, state, []byte(newer)))

	r := replica.New(replica.Options{Store: s, Data: data, Clients: func() []string { return []string{"acme"} },
		Products: []football.Product{football.MarketEngine}, Every: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	lock, err := here.Lock(layout.Lock)
	must(t, err)
	r.Refresh(t.Context())
	must(t, lock.Close())
	r.Refresh(t.Context())
	if text, err := durable.ReadFile(here, state, 100); err != nil || string(text) != newer {
		t.Errorf("the state file is %s, %v", text, err)
	}
	if copied, failed, at := r.Stats(); copied != 0 || failed != 0 || at.IsZero() {
		t.Errorf("copied %d, failed %d, answered %v", copied, failed, at)
	}

	publish()
	r.Refresh(t.Context())
	if head, _, err := snapshot.Last(here); err != nil || head.Version != 2 {
		t.Errorf("version %d, %v", head.Version, err)
	}
}

// Of an account that is not served any more nothing is left, not even the state files of its provider.
func TestForgottenAccount(t *testing.T) {
	s := store.New(storetest.NewMemory(), store.Options{})
	other, states := servetest.NewRoot(t, t.TempDir(), "acme"), durabletest.NewMem()
	other.PublishNext(2, 2)
	d := s.Dataset("acme", football.MarketEngine)
	_, err := d.Push(t.Context(), other.FS, store.PushOptions{})
	must(t, err)
	must(t, durable.MkdirAllSync(states, layout.Tenant("acme")+"/"+layout.StateDir))
	must(t, durable.Overwrite(states, layout.Tenant("acme")+"/"+layout.StateDir+"/test.json", []byte("{}")))
	must(t, d.ShipStates(t.Context(), states, other.FS))

	data, served := t.TempDir(), []string{"acme"}
	r := replica.New(replica.Options{Store: s, Data: data, Clients: func() []string { return served },
		Products: []football.Product{football.MarketEngine, football.LiveIntelligence}, Every: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	for _, clients := range [][]string{{"acme"}, nil} {
		served = clients
		r.Refresh(t.Context())
		var left []string
		must(t, filepath.WalkDir(data, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && e.Name() != layout.Lock {
				left = append(left, name)
			}
			return err
		}))
		if len(left) > 0 != (clients != nil) {
			t.Errorf("accounts %v: the replica has %v", clients, left)
		}
	}
}
