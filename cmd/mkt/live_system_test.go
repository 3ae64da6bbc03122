package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/accounts"
	"mkt/internal/testing/check"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/serve/account"
)

// liveSystem is live intelligence as a whole, with real HTTP at both ends and real files: a provider
// that plays matches, the three steps, and the API, on a clock that the test sets.
type liveSystem struct {
	*system
	file  *accounts.File
	steps []batch.Step

	token string
}

const cadence = 8 * time.Second

// newLiveSystem starts at a time with one account, which has every right.
func newLiveSystem(t *testing.T, begins time.Time, o simulator.Options) *liveSystem {
	t.Helper()
	return openLiveSystem(t, begins, func(now func() time.Time) (http.Handler, string) {
		o.Now, o.Quota = now, demo.Quota
		sim, err := emulator.New(o)
		check.Must(t, err)
		return sim, sim.Tokens()[0]
	})
}

// openLiveSystem is newLiveSystem with any provider. provider also returns the token that it accepts.
func openLiveSystem(t *testing.T, begins time.Time, provider func(now func() time.Time) (http.Handler, string)) *liveSystem {
	t.Helper()
	s := unservedLiveSystem(t, begins, provider)
	s.open("")
	return s
}

// unservedLiveSystem is openLiveSystem without the API.
func unservedLiveSystem(t *testing.T, begins time.Time, provider func(now func() time.Time) (http.Handler, string)) *liveSystem {
	t.Helper()
	s := &liveSystem{system: newSystem(t, begins)}
	handler, token := provider(s.clock.Now)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s.enroll(server.URL, token)
	var err error
	s.steps, err = s.Batch.CycleSteps(batch.TransformFlags{Details: 1000}, batch.PublishFlags{Keep: demo.Retention})
	s.must(err)
	return s
}

func (s *liveSystem) enroll(provider, credential string) {
	s.Helper()
	acme := demo.Account{Credential: credential, Tenant: demo.NewTenant("acme",
		[]football.Product{football.MarketEngine, football.LiveIntelligence}, map[string]bool{account.AdvancedStats: true})}
	acme.Tenant.Limit = account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000}
	list := []demo.Account{acme}
	var err error
	s.file, err = s.Enrol(s.Context(), list, provider)
	s.must(err)
	s.token = list[0].Token
}

func (s *liveSystem) acme() *accounts.Tenant {
	t, err := cli.TenantByID(s.file, "acme")
	s.must(err)
	return t
}

func (s *liveSystem) tick() error {
	return s.cycle(s.acme(), football.LiveIntelligence, s.steps...)
}

// play runs cycles for that long.
func (s *liveSystem) play(length time.Duration) {
	s.Helper()
	for end := s.now.Add(length); s.now.Before(end); s.now = s.now.Add(cadence) {
		if err := s.tick(); err != nil {
			s.Fatalf("cycle of %v: %v", s.now, err)
		}
	}
	s.now = s.now.Add(-cadence)
}

// served waits until the newest live cycle is served.
func (s *liveSystem) served() {
	s.Helper()
	s.servedIn("/live")
}

// servedIn waits until a list is that of the newest cycle.
func (s *liveSystem) servedIn(list string) {
	s.Helper()
	check.Eventually(s.T, fmt.Sprintf("%s is of the cycle of %v", list, s.now), func() bool {
		var page livePage
		s.ask(list+"?limit=1", &page)
		return page.Meta.ProcessedAt.Equal(s.now)
	})
}

// unchecked is the stage publish without the check of the new snapshot, for which it starts a child of
// this binary, which is the test.
func (s *liveSystem) unchecked(ctx context.Context, t batch.Task) (batch.Report, error) {
	sum, err := publish.Run(ctx, publish.Options{ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root,
		Now: s.Now, Log: s.Env.Log, Version: version, Retention: demo.Retention})
	return batch.PublishReport(sum, 0), err
}

// ask sends a request, decodes the body into v and returns the status.
func (s *liveSystem) ask(path string, v any) int {
	s.Helper()
	return mustDecode(s.T, s.url+"/api/v1"+path, s.token, v)
}

// livePage and the types below are answers as a client reads them.
type livePage struct {
	Data []liveItem
	Meta struct {
		ProcessedAt time.Time `json:"processed_at"`
	}
}

type liveItem struct {
	FixtureID  string `json:"fixture_id"`
	Counters   map[string]counterSent
	Provenance struct {
		ProviderFixtureID string `json:"provider_fixture_id"`
	}
}

type counterSent struct {
	State      string
	Home, Away *json.Number
	Absent     []string
}

// list returns all items of GET /live.
func (s *liveSystem) list() (all []liveItem) {
	s.Helper()
	path := "/live?limit=200"
	for path != "" {
		var page struct {
			livePage
			Pagination struct {
				NextCursor *string `json:"next_cursor"`
			}
		}
		if status := s.ask(path, &page); status != http.StatusOK {
			s.Fatalf("%s: %d", path, status)
		}
		all, path = append(all, page.Data...), ""
		if page.Pagination.NextCursor != nil {
			path = "/live?limit=200&cursor=" + *page.Pagination.NextCursor
		}
	}
	return all
}

// one decodes a fixture's route, which must answer 200.
func (s *liveSystem) one(id, route string, v any) {
	s.Helper()
	if status := s.ask("/live/"+id+route, v); status != http.StatusOK {
		s.Fatalf("/live/%s%s: status %d", id, route, status)
	}
}

// sides describes both sides, states that are not theirs included.
func (c counterSent) sides() (words [2]string) {
	sent, zero, null := false, true, false
	for side, n := range []*json.Number{c.Home, c.Away} {
		switch {
		case n != nil:
			words[side], sent, zero = n.String(), true, zero && n.String() == "0"
		case c.State == "MUNGON" || slices.Contains(c.Absent, [2]string{"home", "away"}[side]):
			words[side] = "absent"
		default:
			words[side], null = "null", true
		}
	}
	want := "MUNGON"
	switch {
	case sent && !zero:
		want = "VLERE"
	case sent:
		want = "ZERO"
	case null:
		want = "NULL"
	}
	if c.State != want {
		words[0] += " as " + c.State
	}
	return words
}
