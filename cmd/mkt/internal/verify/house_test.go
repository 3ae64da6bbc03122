package verify_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/verify"
	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/transform"
	"mkt/transform/identity"
)

const secret = "12345-verify99"

var key = identity.Key{}

// house is one account's data, made by the real stages.
type house struct {
	root, data *durabletest.Mem
	product    football.Product
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// markets are seven hours of the market engine, of which retention has let go of
// some; ticks are half an hour in play, the first of it rolled up.
var (
	markets = sync.OnceValues(func() (house, error) { return build(football.MarketEngine, 7, time.Hour) })
	ticks   = sync.OnceValues(func() (house, error) { return build(football.LiveIntelligence, 24, 90*time.Second) })
)

// keep is short, so that something is let go of.
var keep = retention.Policy{Snapshots: 4, SnapshotAge: time.Hour, CycleAge: 4 * time.Hour}

func build(product football.Product, cycles int, every time.Duration) (house, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 8, Tokens: map[string]simulator.Account{secret: {}}})
	if err != nil {
		return house{}, err
	}
	url, _, err := simulator.Listen(ctx, sim, "127.0.0.1:0")
	if err != nil {
		return house{}, err
	}
	h := house{durabletest.NewMem(), durabletest.NewMem(), product}
	began := time.Now().UTC().Truncate(time.Hour).Add(30 * time.Minute)
	for i := range cycles {
		if err := h.cycle(ctx, url, began.Add(time.Duration(i)*every)); err != nil {
			return house{}, fmt.Errorf("cycle %d: %w", i, err)
		}
	}
	if product == football.LiveIntelligence {
		if _, err := raw.Compact(h.root, layout.NewCycleID(began.Add(time.Duration(cycles)*every), string(product))); err != nil {
			return house{}, err
		}
	}
	return h, nil
}

// cycle is mkt cycle.
func (h house) cycle(ctx context.Context, url string, at time.Time) error {
	return h.cycleOn(ctx, h.root, url, at, keep)
}

// cycleOn is cycle by way of another file system over the same root.
func (h house) cycleOn(ctx context.Context, root durable.FS, url string, at time.Time, keep retention.Policy) error {
	now := func() time.Time { return at }
	_, err := fetch.Run(ctx, fetch.Options{
		Tenant:  fetch.Tenant{ID: "acme", Provider: "betsapi", SealedCredential: "sealed", BaseURL: url, AllowPrivateAddress: true},
		Product: h.product, Root: root, Now: now, Provider: all.Lookup,
		Open: func(string, string, string) (credential.Secret, error) { return credential.NewSecret(secret), nil },
	})
	if err != nil {
		return err
	}
	if _, err := transform.Run(ctx, transform.Options{ClientID: "acme", Product: h.product, Root: root, Data: h.data, Key: key, Now: now, Version: "test"}); err != nil {
		return err
	}
	_, err = publish.Run(ctx, publish.Options{ClientID: "acme", Product: h.product, Root: root, Now: now, Version: "test", Retention: keep})
	return err
}

func built(t testing.TB, of func() (house, error)) house {
	t.Helper()
	h, err := of()
	must(t, err)
	return house{h.root.PowerCut(1, 0), h.data.PowerCut(1, 0), h.product}
}

func (h house) verify(t testing.TB, change func(*verify.Options)) verify.Report {
	t.Helper()
	o := verify.Options{ClientID: "acme", Product: h.product, Root: h.root, Command: "mkt"}
	if change != nil {
		change(&o)
	}
	r, err := verify.Run(context.Background(), o)
	must(t, err)
	return r
}

func (h house) deep(o *verify.Options) {
	o.Deep = &verify.Deep{Key: key, Data: h.data, Scratch: durabletest.NewMem(), Version: "other"}
}

// list are the files below a folder, by name.
func (h house) list(t testing.TB, dir string) (all []string) {
	t.Helper()
	entries, err := h.root.ReadDir(dir)
	must(t, err)
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

func (h house) read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := durable.ReadFile(h.root, name, 1<<30)
	must(t, err)
	return data
}

func (h house) write(t testing.TB, name string, data []byte) {
	t.Helper()
	if there, _ := durable.Exists(h.root, name); there {
		must(t, h.root.Remove(name))
	}
	must(t, durable.Create(h.root, name, durable.Bytes(data)))
}

// The houses have in them what the tests are about.
func TestHouses(t *testing.T) {
	m := built(t, markets)
	floors, err := retention.ReadWatermarks(m.root)
	must(t, err)
	if floors.Snapshots == nil || floors.Raw == nil {
		t.Errorf("nothing was let go of: %+v", floors)
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
