package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/servetest"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// pathWorld has one fixture, which kicks off two hours and a half after the first publication, and the
// path of a market of it over six publications, an hour apart.
func pathWorld(t *testing.T, firstIsBefore bool) (w *world, market string) {
	w = newWorld(t)
	w.edit = func(o *serve.Options) { o.Extensions = account.Extensions() }
	w.add("acme", func(a *account.Account) { a.Features[account.History] = true })
	w.add("without", nil)
	w.publish("without", 1, 1, 1)
	root := w.root("acme")
	f := servetest.Sample("acme", 0, 1, 1)
	kickOff := servetest.Start.Add(150 * time.Minute)
	f.Row.StartsAt = &kickOff
	fixture, marketID := f.Row.FixtureID, f.Markets[0].MarketID
	late := kickOff.Add(30 * time.Minute)
	row := func(hour int, selection, price string) table.StepRow {
		at := servetest.Start.Add(time.Duration(hour)*time.Hour - 2*time.Minute)
		r := table.StepRow{FixtureID: fixture, MarketID: marketID, SelectionID: "sl_" + strings.Repeat(selection, 26), ProviderFetchedAt: &at}
		if price != "-" {
			yes := true
			r.Present, r.Publishable = true, &yes
			if price != "" {
				r.OddsDecimalText = &price
			} else {
				r.Absent = []string{"odds_decimal"}
			}
		}
		return r
	}
	fixtureRow := func(starts *time.Time, before bool) table.StepRow {
		return table.StepRow{FixtureID: fixture, Present: true, StartsAt: starts, Before: before}
	}
	old := row(0, "a", "1.90")
	old.Before = firstIsBefore
	for hour, steps := range [][]table.StepRow{
		{fixtureRow(&late, firstIsBefore), old, row(0, "b", "2.0"), row(0, "c", "3.0"), row(0, "d", "4.0")},
		{fixtureRow(&kickOff, false), row(1, "a", "1.95"), row(1, "c", ""), row(1, "d", "-")},
		{row(2, "a", "1.97")},
		{row(3, "a", "2.05"), row(3, "e", "9.5")},
		{row(4, "d", "4.5")},
		{{FixtureID: fixture}},
	} {
		content := servetest.Content{Fixtures: []servetest.Fixture{f}, Events: servetest.Updates([]servetest.Fixture{f}), Steps: steps}
		if hour == 5 {
			content.Fixtures = nil
		}
		root.Publish(content)
	}
	w.fetched("acme")
	w.setClock(servetest.Start.Add(6 * time.Hour))
	return w.start(), fixture + "/markets/" + marketID
}

// said is an answer in a line: of each selection its opening, its closing, and its points.
func said(t *testing.T, body string) string {
	t.Helper()
	type point struct {
		Present bool
		Odds    struct{ Decimal json.Number }
	}
	words := func(p *point) string {
		switch {
		case p == nil:
			return "none"
		case !p.Present:
			return "gone"
		case p.Odds.Decimal == "":
			return "null"
		}
		return p.Odds.Decimal.String()
	}
	type judged struct {
		State, Reason string
		Point         *point
	}
	var page struct {
		Data struct {
			Selections []struct {
				ID               string `json:"selection_id"`
				Opening, Closing judged
				Points           []*point
			}
		}
	}
	must(t, json.Unmarshal([]byte(body), &page))
	var lines []string
	for _, s := range page.Data.Selections {
		var points []string
		for _, p := range s.Points {
			points = append(points, words(p))
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s, %s %s %s: %s", s.ID[3:4], s.Opening.State, s.Opening.Reason, words(s.Opening.Point),
			s.Closing.State, s.Closing.Reason, words(s.Closing.Point), strings.Join(points, " "))))
	}
	return strings.Join(lines, "\n")
}

func TestPathOfAPrice(t *testing.T) {
	t.Parallel()
	w, market := pathWorld(t, false)
	path := "/" + api.HistoryRoot + "/fixtures/" + market
	at := func(hour int) string {
		return servetest.Start.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)
	}
	for name, c := range map[string]struct{ query, want string }{
		"whole": {"", `a FINAL  1.90, FINAL  1.97: 1.90 1.95 1.97 2.05 gone
b FINAL  2.0, FINAL  2.0: 2.0 gone
c FINAL  3.0, UNAVAILABLE NO_PRICE null: 3.0 null gone
d FINAL  4.0, UNAVAILABLE NOT_OFFERED gone: 4.0 gone 4.5 gone
e FINAL  9.5, UNAVAILABLE AFTER_KICK_OFF none: 9.5 gone`},
		"a span, with the points in force at its beginning": {"?from=" + at(2) + "&to=" + at(3), `a FINAL  1.90, FINAL  1.97: 1.97 2.05
b FINAL  2.0, FINAL  2.0: 2.0
c FINAL  3.0, UNAVAILABLE NO_PRICE null: null
d FINAL  4.0, UNAVAILABLE NOT_OFFERED gone: gone
e FINAL  9.5, UNAVAILABLE AFTER_KICK_OFF none: 9.5`},
		"before kick-off, judged as of then": {"?at=" + at(1), `a FINAL  1.90, PROVISIONAL BEFORE_KICK_OFF 1.95: 1.95
b FINAL  2.0, PROVISIONAL BEFORE_KICK_OFF 2.0: 2.0
c FINAL  3.0, PROVISIONAL BEFORE_KICK_OFF null: null`},
		"after kick-off": {"?at=" + at(4), `a FINAL  1.90, FINAL  1.97: 2.05
b FINAL  2.0, FINAL  2.0: 2.0
c FINAL  3.0, UNAVAILABLE NO_PRICE null: null
d FINAL  4.0, UNAVAILABLE NOT_OFFERED gone: 4.5
e FINAL  9.5, UNAVAILABLE AFTER_KICK_OFF none: 9.5`},
	} {
		r := w.get(path+c.query, "acme")
		if r.status != 200 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
			continue
		}
		if diff := cmp.Diff(c.want, said(t, r.body)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if again := w.get(path+c.query, "acme", "If-None-Match", r.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s: a conditional request: %d", name, again.status)
		}
		if !strings.Contains(r.body, `"kick_off":"2026-11-20T11:30:00.000Z","kick_off_moved":true`) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	for _, limit := range []string{"3", "200"} {
		if points := pathInPages(t, w, path, limit); points != 16 {
			t.Errorf("%d points in pages of %s, want 16", points, limit)
		}
	}
	for query, code := range map[string]string{
		"?limit=0": "INVALID_PARAMETER", "?limit=201": "INVALID_PARAMETER", "?from=yesterday": "INVALID_PARAMETER", "?cursor=nonsense": "INVALID_CURSOR",
		"?at=" + at(1) + "&from=" + at(1): "INVALID_PARAMETER", "?at=" + at(1) + "&cursor=x": "INVALID_PARAMETER", "?at=" + at(1) + "&at=" + at(2): "BAD_REQUEST",
		"?at=2020-01-01T00:00:00Z": "INVALID_PARAMETER", "?at=0001-01-01T00:00:00Z": "INVALID_PARAMETER", "?from=" + at(2) + "&to=" + at(1): "INVALID_PARAMETER",
	} {
		if r := w.get(path+query, "acme"); r.code() != code {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
	if r := w.get(path+"?at=2020-01-01T00:00:00Z", "acme"); !strings.Contains(r.body, "first publication of the market that is recorded, of 2026-11-20T09:00:00.000Z") {
		t.Errorf("before the first publication: %s", r.body)
	}
	if r := w.get(path+"?from="+at(2)+"&to="+at(2), "acme"); r.status != 200 {
		t.Errorf("a span that is one moment: %d %s", r.status, r.body)
	}
	for path, code := range map[string]string{
		"/fixtures/fx_nonsense/markets/mk_x":                                              "FIXTURE_NOT_FOUND",
		"/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa/markets/mk_aaaaaaaaaaaaaaaaaaaaaaaaaa":   "FIXTURE_NOT_FOUND",
		"/fixtures/" + market[:29] + "/markets/mk_aaaaaaaaaaaaaaaaaaaaaaaaaa":             "MARKET_NOT_FOUND",
		"/fixtures/" + market[:29] + "/markets/TOTAL_GOALS":                               "MARKET_NOT_FOUND",
		"/fixtures/" + market[:29] + "/markets/mk_aaaaaaaaaaaaaaaaaaaaaaaaaa?at=" + at(1): "MARKET_NOT_FOUND",
		"/fixtures/" + market[:29]:                                                        "NOT_FOUND",
	} {
		if r := w.get("/"+api.HistoryRoot+path, "acme"); r.code() != code {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	then := w.startAsOf(servetest.Start.Add(2 * time.Hour))
	if got, want := said(t, then.get(path, "acme").body), `a FINAL  1.90, PROVISIONAL BEFORE_KICK_OFF 1.97: 1.90 1.95 1.97
b FINAL  2.0, PROVISIONAL BEFORE_KICK_OFF 2.0: 2.0
c FINAL  3.0, PROVISIONAL BEFORE_KICK_OFF null: 3.0 null
d FINAL  4.0, PROVISIONAL BEFORE_KICK_OFF gone: 4.0 gone`; got != want {
		t.Errorf("served as of two hours later:\n%s\nwant\n%s", got, want)
	}
	must(t, then.stop())
	if r := w.get(path, "without"); r.code() != "FEATURE_NOT_ENABLED" {
		t.Errorf("an account without the extension: %d %s", r.status, r.body)
	}
	if r := w.get(path, ""); r.code() != "INVALID_API_TOKEN" {
		t.Errorf("no token: %d %s", r.status, r.body)
	}
}

// A price is not final because the time of its publication is after kick-off, when that is ahead: the
// provider may still send another one.
func TestClosingWhileTheClockIsAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.edit = func(o *serve.Options) { o.Extensions = account.Extensions() }
	w.add("acme", func(a *account.Account) { a.Features[account.History] = true })
	root, f := w.root("acme"), servetest.Sample("acme", 0, 1, 1)
	kickOff, price, yes := servetest.Start.Add(30*time.Minute), "1.9", true
	f.Row.StartsAt = &kickOff
	fetched := servetest.Start.Add(-2 * time.Minute)
	publish := func(late, lead time.Duration) {
		root.Late, root.Lead = late, lead
		root.Publish(servetest.Content{Fixtures: []servetest.Fixture{f}, Events: servetest.Updates([]servetest.Fixture{f}), Steps: []table.StepRow{
			{FixtureID: f.Row.FixtureID, Present: true, StartsAt: &kickOff},
			{FixtureID: f.Row.FixtureID, MarketID: f.Markets[0].MarketID, SelectionID: "sl_" + strings.Repeat("a", 26), Present: true, Publishable: &yes, OddsDecimalText: &price, ProviderFetchedAt: &fetched},
		}})
	}
	publish(time.Hour, time.Hour)
	w.fetched("acme")
	w.setClock(servetest.Start)
	w.start()
	path := "/" + api.HistoryRoot + "/fixtures/" + f.Row.FixtureID + "/markets/" + f.Markets[0].MarketID
	if got := said(t, w.get(path, "acme").body); got != "a FINAL  1.9, PROVISIONAL BEFORE_KICK_OFF 1.9: 1.9" {
		t.Errorf("half an hour before kick-off, published with a time half an hour after it: %s", got)
	}
	publish(2*time.Hour, 2*time.Hour+time.Minute)
	for !strings.Contains(said(t, w.get(path, "acme").body), "FINAL  1.9, FINAL  1.9") {
		if t.Context().Err() != nil {
			t.Fatal("what was retrieved after kick-off is published, and the price is not final")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A refusal says what the service wants where a person or a program asked for something near to it.
func TestRefusalsSayWhatIsWanted(t *testing.T) {
	t.Parallel()
	w, market := pathWorld(t, false)
	fixture, _, _ := strings.Cut(market, "/markets/")
	other := servetest.FixtureID("without", 0)
	for _, c := range []struct{ path, as, code, says string }{
		{"/account", "", "INVALID_API_TOKEN", "Authorization: Bearer TOKEN"},
		{"//socket.io/?EIO=4&transport=polling", "", "NOT_FOUND", "the socket is at the path /realtime"},
		{"/realtime/?EIO=4&transport=websocket", "acme", "NOT_FOUND", "the socket is at the path /realtime"},
		{"/nothing", "acme", "NOT_FOUND", "there is nothing at this path"},
		{"/fixtures/" + other + "/markets/total_goals", "without", "MARKET_NOT_FOUND", "by its id, mk_..., or by a canonical name in capitals"},
		{"/fixtures/" + other + "/markets/TOTAL_CORNERS", "without", "MARKET_NOT_FOUND", "no such market on the fixture"},
		{"/" + api.HistoryRoot + "/fixtures/" + fixture + "/markets/TOTAL_GOALS", "acme", "MARKET_NOT_FOUND", "named here by its id, mk_..."},
	} {
		if r := w.get(c.path, c.as); r.code() != c.code || !strings.Contains(r.body, c.says) {
			t.Errorf("%s: %d %s, want %s, %q", c.path, r.status, r.body, c.code, c.says)
		}
	}
	w.edit = nil
	w.start()
	if r := w.get("/"+api.HistoryRoot+"/fixtures/"+market, "without"); r.code() != "NOT_FOUND" {
		t.Errorf("a server without the extension: %d %s", r.status, r.body)
	}
}

// pathInPages counts the points of a path that is read in pages.
func pathInPages(t *testing.T, w *world, path, limit string) (points int) {
	t.Helper()
	for cursor := ""; ; {
		r := w.get(path+"?limit="+limit+cursor, "acme")
		for line := range strings.Lines(said(t, r.body)) {
			_, list, _ := strings.Cut(line, ": ")
			points += len(strings.Fields(list))
		}
		var page struct {
			Pagination struct {
				Next *string `json:"next_cursor"`
			}
		}
		must(t, json.Unmarshal([]byte(r.body), &page))
		if page.Pagination.Next == nil {
			return points
		}
		cursor = "&cursor=" + *page.Pagination.Next
	}
}

// The pages of a path after its first one read no file, and the next publication has its own path.
func TestPathIsKept(t *testing.T) {
	t.Parallel()
	w, market := pathWorld(t, false)
	path := "/" + api.HistoryRoot + "/fixtures/" + market
	root := w.root("acme")
	if r := w.get(path+"?limit=1", "acme"); r.status != 200 {
		t.Fatal(r.body)
	}
	must(t, root.FS.Rename(layout.StepsDir, "elsewhere"))
	if points := pathInPages(t, w, path, "2"); points != 16 {
		t.Errorf("%d points, want 16", points)
	}
	if r := w.get(path+"?at="+servetest.Start.Add(time.Hour).Format(time.RFC3339), "acme"); r.status != 500 && r.status != 503 {
		t.Errorf("the market at a time, without the files: %d %s", r.status, r.body)
	}
	must(t, root.FS.Rename("elsewhere", layout.StepsDir))
	f, yes, price := servetest.Sample("acme", 0, 1, 1), true, "2.5"
	fixture, id, _ := strings.Cut(market, "/markets/")
	root.Publish(servetest.Content{Fixtures: []servetest.Fixture{f}, Events: servetest.Updates([]servetest.Fixture{f}), Steps: []table.StepRow{
		{FixtureID: fixture, Present: true, StartsAt: &servetest.Start},
		{FixtureID: fixture, MarketID: id, SelectionID: "sl_" + strings.Repeat("b", 26), Present: true, Publishable: &yes, OddsDecimalText: &price},
	}})
	for !strings.Contains(said(t, w.get(path, "acme").body), ": 2.0 gone 2.5") {
		if t.Context().Err() != nil {
			t.Fatal("the path is that of the publication before")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A fixture that was there before steps were recorded has no opening price, but the oldest known one.
func TestPathWithoutItsBeginning(t *testing.T) {
	t.Parallel()
	w, market := pathWorld(t, true)
	r := w.get("/"+api.HistoryRoot+"/fixtures/"+market+"?limit=1", "acme")
	if !strings.Contains(r.body, `"opening":{"state":"UNAVAILABLE","reason":"NOT_RECORDED","point":{"present":true,`) || !strings.Contains(r.body, `"before_records":true`) ||
		!strings.Contains(r.body, `"from_start":false`) {
		t.Error(r.body)
	}
}

// Every answer of version 1 is the same, byte for byte, whether the server and the account have the
// extension or not.
func TestVersion1IsTheSameWithExtensions(t *testing.T) {
	t.Parallel()
	w := contractWorld(t)
	for _, a := range w.accounts {
		a.Features[account.History] = true
	}
	off := w.start().url
	w.edit = func(o *serve.Options) { o.Extensions = account.Extensions() }
	on := w.start().url
	get := func(url, path, as string) reply {
		w.url = url
		return w.get(path, as, "X-Request-Id", "req_1")
	}
	f := servetest.Sample("acme", 1, 1, 1)
	fixture, market := f.Row.FixtureID, f.Markets[0].MarketID
	var live struct{ Data []item }
	must(t, json.Unmarshal([]byte(get(off, "/live?limit=200", "acme").body), &live))
	get(on, "/live?limit=200", "acme") // both have answered as many requests
	paths := []string{"/status", "/schema", "/fixtures", "/fixtures?limit=2", "/fixtures/" + fixture, "/fixtures/fx_none", "/fixtures/" + fixture + "/markets?limit=3",
		"/fixtures/" + fixture + "/markets/" + market, "/fixtures/" + fixture + "/markets/TOTAL_GOALS", "/changes?limit=3", "/live", "/account", "/account/provider",
		"/nothing", "/fixtures?limit=0", "/changes?cursor=x", "//api/ext", "//api/v2/fixtures"}
	for _, f := range live.Data {
		for _, rest := range []string{"", "/timeline", "/momentum", "/stats"} {
			paths = append(paths, "/live/"+f.FixtureID+rest)
		}
	}
	answers := 0
	for _, as := range []string{"acme", "other", "suspended", "revoked", "nothing", "expired", "nofeature", "unconnected", ""} {
		for _, path := range paths {
			a, b := get(off, path, as), get(on, path, as)
			a.header.Del("Date")
			b.header.Del("Date")
			if diff := cmp.Diff(a.body, b.body); diff != "" || a.status != b.status {
				t.Errorf("%s as %q: %d and %d\n%s", path, as, a.status, b.status, diff)
			}
			if diff := cmp.Diff(a.header, b.header); diff != "" {
				t.Errorf("%s as %q: headers: %s", path, as, diff)
			}
			answers++
		}
	}
	if answers < 150 {
		t.Errorf("only %d answers were compared", answers)
	}
}
