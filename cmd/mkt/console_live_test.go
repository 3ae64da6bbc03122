package main

import (
	"encoding/json"
	"html"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/internal/console"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// curves matches the drawing of momentum in a page.
var curves = regexp.MustCompile(`<path class="(?:area|curve)-[a-z]+" d="[^"]*"|<rect class="no-momentum"[^>]*>`)

// The console shows every match that mkt live list has, with the picture of mkt live show --html; also
// when the match went on after its page was opened, so that the archive is continued.
func TestConsoleShowsMatches(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 20, InPlay: 4})
	pages, err := console.New(console.Options{Now: func() time.Time { return p.now.Add(5 * time.Second) }, Version: version, Data: p.data, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	server := httptest.NewServer(pages)
	defer server.Close()
	open := func(path string) (int, string) {
		t.Helper()
		return mustGet(t, server.URL+path, "")
	}
	if status, body := open("/live"); status != http.StatusOK || !strings.Contains(body, "No match was published yet.") {
		t.Errorf("without any data: status %d, %s", status, body)
	}
	p.play(4 * time.Minute)
	var listed []struct {
		FixtureID string `json:"fixture_id"`
		Stale     bool
	}
	out, err := p.run("live", "list", "--output", "json")
	p.must(err)
	p.must(json.Unmarshal([]byte(out), &listed))
	if len(listed) == 0 {
		t.Fatal("no match is in play")
	}
	_, list := open("/live/acme")
	for _, m := range listed {
		if m.Stale || !strings.Contains(list, `href="/live/acme/`+m.FixtureID+`"`) {
			t.Errorf("%+v is not on the page, or stale", m)
		}
	}
	id := listed[0].FixtureID
	for range 2 {
		report, err := p.run("live", "show", id, "--html", "-")
		p.must(err)
		_, match := open("/live/acme/" + id)
		for strings.Contains(match, "archive is being read") {
			_, match = open("/live/acme/" + id)
		}
		want, got := curves.FindAllString(report, -1), curves.FindAllString(match, -1)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("the console draws\n%q\nthe report\n%q", got, want)
		}
		p.now = p.now.Add(8 * time.Second)
		p.play(time.Minute)
	}
	p.now = p.now.Add(5 * time.Minute)
	if _, body := open("/live/acme/" + id); !strings.Contains(body, "do not describe the present") {
		t.Error("a match without news for five minutes is not shown as stale")
	}
	for path, want := range map[string]int{"/live/nobody": 404, "/live/acme/fx_nothing": 404, "/live/acme/..%2f..%2fx": 404, "/live?account=acme": 200} {
		if status, _ := open(path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
}

// firstFixture returns the fixture with markets that kicks off next, but not within ten minutes.
func (p *played) firstFixture() (first table.FixtureRow) {
	p.Helper()
	root, err := p.dataset(football.MarketEngine).Open()
	p.must(err)
	defer root.Close()
	head, _, err := snapshot.Head(root)
	p.must(err)
	for f, err := range snapshot.Rows[table.FixtureRow](root, head.Dir()+"/"+layout.FixturesFile) {
		p.must(err)
		if f.MarketCount > 20 && f.StartsAt != nil && f.StartsAt.After(p.now.Add(10*time.Minute)) && (first.StartsAt == nil || f.StartsAt.Before(*first.StartsAt)) {
			first = *f
		}
	}
	return first
}

// kickOff plays the first minutes of a match, and the cycle of markets after its kick-off.
func (p *played) kickOff(f table.FixtureRow) {
	p.now = *f.StartsAt
	p.play(3 * time.Minute)
	p.cycle(football.MarketEngine)
}

// A match is one page: what is in play, and the prices up to kick-off. It and its fixture link to each other, the title has the
// score, and what is renewed reads no prices. A match without a fixture, one that is over, and one that nobody plays yet have
// what there is.
func TestMatchIsOnePage(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 4})
	pages, err := console.New(console.Options{Now: func() time.Time { return p.now.Add(5 * time.Second) }, Version: version, Data: p.data, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	server := httptest.NewServer(pages)
	defer server.Close()
	open := func(path string, want int, has ...string) string {
		t.Helper()
		status, body := mustGet(t, server.URL+path, "")
		if status != want {
			t.Fatalf("%s: status %d, want %d: %s", path, status, want, body)
		}
		for _, text := range has {
			if !strings.Contains(body, text) {
				t.Errorf("%s has no %q:\n%.3000s", path, text, body)
			}
		}
		return body
	}
	p.cycle(football.MarketEngine)
	p.play(time.Minute)
	first := p.firstFixture()
	match, fixture, teams := "/live/acme/"+first.FixtureID, "/fixtures/acme/"+first.FixtureID, *first.Home+" – "+*first.Away
	open(match, http.StatusOK, "<title>"+teams, "not in play", "Prices up to kick-off", fixture)
	if strings.Contains(open(fixture, http.StatusOK, teams), match) {
		t.Error("a fixture long before kick-off links to a match")
	}
	inPlay := regexp.MustCompile(`href="(/live/acme/fx_[^"]*)"`).FindStringSubmatch(open("/live/acme", http.StatusOK))[1]
	if body := open(inPlay, http.StatusOK, `<h2 id="momentum">`); strings.Contains(body, "Prices up to") || strings.Contains(body, "/fixtures/acme/") {
		t.Error("a match that was in play before the first cycle has prices")
	}
	p.now = p.now.Add(3 * time.Second)
	p.cycle(football.MarketEngine)
	p.kickOff(first)
	left := open(fixture, http.StatusOK, `href="`+match+`"`, `href="`+fixture+`?version=2"`)
	times := regexp.MustCompile(`<dt>retrieved</dt>(?s:.*?)version (\d+)</a></dd>`).FindStringSubmatch(left)
	open(fixture+"?version="+times[1], http.StatusOK, times[0])
	body := open(match, http.StatusOK, `<h2 id="momentum">`, "Prices up to kick-off", "Last before kick-off", `href="`+fixture+`"`, `href="`+fixture+`/mk_`)
	if !regexp.MustCompile(`<title>\d–\d \d+&#39; ` + regexp.QuoteMeta(template.HTMLEscapeString(teams)) + ` · mkt</title>`).MatchString(body) {
		t.Errorf("the title is %s", regexp.MustCompile("<title>.*?</title>").FindString(body))
	}
	part, err := http.NewRequest(http.MethodGet, server.URL+match, nil)
	p.must(err)
	part.Header.Set("Prefer", "return=minimal")
	answer, err := http.DefaultClient.Do(part)
	p.must(err)
	defer answer.Body.Close()
	if read, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(read), `<h2 id="momentum">`) || strings.Contains(string(read), "Prices up to") {
		t.Errorf("%v: what is renewed has prices, or no match", err)
	}
	for _, later := range []time.Duration{3 * time.Hour, 4 * time.Hour} { // it is over, and leaves
		p.now = first.StartsAt.Add(later)
		p.play(time.Minute)
	}
	open(match, http.StatusOK, "not among those in play any more", `data-refresh="0"`, "Prices up to kick-off")
	open(match+"?version=1", http.StatusNotFound)
}

// The stars that a request sends are on top of both lists: first the matches, then those of a league.
func TestStars(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 130, InPlay: 6})
	p.cycle(football.MarketEngine)
	p.play(time.Minute)
	pages, err := console.New(console.Options{Now: func() time.Time { return p.now }, Version: version, Data: p.data, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	server := httptest.NewServer(pages)
	defer server.Close()
	for path, row := range map[string]*regexp.Regexp{
		"/fixtures/acme": regexp.MustCompile(`<tr><td data-star="(fx_[^"]*)"[^\x00]*?data-star="([^"]*)"`),
		"/live/acme":     regexp.MustCompile(`data-star="(fx_[^"]*)"[^\x00]*?data-star="([^"]*)"`),
	} {
		list := func(query string) [][]string {
			status, body := mustGet(t, server.URL+path+query, "")
			if status != http.StatusOK {
				t.Fatalf("%s: status %d", path, status)
			}
			return row.FindAllStringSubmatch(body, -1)
		}
		before := list("")
		last, middle := before[len(before)-1], before[len(before)/2]
		if path == "/fixtures/acme" {
			last = list("?page=2")[0] // on the second page
		}
		after := list("?top=" + last[1] + "&top=" + url.QueryEscape(html.UnescapeString(middle[2])))
		if after[0][1] != last[1] || after[1][2] != middle[2] {
			t.Errorf("%s: %q and %q are not on top: %q", path, last[1], middle[2], after[:2])
		}
	}
}
