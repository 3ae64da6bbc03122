package main

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/internal/accounts"
	"mkt/internal/testing/dataroot"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// changing is a system whose account moves between two providers.
type changing struct {
	*liveSystem
	first accounts.Provider // as it was connected
	other accounts.Provider
}

func newChanging(t *testing.T) *changing {
	t.Helper()
	c := &changing{liveSystem: newLiveSystem(t, time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC), simulator.Options{Seed: 3, Fixtures: 34})}
	c.first = *c.acme().Provider
	c.steps[2] = c.unchecked
	c.other = c.simulated("sportmonks", 4)
	return c
}

// simulated starts another provider, and returns the account's connection to it.
func (c *changing) simulated(name string, seed uint64) accounts.Provider {
	c.Helper()
	sim, err := emulators.New(name, simulator.Options{Seed: seed, Fixtures: 34, Now: c.clock.Now})
	c.must(err)
	server := httptest.NewServer(sim)
	c.Cleanup(server.Close)
	key, err := credential.LoadIdentity(c.Batch.Keys.Seal)
	c.must(err)
	sealed, err := credential.Seal(key.Recipient(), "acme", name, []byte(sim.Tokens()[0]))
	c.must(err)
	return accounts.Provider{Name: name, BaseURL: server.URL, AllowPrivateAddress: true, Credential: sealed, Hint: "****0000"}
}

func (c *changing) connect(p accounts.Provider) {
	c.Helper()
	file, err := accounts.Edit(c.Context(), c.Tenants, func(e *accounts.Editor) error {
		return e.Change("acme", func(t *accounts.Tenant) error { t.Provider = &p; return nil })
	})
	c.must(err)
	c.file = file
}

// next runs a cycle of both products a minute later, and waits until both are served.
func (c *changing) next() {
	c.Helper()
	c.now = c.now.Add(time.Minute)
	c.must(c.tick())
	c.must(c.cycle(c.acme(), football.MarketEngine, c.steps...))
	c.servedIn("/fixtures")
	c.served()
}

type changesPage struct {
	Data []struct {
		Seq       uint64 `json:"seq"`
		Type      string `json:"type"`
		FixtureID string `json:"fixture_id"`
	}
	Pagination struct {
		NextCursor string `json:"next_cursor"`
		HasMore    bool   `json:"has_more"`
	}
	Meta struct {
		ChangesCursor string `json:"changes_cursor"`
	}
}

// fixtures are the ids of /fixtures, and the position in the change log before them.
func (c *changing) fixtures() (ids map[string]bool, cursor string) {
	c.Helper()
	ids = map[string]bool{}
	for next := ""; ; {
		var page changesPage
		if status := c.ask("/fixtures?limit=200&cursor="+next, &page); status != 200 {
			c.Fatalf("status %d", status)
		}
		for _, f := range page.Data {
			ids[f.FixtureID] = true
		}
		cursor = page.Meta.ChangesCursor
		if next = page.Pagination.NextCursor; !page.Pagination.HasMore {
			return ids, cursor
		}
	}
}

// inPlay are the ids of /live.
func (c *changing) inPlay() map[string]bool {
	ids := map[string]bool{}
	for _, f := range c.list() {
		ids[f.FixtureID] = true
	}
	return ids
}

// A change in the middle of a cycle: what was fetched from the provider before is published
// as its own, and the next cycle moves on.
func TestChangeOfProviderInACycle(t *testing.T) {
	c := newChanging(t)
	c.next()
	client, cursor := c.fixtures()
	before, live := len(client), c.inPlay()
	old := c.acme()
	c.now = c.now.Add(time.Minute)
	c.must(c.cycle(old, football.MarketEngine, c.steps[0])) // fetched
	c.must(c.cycle(old, football.LiveIntelligence, c.steps[0]))
	c.connect(c.other)
	c.must(c.cycle(c.acme(), football.MarketEngine, c.steps[1:]...))
	c.next()
	second, _ := c.fixtures()
	events := map[string]int{}
	for more := true; more; {
		var page changesPage
		if status := c.ask("/changes?limit=200&cursor="+cursor, &page); status != 200 {
			t.Fatalf("status %d", status)
		}
		for _, e := range page.Data {
			events[e.Type]++
			if delete(client, e.FixtureID); e.Type == "fixture_markets_updated" {
				client[e.FixtureID] = true
			}
		}
		cursor, more = page.Pagination.NextCursor, page.Pagination.HasMore
	}
	if !maps.Equal(client, second) || events["fixture_removed"] < before || events["fixture_markets_updated"] < len(second) {
		t.Errorf("%v; a client has %d fixtures, served are %d", events, len(client), len(second))
	}
	now := c.inPlay()
	if len(live) == 0 || len(now) == 0 {
		t.Errorf("in play were %v, now %v", live, now)
	}
	for id := range live {
		if now[id] {
			t.Errorf("%s of the provider before is in play", id)
		}
	}
}

// After a change of the bookmaker no fixture keeps the prices of the one before: not one
// that the new one does not price, and not one whose prices could not be fetched.
func TestChangeOfBookmaker(t *testing.T) {
	r := dataroot.New(t, football.MarketEngine)
	page := dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal"), dataroot.Listed("9002", "Nord", "Süd"), dataroot.Listed("9003", "West", "Ost"))
	at := func(maker string, failed, none []string) func(*raw.Cycle) {
		return func(h *raw.Cycle) {
			h.Bookmaker, h.Failed, h.NotOffered = maker, failed, none
			if len(failed) > 0 {
				h.Outcome, h.Code = raw.Partial, "RATE_LIMITED"
			}
		}
	}
	markets := func() string {
		var list []string
		for _, f := range dataroot.Rows[table.FixtureRow](r, layout.FixturesFile) {
			list = append(list, fmt.Sprint(f.ProviderFixtureID, ":", f.MarketCount > 0))
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	is := func(want string) {
		t.Helper()
		if got := markets(); got != want {
			t.Errorf("with markets: %s, want %s", got, want)
		}
	}
	offer := func(id string) dataroot.Answer { return dataroot.Offer(id, dataroot.Offered) }
	r.Cycle(0, at("one", nil, nil), page, offer("9001"), offer("9002"), offer("9003"))
	is("9001:true 9002:true 9003:true")
	r.Cycle(time.Hour, at("one", []string{"9001"}, []string{"9003"}), page, offer("9002"))
	is("9001:true 9002:true 9003:true") // the same bookmaker: kept
	r.Cycle(2*time.Hour, at("two", []string{"9001"}, []string{"9003"}), page, offer("9002"))
	is("9002:true 9003:false")
	r.Cycle(3*time.Hour, at("two", nil, []string{"9003"}), page, offer("9001"), offer("9002"))
	is("9001:true 9002:true 9003:false")
}
