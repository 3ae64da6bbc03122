package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// watched is a simulated provider. The test knows which of its fixtures are eSoccer, and which of
// these it sent although the request asked to leave them out.
type watched struct {
	sim *simulator.Server

	mu      sync.Mutex
	games   map[string]bool // ids of games on a console and of simulated matches
	left    map[string]bool // those of them that were sent, by path and id
	leagues map[string]bool
}

// look records which fixtures are eSoccer now, because fixtures come and go.
func (w *watched) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	token := canary
	for _, f := range w.sim.Listed(token) {
		if !f.Human {
			w.games[f.ID], w.leagues[f.League] = true, true
		}
	}
	for _, m := range w.sim.InPlay(token) {
		if league := m.Fixture.League; !league.Human() {
			w.games[m.ID], w.games[m.EventID], w.leagues[league.Name] = true, true, true
		}
	}
}

var itemID = regexp.MustCompile(`\{"id":"(\d+)","sport_id"`)

func (w *watched) watch(r *http.Request, body []byte) []byte {
	w.look()
	if r.URL.Query().Get("skip_esports") == "1" {
		w.mu.Lock()
		for _, id := range itemID.FindAllStringSubmatch(string(body), -1) {
			if w.games[id[1]] {
				w.left[r.URL.Path+" "+id[1]] = true
			}
		}
		w.mu.Unlock()
	}
	return body
}

func (w *watched) count(path string) (n int) {
	for key := range w.left {
		if strings.HasPrefix(key, path+" ") {
			n++
		}
	}
	return n
}

func (w *watched) found(text string) string {
	for _, id := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if w.games[id] {
			return id
		}
	}
	for name := range w.leagues {
		if strings.Contains(text, name) {
			return name
		}
	}
	return ""
}

// The provider sends eSoccer although it is asked not to: it is in no file except the raw ones, and
// in no answer over HTTP, and is counted as filtered.
func TestEsoccerNeverAppears(t *testing.T) {
	began := time.Now() // the simulated days are the same in every run
	sim, err := emulator.New(simulator.Options{Seed: 7, Fixtures: 60, InPlay: 60, Quota: 1_000_000, Tokens: map[string]simulator.Account{canary: {Seed: 7}},
		Now: func() time.Time { return playedBegins.Add(time.Since(began)) }})
	check.Must(t, err)
	w := &watched{sim: sim, games: map[string]bool{}, left: map[string]bool{}, leagues: map[string]bool{}}
	h, token := newConnected(t, altered(sim, w.watch))
	counted := map[string]int{"market_engine": 0, "live_intelligence": 0}
	for product := range counted {
		h.run("", "cycle", "--tenant", "acme", "--product", product, "--output", "json")
		counted[product] = h.filtered(product)
	}
	for product, path := range map[string]string{"market_engine": "/v1/bet365/upcoming", "live_intelligence": "/v3/events/inplay"} {
		if want := w.count(path); counted[product] != want || want < 5 {
			t.Errorf("%s: %d counted as filtered, %d in the answers", product, counted[product], want)
		}
	}
	if len(w.leagues) < 10 {
		t.Errorf("only these leagues: %v", w.leagues)
	}
	for file, rows := range h.parquet() {
		for _, row := range rows {
			if found := w.found(row); found != "" {
				t.Errorf("%s holds %s: %.300s", file, found, row)
			}
		}
	}
	api := h.serve("json")
	seen := h.everywhere(api.url+"/api/v1", token)
	for path, body := range seen {
		if found := w.found(body); found != "" {
			t.Errorf("%s holds %s", path, found)
		}
	}
	h.end(api)
	if len(seen) < 100 {
		t.Errorf("only %d answers looked at", len(seen))
	}
}

func (h *installation) filtered(product string) (n int) {
	h.t.Helper()
	var shown struct{ Filtered map[string]int }
	h.must(json.Unmarshal([]byte(h.newestFile(product, "canonical/*/canonical.json")), &shown))
	for rule, count := range shown.Filtered {
		if !strings.Contains(rule, "-name") {
			h.t.Errorf("%s: rule %q", product, rule)
		}
		n += count
	}
	return n
}

// parquet returns every row of every Parquet file in the data root as text, by file.
func (h *installation) parquet() map[string][]string {
	h.t.Helper()
	db, err := sql.Open("duckdb", "")
	h.must(err)
	defer db.Close()
	files, err := filepath.Glob(filepath.Join(h.dir, "data", "client_id=*", "product=*", "*", "*", "*.parquet"))
	h.must(err)
	changes, err := filepath.Glob(filepath.Join(h.dir, "data", "client_id=*", "product=*", "*", "*.parquet"))
	h.must(err)
	all, total := map[string][]string{}, 0
	for _, file := range append(files, changes...) {
		for _, row := range ask(h.t, db, fmt.Sprintf("SELECT x::VARCHAR FROM read_parquet('%s') x", file)) {
			all[file] = append(all[file], row[0])
			total++
		}
	}
	kinds := map[string]bool{}
	for file := range all {
		kinds[filepath.Base(filepath.Dir(filepath.Dir(file)))] = true
	}
	if total < 1000 || !kinds["canonical"] || !kinds["snapshots"] {
		h.t.Errorf("%d rows looked at, in %v", total, kinds)
	}
	return all
}

func (h *installation) newestFile(product, pattern string) string {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, "data", "client_id=*", "product="+product, filepath.FromSlash(pattern)))
	h.must(err)
	if len(files) == 0 {
		h.t.Fatalf("%s: no %s", product, pattern)
	}
	slices.Sort(files)
	text, err := os.ReadFile(files[len(files)-1])
	h.must(err)
	return string(text)
}
