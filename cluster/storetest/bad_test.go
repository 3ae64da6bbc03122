package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/store"
)

// Every way in which a store is bad stops a publication with an error that says what it is
// and nothing that is secret. Nothing is published then, here or in the store, and when the
// store is good again the next run goes on.
func TestBadStores(t *testing.T) {
	all := func(f servers.Fault) func(servers.Operation) servers.Fault {
		return func(servers.Operation) servers.Fault { return f }
	}
	writes := func(f servers.Fault) func(servers.Operation) servers.Fault {
		return func(op servers.Operation) (fault servers.Fault) {
			if op.Kind == servers.Put || op.Kind == servers.Create || op.Kind == servers.Part {
				return f
			}
			return fault
		}
	}
	quota := &servers.Refusal{Status: http.StatusForbidden, Code: "QuotaExceeded", Message: "canary of the store"}
	expired := &servers.Refusal{Status: http.StatusBadRequest, Code: "ExpiredToken", Message: "canary of the store"}
	region := &servers.Refusal{Status: http.StatusMovedPermanently, Code: "PermanentRedirect", Message: "canary of the store"}
	for name, bad := range map[string]struct {
		rule func(servers.Operation) servers.Fault
		want error
		big  bool // the pack is sent in parts
	}{
		"the key is wrong":          {rule: all(servers.Fault{Refuse: servers.BadKey}), want: store.ErrRefused},
		"the token has expired":     {rule: all(servers.Fault{Refuse: expired}), want: store.ErrRefused},
		"the region is another":     {rule: all(servers.Fault{Refuse: region}), want: store.ErrRefused},
		"writes are not allowed":    {rule: writes(servers.Fault{Refuse: servers.Denied}), want: store.ErrRefused},
		"parts are not allowed":     {rule: writes(servers.Fault{Refuse: servers.Denied}), want: store.ErrRefused, big: true},
		"there is no bucket":        {rule: all(servers.Fault{Refuse: servers.NoBucket}), want: store.ErrNoBucket},
		"the disk is full":          {rule: writes(servers.Fault{Refuse: servers.Full}), want: store.ErrFull},
		"the disk is full of parts": {rule: writes(servers.Fault{Refuse: servers.Full}), want: store.ErrFull, big: true},
		"the quota is used up":      {rule: writes(servers.Fault{Refuse: quota}), want: store.ErrFull},
		"it wants fewer requests":   {rule: all(servers.Fault{Refuse: servers.SlowDown}), want: store.ErrAway},
		"it fails":                  {rule: writes(servers.Fault{Refuse: servers.Broken}), want: store.ErrAway},
		"requests are lost":         {rule: all(servers.Fault{DropRequest: true}), want: store.ErrAway},
		"answers are lost":          {rule: all(servers.Fault{DropAnswer: true}), want: store.ErrAway},
		"parts are lost":            {rule: writes(servers.Fault{DropRequest: true}), want: store.ErrAway, big: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if bad.want == store.ErrAway && !bad.big {
				needs.Time(t, "a store that is tried again and again")
			}
			p := startProxy(t)
			w := newWorker(t, "worker", p.URL("bad "+name), football.MarketEngine)
			first, second := cycle{product: football.MarketEngine, number: 1, refreshed: upTo(3)}, cycle{product: football.MarketEngine, number: 2, refreshed: upTo(2), kept: upTo(3)}
			must(t, w.work(t.Context(), first))
			must(t, second.transform(w.f))
			if bad.big {
				archive(t, w.f, second, 12<<20)
			}
			p.Inject(bad.rule)
			_, err := publish.Run(t.Context(), w.options(second))
			discreet(t, p.Address, err)
			if failed := (*publish.StoreError)(nil); !errors.Is(err, bad.want) || !errors.As(err, &failed) {
				t.Errorf("%v\nwant %v", err, bad.want)
			}
			if v, err := look(w.f); err != nil || v.commit.Version != 1 {
				t.Errorf("version %d is published here: %v", v.commit.Version, err)
			}
			if err := openStore(t, p.URL("bad "+name)).Probe(t.Context()); !errors.Is(err, bad.want) {
				t.Errorf("the probe: %v", err)
			}
			p.Heal()
			must(t, w.work(t.Context(), second))
			reader := newWorker(t, "reader", p.URL("bad "+name), football.MarketEngine)
			if head, err := reader.d.Sync(t.Context(), reader.f); err != nil || head.Version != 2 {
				t.Errorf("afterwards the store has version %d: %v", head.Version, err)
			}
			v, err := look(reader.f)
			if err != nil || len(v.events) != 5 && len(v.events) != 6 {
				t.Errorf("%d events: %v", len(v.events), err)
			}
		})
	}
}

// archive writes answers of a provider for a cycle.
func archive(t testing.TB, f durable.FS, c cycle, size int) {
	t.Helper()
	dir := layout.Cycle(layout.RawDir, c.id())
	must(t, durable.MkdirAllSync(f, dir))
	noise := make([]byte, size)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(noise)
	must(t, durable.Create(f, dir+"/"+layout.RawCycleFile, durable.Bytes([]byte("{}\n"))))
	must(t, durable.Create(f, dir+"/000001.zst", durable.Bytes(noise)))
}

// discreet checks that an error holds no address, credential or text of the store.
func discreet(t testing.TB, address string, err error) {
	t.Helper()
	for _, secret := range []string{address, "127.0.0.1", "http", gateway.Access, gateway.Secret, "canary", "Please", "RequestID", "api error"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds %q: %v", secret, err)
		}
	}
}

// A store that fails for a while is tried again, and nobody notices.
func TestStoreFailsForAWhile(t *testing.T) {
	t.Parallel()
	p := startProxy(t)
	w := newWorker(t, "worker", p.URL("while"), football.MarketEngine)
	var mu sync.Mutex
	asked := map[string]bool{}
	p.Inject(func(op servers.Operation) servers.Fault {
		mu.Lock()
		defer mu.Unlock()
		if name := string(op.Kind) + op.Key; op.Kind == servers.Put || op.Kind == servers.Create {
			defer func() { asked[name] = true }()
			if !asked[name] {
				return servers.Fault{Refuse: servers.Broken}
			}
		}
		return servers.Fault{}
	})
	must(t, w.work(t.Context(), cycle{product: football.MarketEngine, number: 1, refreshed: upTo(3)}))
}

// A store at which nobody listens, and one that speaks no TLS.
func TestStoreAtAWrongAddress(t *testing.T) {
	t.Parallel()
	closed, err := servers.StartProxy(gateway.Address)
	must(t, err)
	closed.Stop()
	for name, url := range map[string]string{"nobody listens": closed.URL("x"), "no TLS": strings.Replace(gateway.URL("x"), "http%3A", "https%3A", 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := openStore(t, url).Probe(t.Context())
			if discreet(t, gateway.Address, err); !errors.Is(err, store.ErrAway) {
				t.Errorf("%v, want ErrAway", err)
			}
		})
	}
}

// An address with a wrong credential, and one that cannot be opened, are named without a
// secret, and the sentence stays readable.
func TestStoreThatCannotBeOpened(t *testing.T) {
	for _, url := range []string{"s3://bucket/prefix?nonsense=canary", "s3://bucket/prefix?role=canary"} {
		_, err := store.Open(t.Context(), store.Options{URL: url})
		if err == nil {
			t.Errorf("%s was opened", url)
			continue
		}
		if strings.Contains(err.Error(), "nonsense=canary") || !strings.Contains(err.Error(), " is not valid: ") || len(strings.Fields(err.Error())) < 12 {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// An object that ends early while it is copied is neither installed nor taken for damage
// in the store.
func TestTruncatedObjects(t *testing.T) {
	t.Parallel()
	p := startProxy(t)
	w := newWorker(t, "worker", p.URL("truncated"), football.MarketEngine)
	must(t, w.work(t.Context(), cycle{product: football.MarketEngine, number: 1, refreshed: upTo(3)}))
	for _, part := range []string{"packs/", "changes/", "commits/"} {
		reader := newWorker(t, "reader", p.URL("truncated"), football.MarketEngine)
		p.Inject(func(op servers.Operation) (f servers.Fault) {
			if op.Kind == servers.Get && strings.Contains(op.Key, part) {
				f.Truncate = 100
			}
			return f
		})
		_, err := reader.d.Sync(t.Context(), reader.f)
		if discreet(t, p.Address, err); !errors.Is(err, store.ErrAway) || snapshot.IsDamage(err) {
			t.Errorf("%s: %v, want ErrAway", part, err)
		}
		p.Heal()
		if head, err := reader.d.Sync(t.Context(), reader.f); err != nil || head.Version != 1 {
			t.Errorf("%s: afterwards version %d, %v", part, head.Version, err)
		}
	}
}

// A bit that flips in any object of the store is noticed by a worker and a reader with an
// empty disk, which name the object and leave what they have. A root that has it repairs it.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	prefix := "flipped"
	w := newWorker(t, "worker", gateway.URL(prefix), football.MarketEngine)
	behind := newWorker(t, "behind", gateway.URL(prefix), football.MarketEngine)
	before := durabletest.NewMem() // with the first publication
	cycles := []cycle{{number: 1, refreshed: upTo(3)}, {number: 2, refreshed: upTo(2), kept: upTo(3)}}
	for i := range cycles {
		cycles[i].product = football.MarketEngine
		must(t, w.work(t.Context(), cycles[i]))
		if i == 0 {
			_, err := behind.d.Follow(t.Context(), before)
			must(t, err)
			behind.f = before.PowerCut(1, 0)
		}
	}
	dir := filepath.Dir(gateway.File(prefix + "/client_id=acme/product=market_engine/packs"))
	var flipped int
	for _, pattern := range []string{"packs/*2-*", "changes/*", "commits/*2.json"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			whole, err := os.ReadFile(name)
			must(t, err)
			for _, at := range []int{0, len(whole) / 3, len(whole) / 2} {
				damaged := bytes.Clone(whole)
				if damaged[at] ^= 1; strings.Contains(pattern, "commits") {
					damaged[at] = 0 // a letter that another letter replaces is noticed by those who have the record
				}
				must(t, os.WriteFile(name, damaged, 0o644))
				empty := newWorker(t, "empty", gateway.URL(prefix), football.MarketEngine)
				_, err := empty.d.Sync(t.Context(), empty.f)
				base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
				if !snapshot.IsDamage(err) || !strings.Contains(err.Error(), base) || !strings.Contains(err.Error(), "mkt push --repair") {
					t.Errorf("%s at %d: a worker: %v", base, at, err)
				}
				// A reader does not need all of a pack, and has the older segments.
				_, errBehind := behind.d.Follow(t.Context(), behind.f)
				if v, err := look(behind.f); err != nil || v.commit.Version == 1 && !snapshot.IsDamage(errBehind) {
					t.Errorf("%s at %d: a reader has version %d, %v, %v", base, at, v.commit.Version, err, errBehind)
				}
				behind = newWorker(t, "behind", gateway.URL(prefix), football.MarketEngine)
				behind.f = before.PowerCut(1, 0)
				done, err := w.d.Repair(t.Context(), w.f, store.PushOptions{})
				if again, errRead := os.ReadFile(name); err != nil || errRead != nil || !bytes.Equal(again, whole) {
					t.Fatalf("%s at %d: repaired %+v, %v", base, at, done, err)
				}
				flipped++
			}
		}
	}
	if head, err := behind.d.Follow(t.Context(), behind.f); err != nil || head.Version != 2 || flipped < 9 {
		t.Errorf("%d bits flipped, afterwards version %d: %v", flipped, head.Version, err)
	}
}

// A store that takes longer than an operation may is away, and the run ends.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	needs.Time(t, "a store that answers after 40 seconds")
	p := startProxy(t)
	s := openStore(t, p.URL("slow"))
	p.Inject(func(servers.Operation) servers.Fault { return servers.Fault{Delay: 40 * time.Second} })
	if err := s.Probe(t.Context()); !errors.Is(err, store.ErrAway) {
		t.Errorf("%v, want ErrAway", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, _, err := s.Dataset(account, football.MarketEngine).Head(ctx, 1); err == nil {
		t.Error("an answer after the time of the caller")
	}
}

// Two installations use one prefix: another key for ids, and other publications.
func TestTwoInstallations(t *testing.T) {
	t.Parallel()
	url := gateway.URL("two")
	a := newWorker(t, "a", url, football.MarketEngine)
	must(t, a.work(t.Context(), cycle{product: football.MarketEngine, number: 1, refreshed: upTo(3)}))
	fingerprint := func(digit string) durable.FS {
		f := newWorker(t, "key", url, football.MarketEngine).f
		must(t, durable.Create(f, layout.IDKeyFingerprintFile, durable.Bytes([]byte(strings.Repeat(digit, 32)+"\n"))))
		return f
	}
	must(t, openStore(t, url).SyncIDKey(t.Context(), fingerprint("1")))
	if err := openStore(t, url).SyncIDKey(t.Context(), fingerprint("2")); err == nil || !strings.Contains(err.Error(), "prefix") {
		t.Errorf("another key: %v", err)
	}
	b := newWorker(t, "b", url, football.MarketEngine)
	alone := *b
	alone.d = nil
	c := cycle{product: football.MarketEngine, number: 2, refreshed: upTo(2)}
	must(t, c.transform(b.f))
	o := alone.options(c)
	o.Store = nil
	_, err := publish.Run(t.Context(), o)
	must(t, err)
	if _, err := b.d.Sync(t.Context(), b.f); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("other publications: %v", err)
	}
	if _, err := b.d.Repair(t.Context(), b.f, store.PushOptions{}); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a repair from other publications: %v", err)
	}
	if head, _, err := a.d.Head(t.Context(), 0); err != nil || head.Version != 1 || head.RunID != fmt.Sprint("a-", 1) {
		t.Errorf("the store has version %d of %s: %v", head.Version, head.RunID, err)
	}
}
