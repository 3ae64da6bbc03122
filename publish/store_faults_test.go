package publish_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Two workers fetch one account in the same second, so that their cycles, their snapshots
// and their change segments have the same names. The one that is late by any number of
// steps spoils nothing that the other has committed.
func TestTwoWorkersInOneSecond(t *testing.T) {
	for _, first := range []bool{true, false} {
		d, _ := newStore(t)
		a, b := durabletest.NewMem(), durabletest.NewMem()
		must(t, shipCycle(t, a, d, cycle{number: 1, refreshed: upTo(4)}, retention.Policy{}))
		_, err := d.Sync(t.Context(), b)
		must(t, err)
		winner, loser := cycle{number: 2, refreshed: []int{0, 1}, failed: []int{2, 3}}, cycle{number: 2, refreshed: []int{2, 3}, failed: []int{0, 1}}
		late := between{Store: d, before: func() { must(t, shipCycle(t, a, d, winner, retention.Policy{})) }, checked: first}
		loser.transform(t, b)
		o := options(b, loser, "late")
		o.Store = &late
		if _, err := publish.Run(t.Context(), o); !errors.Is(err, publish.ErrConflict) {
			t.Fatalf("the worker that was late: %v, want ErrConflict", err)
		}
		for name, f := range map[string]durable.FS{"the worker that was late": b, "a new worker": durabletest.NewMem()} {
			if _, err := d.Sync(t.Context(), f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := look(f)
			if err != nil || got.fixtures[0] != 2 || got.fixtures[2] != 1 || len(got.events) != 6 {
				t.Errorf("%s has %v and %d events: %v", name, got.fixtures, len(got.events), err)
			}
		}
	}
}

// between is a store to which another worker ships a publication first: before anything of
// this one is looked at, or after it was found to follow the newest one.
type between struct {
	publish.Store
	before  func()
	checked bool
}

func (b *between) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	if !b.checked {
		b.before()
		return b.Store.Ship(ctx, root, c, record, segments)
	}
	return b.Store.Ship(ctx, &whenOpened{root, b.before}, c, record, segments)
}

// whenOpened calls a function before the first file is opened.
type whenOpened struct {
	durable.FS
	do func()
}

func (f *whenOpened) Open(name string) (durable.Reader, error) {
	if do := f.do; do != nil {
		f.do = nil
		do()
	}
	return f.FS.Open(name)
}

// A root that begins at a later publication is pushed into an empty store: a worker with an
// empty disk continues it.
func TestPushOfLaterPublications(t *testing.T) {
	d, _ := newStore(t)
	all, part := history(), durabletest.NewMem()
	f := durabletest.NewMem()
	for _, c := range all[:3] {
		must(t, shipCycle(t, f, d, c, retention.Policy{}))
	}
	_, err := d.Pull(t.Context(), part, store.PullOptions{From: all[2].at()})
	must(t, err)
	other, bucket := newStore(t)
	_, err = other.Push(t.Context(), part, store.PushOptions{DryRun: true})
	must(t, err)
	if n := len(bucket.Keys("")); n > 0 {
		t.Errorf("a dry run stored %d objects", n)
	}
	pushed, err := other.Push(t.Context(), part, store.PushOptions{})
	must(t, err)
	worker := durabletest.NewMem()
	head, err := other.Sync(t.Context(), worker)
	must(t, err)
	if pushed.First != 2 || head.Version != 3 {
		t.Fatalf("pushed %+v, a worker has version %d", pushed, head.Version)
	}
	must(t, shipCycle(t, worker, other, all[3], retention.Policy{}))
	if got, err := look(worker); err != nil || got.commit.Version != 4 {
		t.Errorf("version %d, %v", got.commit.Version, err)
	}
}

// A store that is wiped under a worker that publishes all the time is noticed by the next
// publication, and a push restores the history.
func TestWipedStore(t *testing.T) {
	bucket := storetest.NewMemory()
	now := start
	d := store.New(bucket, store.Options{Now: func() time.Time { return now }}).Dataset("acme", football.MarketEngine)
	f, c := durabletest.NewMem(), history()
	must(t, shipCycle(t, f, d, c[0], retention.Policy{}))
	for _, key := range bucket.Keys("") {
		bucket.Remove(t, key)
	}
	now = now.Add(time.Second)
	if err := shipCycle(t, f, d, c[1], retention.Policy{}); !errors.Is(err, snapshot.ErrStoreLacks) {
		t.Fatalf("the store lacks publication 1: %v, want ErrStoreLacks", err)
	}
	if _, err := d.Sync(t.Context(), f); !errors.Is(err, snapshot.ErrStoreLacks) {
		t.Errorf("the store lacks publication 1: %v, want ErrStoreLacks", err)
	}
	_, err := d.Push(t.Context(), f, store.PushOptions{})
	must(t, err)
	_, err = d.Sync(t.Context(), f)
	must(t, err)
	must(t, shipCycle(t, f, d, c[2], retention.Policy{}))
	if done, err := d.Pull(t.Context(), durabletest.NewMem(), store.PullOptions{}); err != nil || done.First != 1 || done.Last != 2 || done.Packs != 2 {
		t.Errorf("pulled %+v, %v", done, err)
	}
}

// The objects of an account vanish. Nothing is published onto what is left, nobody begins a second history, a
// reader or a restore does not take it for an account without data, and a disk that has everything makes the
// store whole again.
func TestStoreThatLostItsPast(t *testing.T) {
	for name, lost := range map[string]struct {
		objects []string
		goesOn  bool // the worker that published all of them needs none of those that are missing
	}{
		"emptied, but for the state files": {objects: []string{"commits/*", "packs/*", "changes/*"}},
		"only the commit records":          {objects: []string{"commits/*"}},
		"the oldest commit records":        {objects: []string{"commits/*[1-3].json"}},
		"the newest commit records":        {objects: []string{"commits/*[5-6].json"}},
		"the middle":                       {objects: []string{"commits/*[3-4].json", "packs/*[3-4]-*"}, goesOn: true},
		"all but the newest commit record": {objects: []string{"commits/*[1-5].json", "packs/*[1-5]-*"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, bucket := newStore(t)
			f := durabletest.NewMem()
			for n := 1; n <= 6; n++ {
				c := cycle{number: n, refreshed: upTo(2 + n%3)}
				answers := layout.Cycle(layout.RawDir, c.id())
				must(t, durable.MkdirAllSync(f, answers+"/folder"))
				must(t, durable.Create(f, answers+"/"+layout.RawCycleFile, durable.Bytes([]byte("{}\n"))))
				must(t, durable.Create(f, answers+"/folder/000001.zst", durable.Bytes([]byte(fmt.Sprint("answers ", n)))))
				must(t, shipCycle(t, f, d, c, retention.Policy{}))
			}
			must(t, health.Record(f, health.Run{Step: "publish", OK: true, FinishedAt: start}))
			must(t, d.ShipStates(t.Context(), f, f))
			was := bucket.Keys("")
			for _, key := range was {
				for _, pattern := range lost.objects {
					if is, err := path.Match(inStore+pattern, key); is {
						bucket.Remove(t, key)
					} else {
						must(t, err)
					}
				}
			}
			again := store.New(bucket, store.Options{}).Dataset("acme", football.MarketEngine)
			if _, err := again.Sync(t.Context(), f); lost.goesOn != (err == nil) || err != nil && !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("the worker that published it: %v", err)
			}
			if _, err := again.Sync(t.Context(), durabletest.NewMem()); !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a new worker: %v", err)
			}
			if _, err := again.Follow(t.Context(), durabletest.NewMem()); !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a replica: %v", err)
			}
			if done, err := again.Pull(t.Context(), durabletest.NewMem(), store.PullOptions{}); !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a restore copies %+v: %v", done, err)
			}
			done, err := again.Repair(t.Context(), f, store.PushOptions{})
			must(t, err)
			_, err = again.Push(t.Context(), f, store.PushOptions{})
			must(t, err)
			if is := bucket.Keys(""); !slices.Equal(is, was) {
				t.Errorf("after a repair of %+v the store has %q, and had %q", done, is, was)
			}
			restored := durabletest.NewMem()
			if pulled, err := again.Pull(t.Context(), restored, store.PullOptions{}); err != nil || pulled.First != 1 || pulled.Packs != 6 {
				t.Errorf("after a repair of %+v, a restore has %+v: %v", done, pulled, err)
			}
			_, err = look(restored)
			must(t, err)
			must(t, shipCycle(t, f, again, cycle{number: 7, refreshed: upTo(3)}, retention.Policy{}))
		})
	}
}

// A new account whose first runs failed is not taken for one that was lost.
func TestNewAccountIsNotLost(t *testing.T) {
	d, _ := newStore(t)
	f := durabletest.NewMem()
	must(t, health.Record(f, health.Run{Step: "publish", OK: false, Code: health.CodeStorage, FinishedAt: start}))
	must(t, d.ShipStates(t.Context(), f, f))
	if head, err := d.Sync(t.Context(), f); err != nil || head.Version != 0 {
		t.Errorf("a new account: version %d, %v", head.Version, err)
	}
	must(t, shipCycle(t, f, d, history()[0], retention.Policy{}))
}

// A root that only a reader has used gets what the next cycle continues.
func TestWorkerAfterReader(t *testing.T) {
	d, _ := newStore(t)
	c := history()
	must(t, shipCycle(t, durabletest.NewMem(), d, c[0], retention.Policy{}))
	f := durabletest.NewMem()
	_, err := d.Follow(t.Context(), f)
	must(t, err)
	for range 2 {
		head, err := d.Sync(t.Context(), f)
		must(t, err)
		if _, _, err := snapshot.OpenCanonical(f, head.CycleID); err != nil || head.Version != 1 {
			t.Errorf("the canonical cycle of version %d: %v", head.Version, err)
		}
	}
	must(t, shipCycle(t, f, d, c[1], retention.Policy{}))
}

// State files are not data: damaged ones stop neither a worker nor a replica.
func TestDamagedStates(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":                 func(b []byte) []byte { return b[:700] },
		"garbage":             func([]byte) []byte { return []byte(strings.Repeat("x", 2000)) },
		"a changed byte":      func(b []byte) []byte { b[512] ^= 1; return b },
		"a changed header":    func(b []byte) []byte { b[100] ^= 1; return b },
		"the name of another": func(b []byte) []byte { return []byte(strings.Replace(string(b), "state/", "STATE/", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			d, bucket := newStore(t)
			f := durabletest.NewMem()
			must(t, shipCycle(t, f, d, history()[0], retention.Policy{}))
			must(t, d.ShipStates(t.Context(), durabletest.NewMem(), f))
			damageObject(t, bucket, inStore+"state.tar", damage)
			worker := durabletest.NewMem()
			if _, err := d.Sync(t.Context(), worker); err != nil {
				t.Fatal(err)
			}
			must(t, shipCycle(t, worker, d, history()[1], retention.Policy{}))
		})
	}
}

func damageObject(t testing.TB, bucket *storetest.Memory, key string, damage func([]byte) []byte) {
	t.Helper()
	bucket.Set(t, key, damage(bucket.Get(t, key)))
}

// A damaged record is reported as damage, and not as the work of another installation.
// Nothing is published over it, and a root that has it repairs it.
func TestDamagedRecord(t *testing.T) {
	key := inStore + layout.Commit(2)
	for name, damage := range map[string]func([]byte) []byte{
		"cut":   func(b []byte) []byte { return b[:len(b)/2] },
		"empty": func([]byte) []byte { return nil },
		"a changed byte": func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"manifest_sha256": "`, `"manifest_sha256": "f`, 1))
		},
		"a changed hash": func(b []byte) []byte { i := strings.Index(string(b), `"manifest_sha256": "`) + 21; b[i] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			d, bucket := newStore(t)
			f := durabletest.NewMem()
			for _, c := range history()[:2] {
				must(t, shipCycle(t, f, d, c, retention.Policy{}))
			}
			damageObject(t, bucket, key, damage)
			again := store.New(bucket, store.Options{}).Dataset(d.ClientID(), d.Product())
			for who, root := range map[string]durable.FS{"the worker that published it": f, "a new worker": durabletest.NewMem()} {
				_, err := again.Sync(t.Context(), root)
				if !snapshot.IsDamage(err) || !strings.Contains(err.Error(), "00002") || errors.Is(err, store.ErrDiverged) {
					t.Errorf("%s: %v", who, err)
				}
			}
			done, err := again.Repair(t.Context(), f, store.PushOptions{})
			must(t, err)
			if done.Records != 1 {
				t.Errorf("repaired %+v", done)
			}
			worker := durabletest.NewMem()
			_, err = again.Sync(t.Context(), worker)
			must(t, err)
			must(t, shipCycle(t, worker, again, history()[2], retention.Policy{}))
		})
	}
}

// A damaged fingerprint of the id key is replaced by the one of the other side, in the store and in a data root.
func TestDamagedIDKeyFingerprint(t *testing.T) {
	good := strings.Repeat("0a", 16) + "\n"
	for _, c := range []struct{ here, there, want string }{
		{"", good, good}, {good, "", good}, {"\x00", good, good}, {good, "\x00", good}, {"-", good, good}, {good, "-", good},
		{"\x00", "-", "\x00"}, {"-", "\x00", "-"}, // the first cycle makes it
	} {
		bucket, f := storetest.NewMemory(), durabletest.NewMem()
		if c.here != "-" { // - is none
			must(t, durable.Create(f, layout.IDKeyFingerprintFile, durable.Bytes([]byte(c.here))))
		}
		if c.there != "-" {
			bucket.Set(t, layout.IDKeyFingerprintFile, []byte(c.there))
		}
		must(t, store.New(bucket, store.Options{}).SyncIDKey(t.Context(), f))
		here, err := durable.ReadFile(f, layout.IDKeyFingerprintFile, 100)
		if c.want == "-" {
			if err == nil {
				t.Errorf("%q and %q in the store: recorded %q", c.here, c.there, here)
			}
			continue
		}
		must(t, err)
		if string(here) != c.want || c.want == good && string(bucket.Get(t, layout.IDKeyFingerprintFile)) != good {
			t.Errorf("%q and %q in the store: recorded %q and %q", c.here, c.there, here, bucket.Get(t, layout.IDKeyFingerprintFile))
		}
	}
	other := durabletest.NewMem()
	must(t, durable.Create(other, layout.IDKeyFingerprintFile, durable.Bytes([]byte(strings.Repeat("0b", 16)))))
	bucket := storetest.NewMemory()
	bucket.Set(t, layout.IDKeyFingerprintFile, []byte(good))
	if err := store.New(bucket, store.Options{}).SyncIDKey(t.Context(), other); err == nil {
		t.Error("two keys were accepted")
	}
}
