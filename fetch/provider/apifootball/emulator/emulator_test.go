package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/apifootball/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

func emulated(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return providertest.Noon }
	}
	sim, err := emulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// ask sends a request with a token, and returns the answer.
func ask(sim *simulator.Server, token, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("x-apisports-key", token)
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w
}

type envelope struct {
	Get        string
	Parameters json.RawMessage
	Errors     json.RawMessage
	Results    int
	Paging     struct{ Current, Total int }
	Response   []json.RawMessage
}

func read(t *testing.T, w *httptest.ResponseRecorder) (e envelope) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("%v: %.300s", err, w.Body)
	}
	return e
}

func TestErrors(t *testing.T) {
	sim := emulated(t, simulator.Options{Seed: 1, Tokens: map[string]simulator.Account{"good": {}, "poor": {Denied: true}}})
	twentyOne := strings.TrimSuffix(strings.Repeat("1400001-", 21), "-")
	for _, c := range []struct{ token, path, key string }{
		{"", "/fixtures?date=2026-03-04", "token"},
		{"bad", "/fixtures?date=2026-03-04", "token"},
		{"poor", "/fixtures?date=2026-03-04", "plan"},
		{"good", "/matches", "endpoint"},
		{"good", "/fixtures", "required"},
		{"good", "/fixtures?date=tomorrow", "date"},
		{"good", "/fixtures?date=2026-03-04&page=2", "page"},
		{"good", "/fixtures?live=1", "live"},
		{"good", "/fixtures?ids=" + twentyOne, "ids"},
		{"good", "/odds?bookmaker=8", "required"},
		{"good", "/odds?date=2026-03-04&bookmaker=bet365", "bookmaker"},
		{"good", "/odds?date=2026-03-04&page=0", "page"},
	} {
		w := ask(sim, c.token, c.path)
		e := read(t, w)
		var errors map[string]string
		json.Unmarshal(e.Errors, &errors)
		if w.Code != http.StatusOK || errors[c.key] == "" || len(errors) != 1 || e.Results != 0 || len(e.Response) != 0 {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
		if v := apifootball.Classify(w.Code, w.Header(), w.Body.Bytes()); v.Kind == provider.Accepted {
			t.Errorf("%s: accepted", c.path)
		}
	}
}

func TestQuota(t *testing.T) {
	sim := emulated(t, simulator.Options{Seed: 1, Quota: 2, QuotaWindow: 24 * time.Hour})
	for n, left := range []string{"1", "0", "0"} {
		w := ask(sim, sim.Tokens()[0], "/fixtures?date=2026-03-04")
		v := apifootball.Classify(w.Code, w.Header(), w.Body.Bytes())
		if w.Header().Get("x-ratelimit-requests-limit") != "2" || w.Header().Get("x-ratelimit-requests-remaining") != left || (v.Kind == provider.Limited) != (n == 2) {
			t.Errorf("request %d: %v %+v", n, w.Header(), v)
		}
	}
}

// A list is not paged, and odds have ten fixtures to a page. Every fixture is on one page.
func TestPaging(t *testing.T) {
	sim := emulated(t, simulator.Options{Seed: 1})
	token := sim.Tokens()[0]
	list := read(t, ask(sim, token, "/fixtures?date=2026-03-04"))
	if list.Paging.Total != 1 || list.Results != len(list.Response) || list.Results < 40 || string(list.Parameters) != `{"date":"2026-03-04"}` || string(list.Errors) != "[]" {
		t.Errorf("list: %d results, %+v %s %s", list.Results, list.Paging, list.Parameters, list.Errors)
	}
	seen := make(map[int64]bool)
	pages := 1
	for n := 1; n <= pages; n++ {
		e := read(t, ask(sim, token, fmt.Sprint("/odds?date=2026-03-04&bookmaker=8&page=", n)))
		pages = e.Paging.Total
		if e.Paging.Current != n || e.Get != "odds" || len(e.Response) > 10 || n < pages && len(e.Response) != 10 {
			t.Errorf("page %d: %+v, %d items", n, e.Paging, len(e.Response))
		}
		for _, item := range e.Response {
			var o struct{ Fixture struct{ ID int64 } }
			if json.Unmarshal(item, &o); seen[o.Fixture.ID] {
				t.Errorf("%d is there twice", o.Fixture.ID)
			}
			seen[o.Fixture.ID] = true
		}
	}
	if pages < 4 {
		t.Errorf("%d pages", pages)
	}
	if empty := read(t, ask(sim, token, "/odds?date=2026-03-04&bookmaker=77")); empty.Results != 0 || empty.Paging.Total != 1 || string(empty.Errors) != "[]" {
		t.Errorf("unknown bookmaker: %+v", empty)
	}
}

// Bookmakers have different prices, and without a bookmaker those of all are sent.
func TestBookmakers(t *testing.T) {
	sim := emulated(t, simulator.Options{Seed: 1})
	books := func(query string) map[int]string {
		e := read(t, ask(sim, sim.Tokens()[0], "/odds?date=2026-03-05"+query))
		all := make(map[int]string)
		var o struct {
			Bookmakers []struct {
				ID   int
				Bets json.RawMessage
			}
		}
		if err := json.Unmarshal(e.Response[0], &o); err != nil {
			t.Fatal(err)
		}
		for _, b := range o.Bookmakers {
			all[b.ID] = string(b.Bets)
		}
		return all
	}
	all, one := books(""), books("&bookmaker=8")
	if len(all) != 3 || len(one) != 1 || all[8] != one[8] || all[6] == all[8] {
		t.Errorf("%d and %d bookmakers; the same bets at one and among all: %v; at two: %v", len(all), len(one), all[8] == one[8], all[6] == all[8])
	}
	if !strings.Contains(all[8], `{"value":0,"odd":`) || !strings.Contains(all[8], `{"value":"more 7","odd":`) {
		t.Error("numbers of goals are not sent as numbers")
	}
}

// Faults can be restricted to one endpoint, although three of them have one path.
func TestFaults(t *testing.T) {
	for _, text := range []string{"503:1@live", "empty:1@live", "wrong:1@live", "listing-without-ids:1@live", "truncated:1@live", "permission:1@live"} {
		f, err := simulator.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		sim := emulated(t, simulator.Options{Seed: 1, InPlay: 40, Faults: []simulator.Fault{f}})
		x := &providertest.Exchange{Adapter: apifootball.Provider(), Handler: sim, Token: sim.Tokens()[0], Clock: func() time.Time { return providertest.Noon }}
		if w := ask(sim, x.Token, "/fixtures?date=2026-03-04"); len(read(t, w).Response) == 0 {
			t.Errorf("%s: the list is affected", text)
		}
		func() {
			defer func() { _ = recover() }() // a connection that breaks off
			asked, err := apifootball.Provider().Live.Ask(t.Context(), x, "")
			if err == nil && asked.ListingComplete {
				t.Errorf("%s: %+v", text, asked)
			}
		}()
	}
}
