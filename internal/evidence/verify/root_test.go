package verify_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/transform/identity"
)

var key = identity.Key{}

type testRoot struct {
	root, data *durabletest.Mem
	product    football.Product
}

// markets are seven hours of the market engine, some of which retention has deleted; ticks
// are half an hour in play, the first part of which is compacted.
var (
	markets = sync.OnceValues(func() (testRoot, error) { return build(football.MarketEngine, 7, time.Hour) })
	ticks   = sync.OnceValues(func() (testRoot, error) { return build(football.LiveIntelligence, 24, 90*time.Second) })
)

// keep is short, so that retention deletes something.
var keep = retention.Policy{Snapshots: 4, SnapshotAge: time.Hour, CycleAge: 4 * time.Hour}

func build(product football.Product, cycles int, every time.Duration) (testRoot, error) {
	h := testRoot{durabletest.NewMem(), durabletest.NewMem(), product}
	p := dataroot.Product{Name: product, Root: h.root, Data: h.data, Key: key, Version: "test", Retention: keep}
	end, err := simulate(p, 8, cycles, every, nil)
	if err == nil && product == football.LiveIntelligence {
		_, err = raw.Compact(h.root, layout.NewCycleID(end, string(product)))
	}
	return h, err
}

// simulate runs cycles on the simulator and returns the time of the next one. after, if not nil,
// is called after each.
func simulate(p dataroot.Product, fixtures, cycles int, every time.Duration, after func(at time.Time) error) (at time.Time, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url, err := dataroot.Simulate(ctx, fixtures)
	if err != nil {
		return at, err
	}
	p.Tenant = dataroot.Fetching(url)
	at = time.Now().UTC().Truncate(time.Hour).Add(30 * time.Minute)
	for i := range cycles {
		err := p.Cycle(ctx, at)
		if err == nil && after != nil {
			err = after(at)
		}
		if err != nil {
			return at, fmt.Errorf("cycle %d: %w", i, err)
		}
		at = at.Add(every)
	}
	return at, nil
}

func built(t testing.TB, of func() (testRoot, error)) testRoot {
	t.Helper()
	h, err := of()
	check.Must(t, err)
	return testRoot{h.root.PowerCut(1, 0), h.data.PowerCut(1, 0), h.product}
}

func (h testRoot) verify(t testing.TB, change func(*verify.Options)) verify.Report {
	t.Helper()
	o := verify.Options{ClientID: "acme", Product: h.product, Root: h.root, Command: "mkt"}
	if change != nil {
		change(&o)
	}
	r, err := verify.Run(context.Background(), o)
	check.Must(t, err)
	return r
}

func (h testRoot) deep(o *verify.Options) {
	o.Deep = &verify.Deep{Key: key, Data: h.data, Scratch: durabletest.NewMem(), Version: "other"}
}

func (h testRoot) list(t testing.TB, dir string) (all []string) {
	t.Helper()
	entries, err := h.root.ReadDir(dir)
	check.Must(t, err)
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		if e.IsDir() {
			all = append(all, h.list(t, name)...)
			continue
		}
		all = append(all, name)
	}
	return all
}

func (h testRoot) read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := durable.ReadFile(h.root, name, 1<<30)
	check.Must(t, err)
	return data
}

func (h testRoot) write(t testing.TB, name string, data []byte) {
	t.Helper()
	if there, _ := durable.Exists(h.root, name); there {
		check.Must(t, h.root.Remove(name))
	}
	check.Must(t, durable.Create(h.root, name, durable.Bytes(data)))
}

// The data roots contain what the tests are about.
func TestRootsHaveDeletedAndCompactedData(t *testing.T) {
	m := built(t, markets)
	floors, err := retention.ReadWatermarks(m.root)
	check.Must(t, err)
	if floors.Snapshots == nil || floors.Raw == nil {
		t.Errorf("retention deleted nothing: %+v", floors)
	}
	packs := 0
	for _, name := range built(t, ticks).list(t, layout.RawDir) {
		if _, is := layout.ParseRawPack(name[len(layout.RawDir)+1:]); is {
			packs++
		}
	}
	if packs == 0 {
		t.Error("no pack")
	}
}
