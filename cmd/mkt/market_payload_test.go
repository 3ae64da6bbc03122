package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// sentFixture is a fixture as a provider sends it, with every field absent, null, zero or a value.
type sentFixture struct {
	home, away, league, name string
	ids, odds                [3]string // of the three prices; odds "zero", too
}

var drawnStates = []string{"absent", "null", "value"}

func drawFixture(rng *rand.Rand) (f sentFixture) {
	one := func(states ...string) string { return states[rng.IntN(len(states))] }
	f.home, f.away, f.league, f.name = one(drawnStates...), one(drawnStates...), one(drawnStates...), one(drawnStates...)
	for i := range f.odds {
		f.ids[i], f.odds[i] = one(drawnStates...), one("absent", "null", "zero", "value")
	}
	return f
}

// noValue is a value that says that there is none. A cycle with much JSON null is refused.
func noValue(rng *rand.Rand) string {
	if rng.IntN(60) == 0 {
		return "null"
	}
	return `""`
}

// member is a member of a JSON object, with a comma before it, or "" if it is absent.
func member(rng *rand.Rand, key, state, value string) string {
	switch state {
	case "absent":
		return ""
	case "null":
		value = noValue(rng)
	case "zero":
		value = `"0"`
	}
	return fmt.Sprintf(",%q:%s", key, value)
}

// listed is the fixture's item in the list, sold has its markets.
func (f *sentFixture) listed(rng *rand.Rand, id int) string {
	team := func(key, state, name string) string {
		if state == "null" {
			return fmt.Sprintf(`,%q:{"id":"1","name":%s}`, key, noValue(rng))
		}
		return member(rng, key, state, fmt.Sprintf(`{"id":"1","name":%q}`, name))
	}
	return fmt.Sprintf(`{"id":"%d","sport_id":"1","time":"1795165200","time_status":"0"%s%s%s}`, id,
		team("home", f.home, "Home"), team("away", f.away, "Away"), team("league", f.league, "Coast League"))
}

func (f *sentFixture) sold(rng *rand.Rand, id int) string {
	var rows []string
	for i, name := range []string{"1", "Draw", "2"} {
		rows = append(rows, fmt.Sprintf(`{"name":%q%s%s}`, name,
			member(rng, "id", f.ids[i], fmt.Sprintf(`"%d%d"`, id, i)), member(rng, "odds", f.odds[i], `"1.90"`)))
	}
	return fmt.Sprintf(`{"FI":"%d","main":{"sp":{"full_time_result":{"id":"40"%s,"odds":[%s]}}}}`, id,
		member(rng, "name", f.name, `"Full Time Result"`), strings.Join(rows, ","))
}

type marketsOnly struct{ list, markets []string }

const firstFixture, pageOfList = 900_000, 50

func (p *marketsOnly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	if strings.HasSuffix(r.URL.Path, "/upcoming") {
		page := 1
		fmt.Sscan(query.Get("page"), &page)
		from, to := min(len(p.list), (page-1)*pageOfList), min(len(p.list), page*pageOfList)
		fmt.Fprintf(w, `{"success":1,"pager":{"page":%d,"per_page":%d,"total":%d},"results":[%s]}`, page, pageOfList, len(p.list), strings.Join(p.list[from:to], ","))
		return
	}
	var items []string
	for _, id := range strings.Split(query.Get("FI"), ",") {
		n := 0
		fmt.Sscan(id, &n)
		items = append(items, p.markets[n-firstFixture])
	}
	fmt.Fprintf(w, `{"success":1,"results":[%s]}`, strings.Join(items, ","))
}

// servedFixture and servedMarket are answers as a client reads them.
type servedFixture struct {
	FixtureID          string `json:"fixture_id"`
	Home, Away, League *string
	Provenance         struct {
		ID     string `json:"provider_fixture_id"`
		Absent []string
	}
}

type servedMarket struct {
	Name       *string `json:"market_name"`
	Provenance struct{ Absent []string }
	Selections []struct {
		Odds       struct{ Decimal *json.Number }
		Provenance struct {
			ID     *string `json:"provider_selection_id"`
			Absent []string
		}
	}
}

// Absent, null, zero and value stay distinct in everything that the market engine serves, from the
// provider's bytes to the client's.
func TestMarketStatesAreNeverMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	fixtures := 1200
	if testing.Short() {
		fixtures = 60
	}
	sent := make([]sentFixture, fixtures)
	p := &marketsOnly{}
	for i := range sent {
		sent[i] = drawFixture(rng)
		p.list, p.markets = append(p.list, sent[i].listed(rng, firstFixture+i)), append(p.markets, sent[i].sold(rng, firstFixture+i))
	}
	h, token := newConnected(t, p)
	h.run("", "cycle", "--tenant", "acme", "--product", "market_engine")
	api := h.serve("json")
	ask := func(path string, v any) { h.must(json.Unmarshal([]byte(h.read(api.url+"/api/v1"+path, token)), v)) }
	met, cases := map[string]int{}, 0
	hold := func(what, id, want string, value *string, absent []string, name string) {
		got := "value"
		switch {
		case value == nil && slices.Contains(absent, name):
			got = "absent"
		case value == nil:
			got = "null"
		case *value == "0":
			got = "zero"
		}
		cases++
		met[got]++
		if got != want {
			t.Errorf("%s of %s: served as %s, sent %s", what, id, got, want)
		}
	}
	seen := 0
	for path := "/fixtures?limit=200"; path != ""; {
		var page struct {
			Data       []servedFixture
			Pagination struct {
				HasMore bool    `json:"has_more"`
				Next    *string `json:"next_cursor"`
			}
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if ask(path, &page); len(page.Data) > 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("nothing is served")
			}
		}
		for _, f := range page.Data {
			n := 0
			fmt.Sscan(f.Provenance.ID, &n)
			want := sent[n-firstFixture]
			seen++
			hold("home", f.Provenance.ID, want.home, f.Home, f.Provenance.Absent, "home")
			hold("away", f.Provenance.ID, want.away, f.Away, f.Provenance.Absent, "away")
			hold("league", f.Provenance.ID, want.league, f.League, f.Provenance.Absent, "league")
			var markets struct{ Data []servedMarket }
			if ask("/fixtures/"+f.FixtureID+"/markets", &markets); len(markets.Data) != 1 || len(markets.Data[0].Selections) != 3 {
				t.Fatalf("%s: %+v", f.Provenance.ID, markets)
			}
			m := markets.Data[0]
			hold("market name", f.Provenance.ID, want.name, m.Name, m.Provenance.Absent, "market_name")
			for i, sl := range m.Selections {
				hold("odds", f.Provenance.ID, want.odds[i], (*string)(sl.Odds.Decimal), sl.Provenance.Absent, "odds.decimal")
				hold("selection id", f.Provenance.ID, want.ids[i], sl.Provenance.ID, sl.Provenance.Absent, "provider_selection_id")
			}
		}
		if path = ""; page.Pagination.HasMore {
			path = "/fixtures?limit=200&cursor=" + *page.Pagination.Next
		}
	}
	if seen != fixtures || met["absent"] < 2*fixtures || met["null"] < 2*fixtures || met["zero"] < fixtures/2 || met["value"] < 2*fixtures {
		t.Errorf("%d of %d fixtures; %v", seen, fixtures, met)
	}
	h.end(api)
	t.Logf("%d cases: %v", cases, met)
}
