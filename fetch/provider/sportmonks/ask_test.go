package sportmonks_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/providertest"
)

// upstream is a provider in memory: it has a list, and answers as the hooks say.
type upstream struct {
	items  []string                                    // of the list, JSON
	hook   func(r provider.Request) (string, int)      // an answer instead of the provider's own; "" = its own
	change func(page int, items []string) (out string) // a page instead of the provider's own; "" = its own

	providertest.Fake
}

func (u *upstream) Now() time.Time    { return fetchedAt }
func (u *upstream) Concurrency() int  { return 1 } // so that the order of requests is known
func (u *upstream) Bookmaker() string { return "35" }

func (u *upstream) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	return u.Send(ctx, sportmonks.Provider(), r, func() (body string, status int) {
		if u.hook != nil {
			body, status = u.hook(r)
		}
		if body == "" {
			body, status = u.answer(r), 200
		}
		return body, status
	})
}

func (u *upstream) answer(r provider.Request) string {
	if ids, ok := strings.CutPrefix(r.Path, "/v3/football/fixtures/multi/"); ok {
		var all []string
		for id := range strings.SplitSeq(ids, ",") {
			all = append(all, fmt.Sprintf(`{"id":%s,"odds":[]}`, id))
		}
		return `{"data":[` + strings.Join(all, ",") + `]}`
	}
	n, _ := strconv.Atoi(r.Query.Get("page"))
	const per = 50
	page := u.items[min((n-1)*per, len(u.items)):min(n*per, len(u.items))]
	if u.change != nil {
		if out := u.change(n, page); out != "" {
			return out
		}
	}
	return listOf(page, n*per < len(u.items))
}

func listOf(items []string, more bool) string {
	return fmt.Sprintf(`{"data":[%s],"pagination":{"count":%d,"per_page":50,"current_page":1,"next_page":null,"has_more":%v}}`, strings.Join(items, ","), len(items), more)
}

// listed is one item of the list; more are further members.
func listed(id int, more ...string) string {
	return fmt.Sprintf(`{"id":%d,"sport_id":1,"state_id":1,"has_odds":true,"starting_at_timestamp":%d%s}`, id, 1795400000-id, strings.Join(append([]string{""}, more...), ","))
}

func world(n int) (items []string) {
	for id := 1; id <= n; id++ {
		items = append(items, listed(id))
	}
	return items
}

// TestAsk: the whole list is requested, then every fixture's prices of the account's
// bookmaker, by kick-off.
func TestAsk(t *testing.T) {
	u := &upstream{items: append(world(7), `{"id":8,"sport_id":1,"state_id":5}`, `{"id":9,"sport_id":1,"state_id":2}`, `{"id":10,"sport_id":2,"state_id":1}`,
		`{"id":11,"sport_id":1,"state_id":1,"has_odds":false}`)}
	asked, err := adapter.Ask(t.Context(), u)
	if err != nil || !asked.ListingComplete || asked.Listed != 10 || asked.Filtered != 1 || len(asked.Failed) > 0 || !slices.Equal(asked.NotOffered, []string{"11"}) {
		t.Fatalf("%v, %+v", err, asked)
	}
	for name, want := range map[string]int64{"over": 1, "in_play": 1, "listed_without_odds": 1} {
		if asked.Counters[name] != want {
			t.Errorf("%s is %d, want %d", name, asked.Counters[name], want)
		}
	}
	list, prices := u.Requests[0], u.Requests[1:]
	if list.Path != "/v3/football/fixtures/between/2026-11-22/2026-12-06" || list.Query.Get("include") != "participants;league" || list.Query.Get("per_page") != "50" {
		t.Errorf("the list is asked for by %+v", list)
	}
	var paths []string
	for _, r := range prices {
		if !adapter.IsMarkets(r.Endpoint) || r.Query.Get("filters") != "bookmakers:35" || !strings.HasPrefix(r.Query.Get("include"), "odds:id,fixture_id,market_id,") || r.Query.Has("api_token") {
			t.Errorf("prices are asked for by %+v", r)
		}
		paths = append(paths, r.Path)
	}
	slices.Sort(paths)
	if want := []string{"/v3/football/fixtures/multi/1", "/v3/football/fixtures/multi/7,6,5,4,3,2"}; !slices.Equal(paths, want) {
		t.Errorf("%v, want %v", paths, want)
	}
	if u.Done != 3 || u.Total != 3 {
		t.Errorf("progress %d of %d", u.Done, u.Total)
	}
}

// TestCost: how many requests a cycle of 300 fixtures and one of 20 matches in play
// need. docs/providers.md states them.
func TestCost(t *testing.T) {
	u := &upstream{items: world(300)}
	if _, err := adapter.Ask(t.Context(), u); err != nil || len(u.Requests) != 56 {
		t.Errorf("%v, %d requests for 300 fixtures, want 6 pages and 50 batches", err, len(u.Requests))
	}
	var playing []string
	for id := 1; id <= 20; id++ {
		playing = append(playing, fmt.Sprintf(`{"id":%d,"sport_id":1,"state_id":22}`, id))
	}
	u = &upstream{hook: func(provider.Request) (string, int) { return `{"data":[` + strings.Join(playing, ",") + `]}`, 200 }}
	asked, err := live.Ask(t.Context(), u, "")
	if err != nil || len(u.Requests) != 1 || asked.Listed != 20 || !asked.ListingComplete {
		t.Errorf("%v, %d requests for 20 matches, %+v", err, len(u.Requests), asked)
	}
}

// TestListNotComplete: a list is not complete if it moved, is too short, lost a page or
// found nothing. The prices of its fixtures are requested all the same.
func TestListNotComplete(t *testing.T) {
	for name, change := range map[string]func(page int, items []string) string{
		"a fixture twice": func(n int, items []string) string {
			return listOf(append([]string{listed(1)}, items...), n == 1)
		},
		"fewer than counted": func(n int, items []string) string {
			return strings.Replace(listOf(items, n == 1), `"count":`, `"count":1`, 1)
		},
		"an item without an id": func(n int, items []string) string {
			return listOf(append([]string{`{"name":"x"}`}, items...), n == 1)
		},
		"a lost page": func(n int, items []string) string {
			if n == 2 {
				return `{"timezone":"UTC"}`
			}
			return ""
		},
		"nothing found": func(int, []string) string { return `{"data":[],"message":"No result(s) found matching your request."}` },
	} {
		u := &upstream{items: world(60), change: change}
		asked, err := adapter.Ask(t.Context(), u)
		if err != nil || asked.ListingComplete {
			t.Errorf("%s: %v, complete %v", name, err, asked.ListingComplete)
		}
	}
}

// TestBatches: each kind of answer to a batch.
func TestBatches(t *testing.T) {
	multi := func(r provider.Request) (ids []string) {
		if s, ok := strings.CutPrefix(r.Path, "/v3/football/fixtures/multi/"); ok {
			return strings.Split(s, ",")
		}
		return nil
	}
	for _, c := range []struct {
		name               string
		hook               func(r provider.Request) (string, int)
		failed, notOffered []string
		requests           int
		fails              bool
	}{
		{"a fixture left out", func(r provider.Request) (string, int) {
			if slices.Contains(multi(r), "6") {
				return `{"data":[{"id":8,"odds":[]},{"id":7,"odds":[]},{"id":5,"odds":[]},{"id":4,"odds":[]},{"id":3,"odds":[]}]}`, 200
			}
			return "", 0
		}, nil, []string{"6"}, 3, false},
		{"a fixture without odds", func(r provider.Request) (string, int) {
			if slices.Contains(multi(r), "6") {
				return `{"data":[{"id":8,"odds":[]},{"id":7,"odds":[]},{"id":6},{"id":5,"odds":[]},{"id":4,"odds":[]},{"id":3,"odds":[]}]}`, 200
			}
			return "", 0
		}, []string{"6"}, nil, 3, false},
		{"nothing found", func(r provider.Request) (string, int) {
			if slices.Contains(multi(r), "6") {
				return `{"message":"No result(s) found matching your request."}`, 200
			}
			return "", 0
		}, []string{"3", "4", "5", "6", "7", "8"}, nil, 3, false},
		{"one breaks the others", func(r provider.Request) (string, int) {
			if slices.Contains(multi(r), "6") {
				return `{"message":"Server Error"}`, 500
			}
			return "", 0
		}, []string{"6"}, nil, 9, false},
		{"the quota ends", func(r provider.Request) (string, int) {
			if slices.Contains(multi(r), "2") {
				return `{"message":"Too Many Attempts."}`, 429
			}
			return "", 0
		}, []string{"1", "2"}, nil, 3, false},
		{"all fail", func(r provider.Request) (string, int) {
			if multi(r) != nil {
				return `{"message":"Server Error"}`, 500
			}
			return "", 0
		}, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, nil, 11, true},
	} {
		u := &upstream{items: world(8), hook: c.hook}
		asked, err := adapter.Ask(t.Context(), u)
		if (err != nil) != c.fails || !slices.Equal(asked.Failed, c.failed) || !slices.Equal(asked.NotOffered, c.notOffered) || len(u.Requests) != c.requests {
			t.Errorf("%s: %v, failed %v, not offered %v, %d requests", c.name, err, asked.Failed, asked.NotOffered, len(u.Requests))
		}
	}
}

// TestAskLive: fixtures that are listed and not in play have a counter of their own.
func TestAskLive(t *testing.T) {
	u := &upstream{hook: func(provider.Request) (string, int) { return string(own(t, "inplay")), 200 }}
	asked, err := live.Ask(t.Context(), u, "x")
	if err != nil || asked.Listed != 3 || asked.Counters["not_in_play"] != 1 || !asked.ListingComplete || asked.Resume != "x" {
		t.Errorf("%v, %+v", err, asked)
	}
	if q := u.Requests[0].Query; u.Requests[0].Path != "/v3/football/livescores/inplay" || !strings.Contains(q.Get("include"), "statistics") {
		t.Errorf("%+v", u.Requests[0])
	}
	if live.IsDetail("livescores/inplay") || !live.IsList("livescores/inplay") {
		t.Error("the list is a detail")
	}
}
