package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/needs"
)

// shuffler sends every account the same provider's answers in a random order of its own, with the
// same changes for all: every item has an unknown field, one fixture has lost a field, one its league,
// one has markets of another type, and one is duplicated, in the list and in the markets.
type shuffler struct {
	provider http.Handler
	football map[string]bool // the fixtures with human players

	mu    sync.Mutex
	pages map[string]*said // of the list, by query
	items map[string]*said // markets of a fixture, by its id

	lost, leagueless, retyped, twice string // fixtures
	listed                           json.RawMessage
}

// said is an answer of the provider.
type said struct {
	Success int               `json:"success"`
	Pager   json.RawMessage   `json:"pager,omitempty"`
	Results []json.RawMessage `json:"results"`
}

func (s *shuffler) answer(w http.ResponseWriter, r *http.Request, a turn) bool {
	var number uint64
	fmt.Sscanf(a.account, "account-%d", &number)
	rng := rand.New(rand.NewPCG(number, uint64(a.n)))
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	r = r.Clone(r.Context())
	r.URL.Path = "/" + path
	r.Header.Del("Accept-Encoding")
	var all said
	switch {
	case strings.HasSuffix(path, "/upcoming"):
		all = s.page(r)
	case strings.HasSuffix(path, "/prematch"):
		all.Success = 1
		for _, id := range strings.Split(r.URL.Query().Get("FI"), ",") {
			all.Results = append(all.Results, s.markets(r, id).Results...)
		}
	default:
		return false
	}
	results := slices.Clone(all.Results)
	rng.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	for i := range results {
		if strings.HasSuffix(path, "/upcoming") { // the order of a fixture's sections is the order of its markets
			results[i] = shuffledKeys(rng, results[i])
		}
	}
	all.Results = append([]json.RawMessage{}, results...)
	text, err := json.Marshal(all)
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(shuffledKeys(rng, text))
	return true
}

func shuffledKeys(rng *rand.Rand, object json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return object
	}
	keys := slices.Sorted(maps.Keys(members))
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	var out bytes.Buffer
	for i, key := range keys {
		out.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&out, "%q:%s", key, members[key])
	}
	out.WriteByte('}')
	return out.Bytes()
}

// ask sends the request to the provider.
func (s *shuffler) ask(r *http.Request) *said {
	w := httptest.NewRecorder()
	s.provider.ServeHTTP(w, r)
	var all said
	if json.Unmarshal(w.Body.Bytes(), &all) != nil || all.Success != 1 {
		panic("the simulator does not answer: " + w.Body.String())
	}
	return &all
}

// page returns a page of the list: the provider's first answer, changed.
func (s *shuffler) page(r *http.Request) said {
	s.mu.Lock()
	defer s.mu.Unlock()
	question := r.URL.Query().Encode()
	if page, known := s.pages[question]; known {
		return *page
	}
	page := s.ask(r)
	first, i := len(s.pages) == 0, 0
	for n, item := range page.Results {
		members, id := opened(item, "id")
		switch {
		case !first || !s.football[id]: // not football: left out
		case i == 0:
			s.lost = id
			delete(members, "away")
		case i == 1:
			s.leagueless, members["league"] = id, json.RawMessage("7")
		case i == 2:
			s.twice = id
		}
		if s.football[id] {
			i++
		}
		page.Results[n] = closed(members)
		if id == s.twice {
			s.listed = page.Results[n]
		}
	}
	if len(s.pages) == 1 {
		page.Results = append(page.Results, s.listed)
	}
	s.pages[question] = page
	return *page
}

// markets returns those of a fixture: the provider's first answer, changed.
func (s *shuffler) markets(r *http.Request, id string) said {
	s.mu.Lock()
	defer s.mu.Unlock()
	if item, known := s.items[id]; known {
		return *item
	}
	query := r.URL.Query()
	query.Set("FI", id)
	r.URL.RawQuery = query.Encode()
	item := s.ask(r)
	for i := range item.Results {
		members, _ := opened(item.Results[i], "FI")
		if s.retyped == "" && id != s.twice && len(members["main"]) > 100 && len(members["goals"]) > 100 {
			s.retyped = id // the first fixture with another section
		}
		if id == s.retyped {
			members["main"] = json.RawMessage("17")
		}
		item.Results[i] = closed(members)
	}
	if id == s.twice {
		item.Results = append(item.Results, item.Results...)
	}
	s.items[id] = item
	return *item
}

// opened returns an item's members and id.
func opened(item json.RawMessage, key string) (members map[string]json.RawMessage, id string) {
	if err := json.Unmarshal(item, &members); err != nil {
		panic(err)
	}
	return members, strings.Trim(string(members[key]), `"`)
}

// closed encodes an item, with an unknown field.
func closed(members map[string]json.RawMessage) json.RawMessage {
	members["nobody_knows"] = json.RawMessage(`{"x":[1,null,"2"]}`)
	item, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return item
}

// TestShuffledAnswers: the same answers in a hundred orders are the same fixtures, with one event and
// one digest each.
func TestShuffledAnswers(t *testing.T) {
	needs.Time(t, "a hundred accounts publish")
	const orders = 100
	c := newManyAccounts(t, orders, 60)
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 60, Quota: 1_000_000, Tokens: map[string]simulator.Account{canary: {Seed: 3}}})
	c.must(err)
	football := map[string]bool{}
	for _, f := range sim.Listed(canary) {
		football[f.ID] = f.Human && !f.Over
	}
	s := &shuffler{provider: sim, football: football, pages: map[string]*said{}, items: map[string]*said{}}
	c.gate.setFaults(nil, s.answer)
	c.good()
	var want map[string]string
	for _, id := range c.accounts {
		digests := c.events(id, c.newest[id].Cycle)
		if want == nil {
			want = digests
		}
		if diff := cmp.Diff(want, digests); diff != "" {
			t.Errorf("%s: other events than the first (-first +it):\n%s", id, diff)
		}
	}
	if len(s.pages) != 2 || s.listed == nil || len(s.items[s.twice].Results) != 2 {
		t.Errorf("not everything was changed: %d pages, twice %s", len(s.pages), s.twice)
	}
	if _, there := want[s.retyped]; !there || len(want) < 40 {
		t.Errorf("%d events, one of them of the fixture of which one section is none: %v", len(want), there)
	}
	t.Logf("%d orders: each %d fixtures, one event each, the same digests", orders, len(want))
	c.end(c.api)
}

// events returns a cycle's digests by the provider's fixture id, each of which must have only one; nil
// until the cycle is served.
func (c *manyAccounts) events(id, cycle string) map[string]string {
	c.t.Helper()
	digests := map[string]string{}
	for path := "/changes?limit=200"; path != ""; {
		var page struct {
			Data []struct {
				CycleID    string  `json:"cycle_id"`
				Type       string  `json:"type"`
				Digest     *string `json:"content_digest"`
				Provenance struct {
					ID string `json:"provider_fixture_id"`
				}
			}
			Pagination struct {
				HasMore bool   `json:"has_more"`
				Next    string `json:"next_cursor"`
			}
		}
		status, body := c.ask(id, path)
		if status == http.StatusServiceUnavailable {
			return nil // not served yet
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			c.t.Fatalf("%s: %d %.200s", path, status, body)
		}
		for _, e := range page.Data {
			if e.CycleID != cycle {
				continue
			}
			if _, twice := digests[e.Provenance.ID]; twice {
				c.t.Errorf("%s: %s has two events", id, e.Provenance.ID)
			}
			digest := e.Type
			if e.Digest != nil {
				digest += " " + *e.Digest
			}
			digests[e.Provenance.ID] = digest
		}
		if path = ""; page.Pagination.HasMore {
			path = "/changes?limit=200&cursor=" + page.Pagination.Next
		}
	}
	return digests
}
