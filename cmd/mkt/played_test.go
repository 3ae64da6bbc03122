package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/internal/dataset"
	"mkt/internal/testing/check"
	"mkt/internal/testing/providertest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
	"mkt/transform/identity"
)

// played is a data root with simulated cycles of one account, hours of them in seconds.
type played struct {
	testing.TB
	now  time.Time
	data string

	exchange *providertest.Exchange
	resume   map[football.Product]string
}

var playedBegins = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

func newPlayed(t testing.TB, o simulator.Options) *played {
	t.Helper()
	return newPlayedAt(t, playedBegins, o)
}

func newPlayedAt(t testing.TB, begins time.Time, o simulator.Options) *played {
	t.Helper()
	p := &played{TB: t, now: begins, data: filepath.Join(t.TempDir(), "data"), resume: map[football.Product]string{}}
	o.Now = func() time.Time { return p.now }
	sim, err := emulator.New(o)
	p.must(err)
	p.exchange = &providertest.Exchange{Adapter: betsapi.Provider(), Handler: sim, Token: sim.Tokens()[0], Clock: o.Now}
	return p
}

func (p *played) must(err error) {
	p.Helper()
	check.Must(p, err)
}

func (p *played) dataset(product football.Product) dataset.Dataset {
	return dataset.Dataset{Data: p.data, Tenant: "acme", Product: product}
}

func (p *played) cycle(product football.Product) publish.Summary {
	p.Helper()
	data, err := durable.OpenRoot(p.data)
	p.must(err)
	defer data.Close()
	root, err := durable.OpenRoot(p.dataset(product).Dir())
	p.must(err)
	defer root.Close()
	id := layout.NewCycleID(p.now, string(product))
	archive, err := raw.Create(root, id, nil)
	p.must(err)
	p.exchange.Archive = archive
	var asked provider.Asked
	if product == football.LiveIntelligence {
		asked, err = betsapi.Provider().Live.Ask(p.Context(), p.exchange, p.resume[product])
	} else {
		asked, err = betsapi.Provider().Markets.Ask(p.Context(), p.exchange)
	}
	p.must(err)
	p.resume[product] = asked.Resume
	_, err = archive.Seal(raw.Cycle{ClientID: "acme", Product: product, Provider: "betsapi", StartedAt: p.now, FinishedAt: p.now,
		Outcome: raw.Complete, ListingComplete: asked.ListingComplete, Resume: asked.Resume, NotOffered: asked.NotOffered})
	p.must(err)
	_, err = transform.Run(p.Context(), transform.Options{ClientID: "acme", Product: product, Cycle: id, Root: root, Data: data, Key: identity.Key{1},
		Now: func() time.Time { return p.now.Add(time.Second) }, Version: "test"})
	p.must(err)
	s, err := publish.Run(p.Context(), publish.Options{ClientID: "acme", Product: product, Cycle: id, Root: root,
		Now: func() time.Time { return p.now.Add(2 * time.Second) }, Version: "test"})
	p.must(err)
	return s
}

// play runs live cycles, eight seconds apart.
func (p *played) play(length time.Duration) {
	p.Helper()
	for end := p.now.Add(length); p.now.Before(end); p.now = p.now.Add(8 * time.Second) {
		p.cycle(football.LiveIntelligence)
	}
	p.now = p.now.Add(-8 * time.Second)
}

// run runs a command on the data root, a few seconds later, and returns its output.
func (p *played) run(args ...string) (string, error) {
	var out bytes.Buffer
	tree := commands.New(cli.NewEnv(nil, &out, &out, func() time.Time { return p.now.Add(5 * time.Second) }, version))
	tree.SetArgs(append(args, "--data", p.data))
	err := tree.ExecuteContext(p.Context())
	return out.String(), err
}

func (p *played) file(name string) string { return filepath.Join(p.data, "..", name) }
