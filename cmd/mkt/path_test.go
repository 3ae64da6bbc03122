package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/fetch/simulator"
	"mkt/internal/evidence/history"
	"mkt/internal/testing/check"
	"mkt/publish/football"
)

// pathPoint is a point of a path, in words that all sides of TestPricePath have.
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

// pathKickOff is a kick-off of a path, likewise.
type pathKickOff struct {
	Present     bool
	StartsAt    *time.Time
	PublishedAt time.Time
	Cycle       string
}

// pathAnswer is a part of the path of a market.
type pathAnswer struct {
	Points   map[string][]pathPoint // by selection
	KickOffs []pathKickOff
}

// The path of every price over HTTP, and that of mkt history, is what SQL over all snapshots tells, and so
// is the market at any time.
func TestPricePath(t *testing.T) {
	w := &simulatedSystem{system: newSystem(t, simulatedNow.Add(-24*time.Hour))}
	w.Batch.Provider = alone(w.Batch.Provider)
	w.enrolAll(simulator.Options{Seed: 327, Fixtures: 6, InPlay: 1})
	who := w.account(entitled)
	fetch, err := w.Batch.FetchStep()
	w.must(err)
	cycles := 20
	if !testing.Short() {
		cycles = 50
	}
	for range cycles {
		w.must(w.cycle(&who.Tenant, football.MarketEngine, fetch, w.transformAlike(0), w.publishAlike()))
		w.now = w.now.Add(75 * time.Minute)
	}
	w.clock.Show(w.now)
	w.open(w.Tenants)
	all, kickOffs := pathsOf(w.T, w.Dataset(entitled, football.MarketEngine).Dir())
	if len(all) < 200 {
		t.Fatalf("%d markets", len(all))
	}
	markets := slices.SortedFunc(maps.Keys(all), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	seen := map[string]int{}
	for i, id := range markets {
		if i%(len(markets)/200) != 0 {
			continue
		}
		want := pathAnswer{all[id], kickOffs[id[0]]}
		if diff := cmp.Diff(want, w.path(id[0], id[1])); diff != "" {
			t.Fatalf("%s: the snapshots (-) and the path over HTTP (+):\n%s", id, diff)
		}
		w.checkAt(id, want, seen)
		countMoves(want, seen)
	}
	for _, what := range []string{"move", "gone", "returned", "kick-off"} {
		if seen[what] == 0 {
			t.Errorf("no %s: the world is too quiet for this test", what)
		}
	}
	for fixture := range kickOffs {
		seen["line of mkt history"] += w.checkCSV(fixture, all)
		w.checkJudged(fixture, all, seen)
	}
	for _, what := range []string{"opening FINAL", "opening UNAVAILABLE", "closing FINAL", "closing PROVISIONAL", "closing UNAVAILABLE"} {
		if seen[what] == 0 {
			t.Errorf("no %s: the world is too quiet for this test", what)
		}
	}
	t.Logf("%d markets: %v", len(markets), seen)
}

// countMoves counts the kinds of points of a market.
func countMoves(of pathAnswer, seen map[string]int) {
	for _, points := range of.Points {
		for i, p := range points {
			switch {
			case !p.Present:
				seen["gone"]++
			case i == 0:
			case !points[i-1].Present:
				seen["returned"]++
			case points[i-1].Decimal != p.Decimal:
				seen["move"]++
			}
		}
	}
	seen["kick-off"] += len(of.KickOffs) - 1
}

// pathsQuery returns the points of every selection, and kick-offs as rows without a market: their content
// in every publication since they were first there, unless it is that of the publication before.
const pathsQuery = `
WITH publications AS (SELECT version, cycle_id, published_at FROM read_json('commits/*.json')),
fixtures AS (SELECT cycle, fixture_id, starts_at, provider_fetched_at FROM read_parquet('snapshots/*/fixtures.parquet', hive_partitioning = true)),
rows AS (
  SELECT m.cycle, m.fixture_id, m.market_id, s.selection_id, f.provider_fetched_at,
         {'Present': true, 'Line': s.line, 'Fractional': s.odds_fractional, 'Decimal': s.odds_decimal_text, 'Publishable': s.publishable, 'Reasons': s.reasons,
          'Absent': ['odds.' || name[6:] FOR name IN s.absent IF name IN ('odds_decimal', 'odds_fractional')], 'StartsAt': NULL::BIGINT} AS content
  FROM read_parquet('snapshots/*/markets.parquet', hive_partitioning = true) m, UNNEST(m.selections) AS t(s)
  JOIN fixtures f ON f.cycle = m.cycle AND f.fixture_id = m.fixture_id
  UNION ALL
  SELECT cycle, fixture_id, '', '', provider_fetched_at, {'Present': true, 'Line': NULL, 'Fractional': NULL, 'Decimal': NULL, 'Publishable': NULL, 'Reasons': NULL, 'Absent': NULL, 'StartsAt': epoch_ms(starts_at)}
  FROM fixtures),
known AS (
  SELECT fixture_id, market_id, selection_id, min(version) AS first FROM rows JOIN publications p ON p.cycle_id = rows.cycle GROUP BY ALL)
SELECT fixture_id, market_id, selection_id, to_json(content)::VARCHAR, epoch_ms(provider_fetched_at), epoch_ms(published_at), cycle_id
FROM known JOIN publications ON version >= first
LEFT JOIN (SELECT cycle AS cycle_id, * EXCLUDE (cycle) FROM rows) USING (fixture_id, market_id, selection_id, cycle_id)
QUALIFY content IS DISTINCT FROM lag(content) OVER (PARTITION BY fixture_id, market_id, selection_id ORDER BY version)
ORDER BY version`

// pathsOf asks DuckDB for the paths that all snapshots of a folder have: the points by fixture and market,
// and the kick-offs by fixture.
func pathsOf(t *testing.T, dir string) (map[[2]string]map[string][]pathPoint, map[string][]pathKickOff) {
	t.Helper()
	t.Chdir(dir)
	db, err := sql.Open("duckdb", "")
	check.Must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1) // one session, for SET TimeZone
	_, err = db.Exec("SET TimeZone = 'UTC'")
	check.Must(t, err)
	rows, err := db.Query(pathsQuery)
	check.Must(t, err)
	defer rows.Close()
	all, kickOffs := map[[2]string]map[string][]pathPoint{}, map[string][]pathKickOff{}
	for rows.Next() {
		var fixture, market, selection, cycle string
		var content *string
		var fetched *int64
		var published int64
		check.Must(t, rows.Scan(&fixture, &market, &selection, &content, &fetched, &published, &cycle))
		said := struct {
			pathPoint
			StartsAt *int64
		}{}
		if content != nil {
			check.Must(t, json.Unmarshal([]byte(*content), &said))
		}
		at := time.UnixMilli(published).UTC()
		if market == "" {
			k := pathKickOff{Present: said.Present, PublishedAt: at, Cycle: cycle}
			if said.StartsAt != nil {
				k.StartsAt = new(time.UnixMilli(*said.StartsAt).UTC())
			}
			kickOffs[fixture] = append(kickOffs[fixture], k)
			continue
		}
		p := said.pathPoint
		p.PublishedAt, p.Cycle = at, cycle
		if fetched != nil {
			p.FetchedAt = time.UnixMilli(*fetched).UTC()
		}
		if !football.PlainDecimal(p.Decimal) {
			p.Decimal = "" // JSON has no number for it
		}
		id := [2]string{fixture, market}
		if all[id] == nil {
			all[id] = map[string][]pathPoint{}
		}
		all[id][selection] = append(all[id][selection], p)
	}
	check.Must(t, rows.Err())
	return all, kickOffs
}

// path reads a path over HTTP, in pages.
func (w *simulatedSystem) path(fixture, market string) (all pathAnswer) {
	w.Helper()
	all.Points = map[string][]pathPoint{}
	for cursor := ""; ; {
		query := "limit=37"
		if cursor != "" {
			query += "&cursor=" + cursor
		}
		status, page, next := w.pathPage(fixture, market, query)
		if status != http.StatusOK {
			w.Fatalf("%s/%s?%s: %d", fixture, market, query, status)
		}
		for id, points := range page.Points {
			all.Points[id] = append(all.Points[id], points...)
		}
		if all.KickOffs = page.KickOffs; next == "" {
			return all
		}
		cursor = next
	}
}

// checkAt compares the market at some times with the newest points of its path up to then.
func (w *simulatedSystem) checkAt(id [2]string, whole pathAnswer, seen map[string]int) {
	w.Helper()
	var times []time.Time
	for _, points := range whole.Points {
		for _, p := range points {
			times = append(times, p.PublishedAt)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	last := times[len(times)-1]
	for _, at := range []time.Time{times[0].Add(-time.Millisecond), times[0], times[len(times)/2], last.Add(-time.Millisecond), last, last.Add(time.Hour)} {
		want, isKnown := pathAnswer{Points: map[string][]pathPoint{}}, false
		for selection, points := range whole.Points {
			points = slices.DeleteFunc(slices.Clone(points), func(p pathPoint) bool { return p.PublishedAt.After(at) })
			n := len(points)
			isKnown = isKnown || n > 0
			if n > 0 && points[n-1].Present {
				want.Points[selection] = points[n-1:]
			}
		}
		for _, k := range whole.KickOffs {
			if !k.PublishedAt.After(at) {
				want.KickOffs = append(want.KickOffs, k)
			}
		}
		status, got, _ := w.pathPage(id[0], id[1], "at="+at.Format("2006-01-02T15:04:05.000Z"))
		if !isKnown {
			if status != http.StatusBadRequest {
				w.Fatalf("%s at %s, before it was published: %d", id, at, status)
			}
			seen["not yet"]++
			continue
		}
		if diff := cmp.Diff(want, got); status != http.StatusOK || diff != "" {
			w.Fatalf("%s at %s: %d, the snapshots (-) and the market over HTTP (+):\n%s", id, at, status, diff)
		}
	}
}

// pathPage asks for a page of a path.
func (w *simulatedSystem) pathPage(fixture, market, query string) (status int, answer pathAnswer, next string) {
	w.Helper()
	body, status := w.rawPath(fixture, market, query)
	var page struct {
		Data struct {
			KickOffs []struct {
				Present     bool
				StartsAt    *time.Time `json:"starts_at"`
				PublishedAt time.Time  `json:"published_at"`
				Cycle       string     `json:"cycle_id"`
			} `json:"kick_offs"`
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
			Next string `json:"next_cursor"`
		}
	}
	w.must(json.Unmarshal(body, &page))
	answer.Points = map[string][]pathPoint{}
	for _, k := range page.Data.KickOffs {
		answer.KickOffs = append(answer.KickOffs, pathKickOff(k))
	}
	for _, s := range page.Data.Selections {
		for _, p := range s.Points {
			answer.Points[s.SelectionID] = append(answer.Points[s.SelectionID], pathPoint{p.Present, p.Line, p.Odds.Fractional, p.Odds.Decimal.String(), p.Publishable, p.Reasons, p.Absent, p.FetchedAt, p.PublishedAt, p.Cycle})
		}
	}
	return status, answer, page.Pagination.Next
}

// judgedPrice is an opening or closing price, over HTTP and of mkt history.
type judgedPrice struct {
	State  string
	Reason *string
	Odds   *string `json:"odds"`
	Point  *struct {
		Odds struct {
			Fractional *string
			Decimal    *json.Number
		}
	}
}

func (j judgedPrice) String() string {
	odds := ""
	switch {
	case j.Odds != nil:
		odds = *j.Odds
	case j.Point == nil:
	case j.Point.Odds.Decimal != nil:
		odds = j.Point.Odds.Decimal.String()
	case j.Point.Odds.Fractional != nil:
		odds = *j.Point.Odds.Fractional
	}
	reason := ""
	if j.Reason != nil {
		reason = *j.Reason
	}
	return strings.Join([]string{j.State, reason, odds}, " ")
}

// checkJudged compares the opening and closing prices of mkt history for a fixture with those over HTTP.
func (w *simulatedSystem) checkJudged(fixture string, all map[[2]string]map[string][]pathPoint, seen map[string]int) {
	w.Helper()
	var out bytes.Buffer
	tree := commands.New(cli.NewEnv(nil, &out, &out, func() time.Time { return w.now }, version))
	tree.SetArgs([]string{"history", fixture, "--output", "json", "--tenant", entitled, "--data", w.Data})
	w.must(tree.ExecuteContext(w.Context()))
	type price struct {
		SelectionID      string `json:"selection_id"`
		MarketID         string `json:"market_id"`
		Opening, Closing judgedPrice
	}
	var report struct{ Prices []price }
	w.must(json.Unmarshal(out.Bytes(), &report))
	got, want := map[string]string{}, map[string]string{}
	for _, p := range report.Prices {
		got[p.MarketID+"/"+p.SelectionID] = fmt.Sprint(p.Opening, ", ", p.Closing)
	}
	for id := range all {
		if id[0] != fixture {
			continue
		}
		body, status := w.rawPath(fixture, id[1], "limit=1")
		var page struct{ Data struct{ Selections []price } }
		w.must(json.Unmarshal(body, &page))
		for _, p := range page.Data.Selections {
			want[id[1]+"/"+p.SelectionID] = fmt.Sprint(p.Opening, ", ", p.Closing)
			seen["opening "+p.Opening.State]++
			seen["closing "+p.Closing.State]++
		}
		if status != http.StatusOK {
			w.Fatalf("%v: %d", id, status)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Fatalf("%s: over HTTP (-) and mkt history (+):\n%s", fixture, diff)
	}
}

// rawPath asks for a page of a path.
func (w *simulatedSystem) rawPath(fixture, market, query string) (body []byte, status int) {
	w.Helper()
	url := fmt.Sprintf("%s/api/ext/history/v0/fixtures/%s/markets/%s?%s", w.url, fixture, market, query)
	r, err := http.NewRequestWithContext(w.Context(), "GET", url, nil)
	w.must(err)
	r.Header.Set("Authorization", "Bearer "+w.account(entitled).Token)
	a, err := http.DefaultClient.Do(r)
	w.must(err)
	defer a.Body.Close()
	body, err = io.ReadAll(a.Body)
	w.must(err)
	return body, a.StatusCode
}

// historyPoint is a line of the CSV of mkt history, which has no line, no fractional price beside a decimal
// one, and distinguishes whether a selection, its market or its fixture is absent.
type historyPoint struct{ State, Odds, Reasons, FetchedAt, PublishedAt, Cycle string }

// checkCSV compares the output of mkt history for a fixture with the paths of all its markets.
func (w *simulatedSystem) checkCSV(fixture string, all map[[2]string]map[string][]pathPoint) (points int) {
	w.Helper()
	var out bytes.Buffer
	tree := commands.New(cli.NewEnv(nil, &out, &out, func() time.Time { return w.now }, version))
	tree.SetArgs([]string{"history", fixture, "--csv", "--tenant", entitled, "--data", w.Data})
	if err := tree.ExecuteContext(w.Context()); err != nil {
		w.Fatalf("mkt history %s: %v\n%s", fixture, err, &out)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	w.must(err)
	got := map[[2]string][]historyPoint{}
	for _, line := range lines[1:] {
		p := historyPoint{State: line[11], Odds: line[12], Reasons: line[13], FetchedAt: line[8], PublishedAt: line[10], Cycle: line[7]}
		if slices.Contains([]string{string(history.NoSelection), string(history.NoMarket), string(history.NoFixture)}, p.State) {
			p.State, p.FetchedAt = "", ""
		}
		id := [2]string{line[1], line[4]}
		got[id] = addMoved(got[id], p)
	}
	want := map[[2]string][]historyPoint{}
	for id, selections := range all {
		if id[0] != fixture {
			continue
		}
		for selection, path := range selections {
			key := [2]string{id[1], selection}
			for _, p := range path {
				want[key] = addMoved(want[key], p.inHistory())
			}
			points += len(want[key])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Fatalf("%s: the snapshots (-) and mkt history (+):\n%s", fixture, diff)
	}
	return points
}

// addMoved adds a point unless it differs from the last one in its times alone, or comes before the
// selection does.
func addMoved(to []historyPoint, p historyPoint) []historyPoint {
	last := historyPoint{}
	if n := len(to); n > 0 {
		last = to[n-1]
	}
	if p.State == last.State && p.Odds == last.Odds && p.Reasons == last.Reasons {
		return to
	}
	return append(to, p)
}

// inHistory returns the line that mkt history has of a point.
func (p pathPoint) inHistory() historyPoint {
	stamp := func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }
	h := historyPoint{PublishedAt: stamp(p.PublishedAt), Cycle: p.Cycle}
	if !p.Present {
		return h
	}
	h.FetchedAt, h.Reasons, h.Odds = stamp(p.FetchedAt), strings.Join(p.Reasons, "|"), p.Decimal
	if p.Decimal == "" && p.Fractional != nil {
		h.Odds = *p.Fractional
	}
	switch {
	case h.Odds == "" && len(p.Absent) == 2:
		h.State = string(history.AbsentPrice)
	case h.Odds == "":
		h.State = string(history.NullPrice)
	case p.Publishable:
		h.State = string(history.Offered)
	default:
		h.State = string(history.Withheld)
	}
	return h
}
