package fetch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// feedServer is a feed of five fixtures, two to a page, each with one market. Its lists are
// tagged by their content.
type feedServer struct {
	*httptest.Server
	change func(path string, answer map[string]any) // spoils an answer

	mu    sync.Mutex
	seen  []string // requests, with the status of their answer
	bytes int      // of bodies
}

func newFeedServer(t *testing.T) *feedServer {
	s := &feedServer{change: func(string, map[string]any) {}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *feedServer) serve(w http.ResponseWriter, r *http.Request) {
	status, body := http.StatusOK, []byte(nil)
	answer := map[string]any{"source": "acme-odds"}
	fixture := func(n int) map[string]any {
		return map[string]any{"id": fmt.Sprint(n), "home": fmt.Sprint("H", n), "away": fmt.Sprint("A", n), "status": "NOT_STARTED",
			"starts_at": time.Date(2026, 11, 21, 20-n, 0, 0, 0, time.UTC).Format(time.RFC3339)}
	}
	switch r.URL.Path {
	case "/base/feed/v1/fixtures":
		page := map[string]int{"": 0, "b": 1, "c": 2}[r.URL.Query().Get("cursor")]
		answer["complete"], answer["count"], answer["next"] = true, 5, []any{"b", "c", nil}[page]
		list := []any{}
		for n := 2*page + 1; n <= min(5, 2*page+2); n++ {
			list = append(list, fixture(n))
		}
		answer["fixtures"] = list
	case "/base/feed/v1/markets":
		list, missing := []any{}, []string{}
		for id := range strings.SplitSeq(r.URL.Query().Get("fixtures"), ",") {
			if id == "4" {
				missing = append(missing, id)
				continue
			}
			list = append(list, map[string]any{"id": id, "retrieved_at": "2026-11-20T09:00:00Z", "markets": []any{
				map[string]any{"id": "1x2", "name": "Result", "selections": []any{map[string]any{"labels": map[string]string{"name": "Home"}, "odds": map[string]string{"decimal": "1.90"}}}}}})
		}
		answer["fixtures"], answer["missing"] = list, missing
	default:
		status = http.StatusForbidden
	}
	if r.Header.Get("Authorization") != "Bearer "+canary {
		status = http.StatusUnauthorized
	}
	if s.change(r.URL.Path+"?"+r.URL.RawQuery, answer); answer["source"] == nil {
		answer = map[string]any{}
	}
	body, _ = json.Marshal(answer)
	tag := fmt.Sprintf("%q", fmt.Sprint(len(body)))
	w.Header().Set("ETag", tag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		status, body = http.StatusNotModified, nil
	}
	s.mu.Lock()
	s.seen, s.bytes = append(s.seen, fmt.Sprint(r.URL.Path[len("/base/feed/v1/"):], "?", r.URL.RawQuery, " ", status)), s.bytes+len(body)
	s.mu.Unlock()
	w.WriteHeader(status)
	w.Write(body)
}

// take returns the requests since the last call, sorted.
func (s *feedServer) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.seen = nil }()
	slices.Sort(s.seen)
	return strings.Join(s.seen, " ")
}

func (s *feedServer) bench(t *testing.T) *bench {
	return newBench(t, s.URL+"/base", feed.Provider("acme-odds"))
}

// TestFeedAsks: a list is read to its end, prices are asked for by kick-off, and the list is complete
// only if all of it says so.
func TestFeedAsks(t *testing.T) {
	whole := "fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=c 200 markets?fixtures=5%2C4%2C3%2C2%2C1 200"
	page := func(cursor string, change func(map[string]any)) func(string, map[string]any) {
		return func(path string, a map[string]any) {
			if strings.HasSuffix(path, "fixtures?"+cursor) {
				change(a)
			}
		}
	}
	for name, c := range map[string]struct {
		change   func(string, map[string]any)
		complete bool
		listed   int
		code     string // of the error
		requests string
	}{
		"whole":                {func(string, map[string]any) {}, true, 5, "", whole},
		"another number":       {page("cursor=b", func(a map[string]any) { a["count"] = 6 }), false, 5, "", whole},
		"fewer than it says":   {func(_ string, a map[string]any) { a["count"] = 6 }, false, 5, "", whole},
		"not complete":         {page("cursor=c", func(a map[string]any) { a["complete"] = false }), false, 5, "", whole},
		"one without an id":    {page("cursor=c", func(a map[string]any) { a["fixtures"].([]any)[0].(map[string]any)["id"] = 17 }), false, 4, "", "fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=c 200 markets?fixtures=4%2C3%2C2%2C1 200"},
		"one twice":            {page("cursor=c", func(a map[string]any) { a["fixtures"].([]any)[0].(map[string]any)["id"] = "1" }), false, 4, "", "fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=c 200 markets?fixtures=4%2C3%2C2%2C1 200"},
		"a loop":               {page("cursor=c", func(a map[string]any) { a["next"] = "b" }), false, 5, "", whole},
		"a page refers itself": {page("", func(a map[string]any) { a["next"] = "" }), false, 2, "", "fixtures? 200 markets?fixtures=2%2C1 200"},
		"a page of another":    {page("cursor=b", func(a map[string]any) { a["source"] = "betsapi" }), false, 2, "", "fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=b 200 markets?fixtures=2%2C1 200"},
		"eSoccer": {page("cursor=c", func(a map[string]any) {
			a["fixtures"].([]any)[0].(map[string]any)["league"] = "Esoccer Battle - 8 mins play"
		}), true, 4, "", "fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=c 200 markets?fixtures=4%2C3%2C2%2C1 200"},
		"in play and over": {page("cursor=c", func(a map[string]any) { a["fixtures"].([]any)[0].(map[string]any)["status"] = "IN_PLAY" }), true, 5, "",
			"fixtures? 200 fixtures?cursor=b 200 fixtures?cursor=c 200 markets?fixtures=4%2C3%2C2%2C1 200"},
		"an empty object": {func(_ string, a map[string]any) { delete(a, "source") }, false, 0, "NO_ENVELOPE", "fixtures? 200 fixtures? 200"},
		"another source":  {func(_ string, a map[string]any) { a["source"] = "other" }, false, 0, "OTHER_SOURCE", "fixtures? 200 fixtures? 200"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFeedServer(t)
			s.change = c.change
			b := s.bench(t)
			sum, err := b.run(t.Context())
			var refused *provider.AnswerError
			if c.code != "" {
				if !errors.As(err, &refused) || refused.Verdict.Code != c.code {
					t.Errorf("%v, want %s", err, c.code)
				}
			} else if err != nil || sum.Listed != c.listed || sum.Failed != 0 {
				t.Errorf("%v: listed %d, failed %d", err, sum.Listed, sum.Failed)
			}
			if got := s.take(); got != c.requests {
				t.Errorf("asked for %s, want %s", got, c.requests)
			}
			if c.code != "" {
				return
			}
			cycle := b.cycle(sum.Cycle).Cycle()
			notOffered := slices.Contains(cycle.NotOffered, "4")
			if cycle.ListingComplete != c.complete || cycle.Provider != "feed:acme-odds" || notOffered != (c.listed > 2) {
				t.Errorf("complete %v of %s, not offered %v", cycle.ListingComplete, cycle.Provider, cycle.NotOffered)
			}
		})
	}
}

func (b *bench) cycle(id layout.CycleID) *raw.Archive {
	b.t.Helper()
	a, err := raw.Open(b.options.Root, id)
	must(b.t, err)
	return a
}

// A requested fixture that is in no part of an answer keeps its prices: nothing says that there are none.
func TestFeedLeavesOneOut(t *testing.T) {
	s := newFeedServer(t)
	s.change = func(path string, a map[string]any) {
		if strings.Contains(path, "/markets") {
			a["missing"] = []string{}
		}
	}
	b := s.bench(t)
	sum, err := b.run(t.Context())
	if got := b.cycle(sum.Cycle).Cycle(); err != nil || !slices.Equal(got.Failed, []string{"4"}) || got.NotOffered != nil || got.Outcome != raw.Partial {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestFeedConditional: what did not change is not sent again, and is in every archive all the same.
func TestFeedConditional(t *testing.T) {
	s := newFeedServer(t)
	b := s.bench(t)
	first, err := b.run(t.Context())
	must(t, err)
	s.take()
	bytes := s.bytes
	b.clock = b.clock.Add(time.Hour)
	s.change = func(path string, a map[string]any) {
		if strings.HasSuffix(path, "cursor=b") {
			a["count"] = 15 // another length
		}
	}
	second, err := b.run(t.Context())
	must(t, err)
	if got, want := s.take(), "fixtures? 304 fixtures?cursor=b 200 fixtures?cursor=c 304 markets?fixtures=5%2C4%2C3%2C2%2C1 304"; got != want || s.bytes-bytes > 400 {
		t.Errorf("%s, %d bytes; want %s", got, s.bytes-bytes, want)
	}
	before, after := b.cycle(first.Cycle), b.cycle(second.Cycle)
	if now, was := after.Cycle().Counters[raw.CounterValues], before.Cycle().Counters[raw.CounterValues]; now != was || now == 0 {
		t.Errorf("%d values, before %d: transform needs memory for all of them", now, was)
	}
	for i, r := range after.Responses() {
		was := before.Responses()[i]
		if same := r.SHA256 == was.SHA256; same != (r.Status == http.StatusNotModified) || !r.FetchedAt.After(was.FetchedAt) {
			t.Errorf("%s?%s: status %d, the same %v", r.Path, r.Query.Encode(), r.Status, same)
		}
	}

	// Another connection has other answers, whatever their tags: another credential, also if a cycle with it failed,
	// and another address.
	again := func(of *feedServer) string {
		b.clock = b.clock.Add(time.Hour)
		if _, err := b.run(t.Context()); err != nil {
			b.texts = append(b.texts, err.Error())
		}
		return of.take()
	}
	if got := again(s); !strings.Contains(got, "304") {
		t.Errorf("the same connection: %s", got)
	}
	b.options.Tenant.Fingerprint = "another"
	usual := s.change
	s.change = func(_ string, a map[string]any) { delete(a, "source") }
	again(s)
	s.change = usual
	if got := again(s); strings.Contains(got, "304") {
		t.Errorf("another credential: %s", got)
	}
	other := newFeedServer(t)
	other.change = usual
	b.options.Tenant.BaseURL = other.URL + "/base"
	if got := again(other); strings.Contains(got, "304") || !strings.Contains(got, "200") {
		t.Errorf("another address: %s", got)
	}
}

// The account's table is archived with the answers of markets, and only there.
func TestFeedKeepsMapping(t *testing.T) {
	s := newFeedServer(t)
	b := s.bench(t)
	b.options.Tenant.Mapping = "by,match,key,ids,proof,market,period,subject,parameter,rank,shape,condition,reason\nkey,1x2,1x2,,,MATCH_RESULT,FT,,,1,,,\n"
	sum, err := b.run(t.Context())
	must(t, err)
	a := b.cycle(sum.Cycle)
	p, err := a.Payload(a.Responses()[0])
	must(t, err)
	if p.Endpoint != provider.EndpointMapping || string(p.Body) != b.options.Tenant.Mapping || sum.Requests != 4 || sum.Responses != 4 {
		t.Errorf("%s %q, %d requests, %d responses", p.Endpoint, p.Body, sum.Requests, sum.Responses)
	}
	unsafe := b.options // not kept by the bench, which looks for the credential in the options too
	unsafe.Tenant.Mapping += "# " + canary + "\n"
	if _, err := fetch.Run(t.Context(), unsafe); !errors.Is(err, raw.ErrSecret) || !strings.Contains(err.Error(), "mapping table") || strings.Contains(err.Error(), canary) {
		t.Errorf("a table with the credential in it: %v", err)
	}
	b.options.Product = football.LiveIntelligence
	if _, err := b.run(t.Context()); !errors.Is(err, fetch.ErrPermission) {
		t.Errorf("live, which the feed does not have: %v", err)
	}
}
