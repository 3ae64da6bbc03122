package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/simulator"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// pathPoint is a point of a path, in words that both sides of TestPricePath have.
type pathPoint struct {
	Present     bool
	Line        *string
	Fractional  *string
	Decimal     string // "" for null
	Publishable bool
	Reasons     []string
	Absent      []string
	FetchedAt   time.Time
	PublishedAt time.Time
	Cycle       string
}

func (p pathPoint) state() string {
	p.FetchedAt, p.PublishedAt, p.Cycle = time.Time{}, time.Time{}, ""
	said, _ := json.Marshal(p)
	return string(said)
}

// The path of every price over HTTP is what all snapshots tell when they are read one after the other.
func TestPricePath(t *testing.T) {
	w := &simulatedSystem{system: newSystem(t, simulatedNow.Add(-24*time.Hour))}
	w.Batch.Provider = alone(w.Batch.Provider)
	w.enrolAll(simulator.Options{Seed: 5, Fixtures: 6, InPlay: 1})
	who := w.account(entitled)
	fetch, err := w.Batch.FetchStep()
	w.must(err)
	cycles := 20
	if !testing.Short() {
		cycles = 50
	}
	for range cycles {
		w.must(w.cycle(&who.Tenant, football.MarketEngine, fetch, w.transformAlike(0), w.publishAlike()))
		w.now = w.now.Add(25 * time.Minute)
	}
	w.clock.Show(w.now)
	w.open(w.Tenants)
	root, err := durable.OpenRoot(w.Dataset(entitled, football.MarketEngine).Dir())
	w.must(err)
	defer root.Close()
	want := pathsOf(w.T, root)
	if len(want) < 200 {
		t.Fatalf("%d markets", len(want))
	}
	moved, vanished := 0, 0
	markets := slices.SortedFunc(maps.Keys(want), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for i, id := range markets {
		if i%(len(markets)/200) != 0 {
			continue
		}
		got := w.path(id[0], id[1])
		if diff := cmp.Diff(want[id], got); diff != "" {
			t.Fatalf("%s: the snapshots (-) and the path over HTTP (+):\n%s", id, diff)
		}
		for _, points := range got {
			moved += len(points) - 1
			if slices.ContainsFunc(points, func(p pathPoint) bool { return !p.Present }) {
				vanished++
			}
		}
	}
	if moved < 100 || vanished == 0 {
		t.Errorf("%d moves and %d selections that went away: the world is too quiet for this test", moved, vanished)
	}
}

// pathsOf reads all snapshots: the points of every selection, by fixture and market.
func pathsOf(t *testing.T, root durable.ReadFS) map[[2]string]map[string][]pathPoint {
	t.Helper()
	all := map[[2]string]map[string][]pathPoint{}
	head, _, err := snapshot.Head(root)
	if err != nil {
		t.Fatal(err)
	}
	var commits []snapshot.Commit
	for c, err := range snapshot.Backward(root, head) {
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, c)
	}
	for _, c := range slices.Backward(commits) {
		fetched := map[string]time.Time{}
		for row, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
			if err != nil {
				t.Fatal(err)
			}
			fetched[row.FixtureID] = row.ProviderFetchedAt.UTC()
		}
		there := map[[3]string]bool{}
		add := func(market [2]string, selection string, p pathPoint) {
			p.PublishedAt, p.Cycle = c.PublishedAt.UTC(), string(c.CycleID)
			if all[market] == nil {
				all[market] = map[string][]pathPoint{}
			}
			points := all[market][selection]
			if n := len(points); n == 0 || points[n-1].state() != p.state() {
				all[market][selection] = append(points, p)
			}
		}
		for row, err := range snapshot.Rows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range row.Selections {
				there[[3]string{row.FixtureID, row.MarketID, s.SelectionID}] = true
				p := pathPoint{Present: true, Line: s.Line, Fractional: s.OddsFractional, Publishable: s.Publishable, Reasons: append([]string{}, s.Reasons...), FetchedAt: fetched[row.FixtureID]}
				if s.OddsDecimalText != nil && football.PlainDecimal(*s.OddsDecimalText) {
					p.Decimal = *s.OddsDecimalText
				}
				for _, name := range s.Absent {
					if name == "odds_decimal" || name == "odds_fractional" {
						p.Absent = append(p.Absent, "odds."+name[len("odds_"):])
					}
				}
				add([2]string{row.FixtureID, row.MarketID}, s.SelectionID, p)
			}
		}
		for market, selections := range all {
			for id := range selections {
				if !there[[3]string{market[0], market[1], id}] {
					add(market, id, pathPoint{})
				}
			}
		}
	}
	return all
}

// path reads a path over HTTP, in pages.
func (w *simulatedSystem) path(fixture, market string) map[string][]pathPoint {
	w.Helper()
	all := map[string][]pathPoint{}
	for cursor := ""; ; {
		url := fmt.Sprintf("%s/api/ext/history/v0/fixtures/%s/markets/%s?limit=37", w.url, fixture, market)
		if cursor != "" {
			url += "&cursor=" + cursor
		}
		r, err := http.NewRequestWithContext(w.Context(), "GET", url, nil)
		w.must(err)
		r.Header.Set("Authorization", "Bearer "+w.account(entitled).Token)
		answer, err := http.DefaultClient.Do(r)
		w.must(err)
		body, err := io.ReadAll(answer.Body)
		w.must(err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			w.Fatalf("%s: %d %s", url, answer.StatusCode, body)
		}
		var page struct {
			Data struct {
				Selections []struct {
					SelectionID string `json:"selection_id"`
					Points      []struct {
						Present bool
						Line    *string
						Odds    struct {
							Fractional *string
							Decimal    json.Number
						}
						Publishable bool
						Reasons     []string
						Absent      []string
						FetchedAt   time.Time `json:"provider_fetched_at"`
						PublishedAt time.Time `json:"published_at"`
						Cycle       string    `json:"cycle_id"`
					}
				}
			}
			Pagination struct {
				HasMore bool   `json:"has_more"`
				Next    string `json:"next_cursor"`
			}
		}
		w.must(json.Unmarshal(body, &page))
		for _, s := range page.Data.Selections {
			for _, p := range s.Points {
				all[s.SelectionID] = append(all[s.SelectionID], pathPoint{p.Present, p.Line, p.Odds.Fractional, p.Odds.Decimal.String(), p.Publishable, p.Reasons, p.Absent, p.FetchedAt, p.PublishedAt, p.Cycle})
			}
		}
		if cursor = page.Pagination.Next; !page.Pagination.HasMore {
			return all
		}
	}
}
