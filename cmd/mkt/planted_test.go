package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// planted marks the names and ids of fixtures without human players, which must never be served.
const (
	plantedName = "PLANTED"
	plantedID   = "7777700000"
)

// disguises are the names of such fixtures: league, home team, away team.
var disguises = [][3]string{
	{"Esoccer Battle - 8 mins play", "Arsenal", "Chelsea"}, {"E-soccer - GT Leagues", "Arsenal", "Chelsea"},
	{"England Premier League", "Arsenal (Gamer) Esports", "Chelsea"}, {"England Premier League", "Arsenal", "Chelsea (Gamer) eSports"},
	{"Friendlies - 12 mins play", "Arsenal", "Chelsea"}, {"Simulated Reality League", "Arsenal", "Chelsea"},
	{"England Premier League", "Arsenal SRL", "Chelsea SRL"}, {"Virtual Football", "Arsenal", "Chelsea"}, {"Cyber Cup", "Arsenal", "Chelsea"},
	{"eFootball International", "Arsenal", "Chelsea"}, {"Volta League", "Arsenal", "Chelsea"}, {"Cyber Live Arena", "Arsenal", "Chelsea"},
	{"FIFA 24", "Arsenal (Calvin)", "Chelsea (Kray)"}, {"EA FC 25", "Arsenal", "Chelsea"}, {"GT Leagues", "Arsenal", "Chelsea"},
	{"H2H GG League", "Arsenal", "Chelsea"}, {"PES 2021", "Arsenal", "Chelsea"}, {"E Football Cup", "Arsenal", "Chelsea"},
}

// planter adds such fixtures to every answer of a provider.
type planter struct{ planted atomic.Int64 }

func (p *planter) change(r *http.Request, text []byte) []byte {
	var body map[string]json.RawMessage
	var items []map[string]json.RawMessage
	if json.Unmarshal(text, &body) == nil && json.Unmarshal(body["results"], &items) == nil && len(items) > 0 {
		status := `"1"` // in play
		if strings.HasSuffix(r.URL.Path, "/upcoming") {
			status = `"0"`
		}
		return p.plant(body, items, status)
	}
	return text
}

// plant adds an item for each disguise; otherwise the items are copies of the first one with that
// status.
func (p *planter) plant(body map[string]json.RawMessage, items []map[string]json.RawMessage, status string) []byte {
	like := max(0, slices.IndexFunc(items, func(i map[string]json.RawMessage) bool { return string(i["time_status"]) == status }))
	for n, names := range disguises {
		id := json.RawMessage(fmt.Sprintf("%q", plantedID+fmt.Sprint(n)))
		item := map[string]json.RawMessage{}
		for key, value := range items[like] {
			item[key] = value
		}
		for _, key := range []string{"id", "FI", "bet365_id", "event_id", "our_event_id"} {
			if _, has := item[key]; has {
				item[key] = id
			}
		}
		for i, key := range []string{"league", "home", "away"} {
			if _, has := item[key]; has {
				item[key], _ = json.Marshal(map[string]string{"id": "1", "name": names[i] + []string{"", " " + plantedName, " " + plantedName}[i]})
			}
		}
		items = append(items, item)
		p.planted.Add(1)
	}
	body["results"], _ = json.Marshal(items)
	text, _ := json.Marshal(body)
	return text
}

// TestPlantedNeverAppears: fixtures without human players, in every answer of the provider and in
// every disguise, are in no table and in no answer.
func TestPlantedNeverAppears(t *testing.T) {
	t.Parallel()
	sim, err := emulator.New(simulator.Options{Seed: 5, Fixtures: 80, InPlay: 20, Quota: 1_000_000, Tokens: map[string]simulator.Account{canary: {Seed: 5}}})
	check.Must(t, err)
	var p planter
	h, token := newConnected(t, altered(sim, p.change))
	for range 3 {
		for _, product := range []string{"market_engine", "live_intelligence"} {
			var exit struct{ OK bool }
			for _, line := range strings.Split(strings.TrimSpace(h.run("", "cycle", "--tenant", "acme", "--product", product, "--output", "json")), "\n") {
				if err := json.Unmarshal([]byte(line), &exit); err != nil || !exit.OK {
					t.Fatalf("%s: %s", product, line)
				}
			}
		}
		time.Sleep(time.Second)
	}
	tables := map[string][]string{"market_engine": {"all_fixtures", "all_markets", "all_selections", "changes"},
		"live_intelligence": {"all_live", "all_live_counters", "all_live_timeline", "all_live_buckets", "all_live_periods"}}
	for product, names := range tables {
		for _, name := range names {
			query := fmt.Sprintf("SELECT count(*) AS n, count(*) FILTER (WHERE x::VARCHAR LIKE '%%%s%%' OR x::VARCHAR LIKE '%%%s%%') AS planted FROM %s x", plantedName, plantedID, name)
			got := strings.Fields(h.run("", "inspect", "--tenant", "acme", "--product", product, "--sql", query, "--format", "csv"))
			var rows, found int
			if len(got) != 2 || got[0] != "n,planted" {
				t.Fatalf("%s: %q", name, got)
			}
			if _, err := fmt.Sscanf(got[1], "%d,%d", &rows, &found); err != nil || rows == 0 || found != 0 {
				t.Errorf("%s: %d rows, %d of them planted, %v", name, rows, found, err)
			}
		}
	}
	api := h.serve("json")
	seen := h.everywhere(api.url+"/api/v1", token)
	for path, body := range seen {
		if strings.Contains(body, plantedName) || strings.Contains(body, plantedID) {
			t.Errorf("%s: %s", path, body)
		}
	}
	h.end(api)
	if p.planted.Load() < 100 || len(seen) < 100 {
		t.Errorf("%d planted, %d answers looked at", p.planted.Load(), len(seen))
	}
	if !t.Failed() {
		t.Logf("%d planted in the provider's answers, 0 in all tables and in %d answers", p.planted.Load(), len(seen))
	}
}

// everywhere returns the answers of all lists and of all routes of every fixture in them, by path,
// and of the routes that the planted fixtures would have.
func (h *installation) everywhere(base, token string) map[string]string {
	h.t.Helper()
	seen := map[string]string{}
	for _, list := range []string{"/fixtures", "/live", "/changes"} {
		for path := list + "?limit=200"; path != ""; {
			var page struct {
				Data []struct {
					FixtureID string `json:"fixture_id"`
				}
				Pagination struct {
					HasMore bool   `json:"has_more"`
					Next    string `json:"next_cursor"`
				}
			}
			body := h.read(base+path, token)
			h.must(json.Unmarshal([]byte(body), &page))
			seen[path] = body
			for _, f := range page.Data {
				switch list {
				case "/fixtures":
					seen["/fixtures/"+f.FixtureID] = h.read(base+"/fixtures/"+f.FixtureID, token)
					seen["/fixtures/"+f.FixtureID+"/markets"] = h.read(base+"/fixtures/"+f.FixtureID+"/markets?limit=200", token)
				case "/live":
					for _, route := range []string{"", "/timeline", "/momentum", "/stats"} {
						seen["/live/"+f.FixtureID+route] = h.read(base+"/live/"+f.FixtureID+route, token)
					}
				}
			}
			if path = ""; page.Pagination.HasMore {
				path = list + "?limit=200&cursor=" + page.Pagination.Next
			}
		}
	}
	return seen
}

func (h *installation) read(url, token string) string {
	h.t.Helper()
	_, body := mustGet(h.t, url, token)
	return body
}
