package transform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/providertest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/payloads"
	"mkt/transform"
)

// account is fetched and transformed again and again, on the clock of a simulated provider whose answers a test
// can change.
type account struct {
	*testing.T
	provider provider.Provider
	product  football.Product
	sim      *simulator.Server
	token    string
	now      time.Time
	mem      *durabletest.Mem
	resume   string
	edit     func(endpoint string, answer any) any // changes an answer; nil changes none
	cycle    func(*raw.Cycle)
	last     transform.Summary
}

func newAccount(t *testing.T, name string, product football.Product, o simulator.Options) *account {
	of, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	a := &account{T: t, provider: of, product: product, now: time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC), mem: newMem()}
	o.Now, o.Quota = func() time.Time { return a.now }, 1<<20
	sim, err := emulators.New(name, o)
	must(t, err)
	a.sim, a.token = sim, sim.Tokens()[0]
	return a
}

// ServeHTTP answers as the emulator, with the answers changed by edit.
func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answered := httptest.NewRecorder()
	a.sim.ServeHTTP(answered, r)
	body := answered.Body.Bytes()
	if a.edit != nil && answered.Code == http.StatusOK {
		var v any
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		must(a, d.Decode(&v))
		var err error
		body, err = json.Marshal(a.edit(r.URL.Path, v))
		must(a, err)
	}
	for name, values := range answered.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answered.Code)
	_, _ = w.Write(body)
}

func (a *account) id() layout.CycleID { return layout.NewCycleID(a.now, string(a.product)) }

// try runs a cycle.
func (a *account) try() error {
	a.Helper()
	out, err := raw.Create(a.mem, a.id(), nil)
	must(a, err)
	x := &providertest.Exchange{Adapter: a.provider, Handler: a, Token: a.token, Clock: func() time.Time { return a.now }, Archive: out}
	var asked provider.Asked
	if a.product == football.MarketEngine {
		asked, err = a.provider.Markets.Ask(a.Context(), x)
	} else {
		asked, err = a.provider.Live.Ask(a.Context(), x, a.resume)
	}
	must(a, err)
	a.resume = asked.Resume
	header := raw.Cycle{ClientID: "acme", Product: a.product, Provider: a.provider.Name, StartedAt: a.now, FinishedAt: a.now, Outcome: raw.Complete,
		ListingComplete: asked.ListingComplete, NotOffered: asked.NotOffered, Failed: asked.Failed, Resume: asked.Resume}
	if a.cycle != nil {
		a.cycle(&header)
	}
	_, err = out.Seal(header)
	must(a, err)
	o := options(a.mem, a.mem)
	o.Product, o.Now = a.product, func() time.Time { return a.now.Add(time.Second) }
	a.last, err = transform.Run(a.Context(), o)
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
		entries, _ := a.mem.ReadDir(dir)
		for _, e := range entries {
			if id, ok := layout.ParseCycleDir(e.Name()); ok && id < layout.NewCycleID(a.now.Add(-90*time.Minute), string(a.product)) {
				must(a, a.mem.RemoveAll(dir+"/"+e.Name()))
			}
		}
	}
	return err
}

// quiet runs cycles for that long, and none may find a change.
func (a *account) quiet(length, every time.Duration) {
	a.Helper()
	for end := a.now.Add(length); a.now.Before(end); a.now = a.now.Add(every) {
		must(a, a.try())
		if r := a.report(); len(r.Changes) > 0 {
			a.Fatalf("%s: %s", a.id(), told(r))
		}
	}
}

func (a *account) report() payloads.Report {
	a.Helper()
	r, err := payloads.Read(a.mem)
	must(a, err)
	return r
}

// told writes a report in a few words.
func told(r payloads.Report) string {
	var all []string
	for _, c := range r.Changes {
		all = append(all, fmt.Sprintf("%s %s %s %d/%d since %s", c.Kind, c.Answers, c.Name, c.Has, c.Of, c.Since.Format("02 15:04")))
	}
	return fmt.Sprintf("%d markets of %d fixtures lost: %s", r.LostMarkets, r.LostFixtures, strings.Join(all, "; "))
}

// Providers whose answers are always of one form are quiet.
func TestQuietProviders(t *testing.T) {
	days := 5 * 24 * time.Hour
	if testing.Short() {
		days = 80 * time.Hour
	}
	for _, name := range emulators.Names() {
		for _, fixtures := range []int{12, 60} {
			t.Run(fmt.Sprint(name, " ", fixtures), func(t *testing.T) {
				a := newAccount(t, name, football.MarketEngine, simulator.Options{Seed: 5, Fixtures: fixtures})
				a.quiet(days, 2*time.Hour)
				data, _ := durable.ReadFile(a.mem, "state/payload_week.json", 1<<30)
				t.Log(len(data))
			})
		}
		if of, _ := all.Lookup(name); of.Live != nil {
			t.Run(name+" live", func(t *testing.T) {
				a := newAccount(t, name, football.LiveIntelligence, simulator.Options{Seed: 5, Fixtures: 60})
				a.quiet(days, 10*time.Minute)
				data, _ := durable.ReadFile(a.mem, "state/payload_week.json", 1<<30)
				t.Log(len(data))
			})
		}
	}
}
