package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/fetch/simulator"
	"mkt/internal/console"
	"mkt/publish/football"
)

// apiMatch is the part of a match of GET /live that the test reads.
type apiMatch struct {
	FixtureID string `json:"fixture_id"`
	Home      string `json:"home"`
	Away      string `json:"away"`
	InPlay    bool   `json:"in_play"`
}

// livePages checks that the console shows the matches that the API has, and that a match has its
// picture.
func livePages(t *testing.T, ready demo.Ready) {
	var list struct {
		Data []apiMatch `json:"data"`
	}
	askAPI(t, ready, "/api/v1/live?limit=100", &list)
	if len(list.Data) == 0 {
		t.Fatal("the API has no match in play")
	}
	names := map[string]string{"home": ".matches .team.home", "away": ".matches .team.away", "clocks": ".matches .minute"}
	one := list.Data[0]
	path := "/live/main/" + one.FixtureID
	match := map[string]string{"teams": "h1.board span", "counters": ".facing li", "halves": "figure:first-of-type .half h3", "curves": ".curves path", "events": ".timeline li", "text": "#momentum-text"}
	read := [][]any{{"see", ".curves path"}} // the archive is read in the background
	pages := browse(t, ready.ConsoleURL,
		browserPage{Path: "/live/main", Shot: "live", Do: [][]any{{"pause", 5000}}, Texts: names},
		browserPage{Path: "/live/main", Shot: "live-phone", Phone: true, Texts: names},
		browserPage{Path: "/live", Dark: true, Shot: "live-dark", Do: [][]any{{"selectOption", "#picker", "second live_intelligence"}, {"pause", 500}}, Texts: map[string]string{"title": "h1"}},
		browserPage{Path: path, Shot: "match", Do: read, Texts: match},
		browserPage{Path: path, Shot: "match-dark", Dark: true, Do: read, Texts: match},
		browserPage{Path: path, Shot: "match-phone", Phone: true, Do: read, Texts: match},
		browserPage{Path: path, Do: [][]any{{"click", ".evidence summary"}, {"pause", 5000}}, Texts: map[string]string{"open": ".evidence[open] code"}},
		browserPage{Path: "/live/main", Do: [][]any{{"click", ".matches a"}, {"see", "h1.board"}}, Texts: match},
		browserPage{Path: path, Shot: "match-then", Do: [][]any{{"press", "form.moment input", "ArrowLeft"}, {"see", "#publication .warn"}}, Texts: map[string]string{"then": "#publication .warn", "teams": "h1.board span"}},
	)
	if then := pages[len(pages)-1].Texts; len(then["then"]) != 1 || !strings.HasPrefix(then["then"][0], "The clock is not now.") || len(then["teams"]) != 2 {
		t.Errorf("the publication before the newest one is shown as %q", then)
	}
	for _, p := range pages[:2] {
		if len(p.Texts["home"]) < len(list.Data) {
			t.Errorf("the page has %d matches, the API %d", len(p.Texts["home"]), len(list.Data))
		}
		for _, m := range list.Data {
			at := slices.Index(p.Texts["home"], m.Home)
			if at < 0 || p.Texts["away"][at] != m.Away {
				t.Errorf("%s - %s is in play and not on the page: %q", m.Home, m.Away, p.Texts["home"])
			}
		}
	}
	if title := pages[2].Texts["title"]; !slices.Equal(title, []string{"Live, second"}) {
		t.Errorf("after a choice of another account the title is %q", title)
	}
	for _, p := range pages[3:6] {
		if teams := p.Texts["teams"]; !slices.Equal(teams, []string{one.Home, one.Away}) {
			t.Errorf("the teams are %q, want %s and %s", teams, one.Home, one.Away)
		}
		if len(p.Texts["counters"]) == 0 || len(p.Texts["events"]) == 0 || len(p.Texts["halves"]) < 2 || len(p.Texts["curves"]) == 0 {
			t.Errorf("%d counters, %d events, halves %q, %d curves", len(p.Texts["counters"]), len(p.Texts["events"]), p.Texts["halves"], len(p.Texts["curves"]))
		}
		if text := fmt.Sprint(p.Texts["text"]); !strings.Contains(text, "Momentum is known for") {
			t.Errorf("the picture says %s", text)
		}
	}
	if open := pages[6].Texts["open"]; !slices.Contains(open, one.FixtureID) {
		t.Errorf("what the reader opened is closed when the page renews itself: %q", open)
	}
	if teams := pages[7].Texts["teams"]; len(teams) != 2 {
		t.Errorf("the first match of the list leads to a page with the teams %q", teams)
	}
}

// The page of a match and that of its fixture lead to each other, and the title of an open page follows the score. What has the
// focus keeps it when the page renews itself.
func TestNodeMatch(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 4})
	pages, err := console.New(console.Options{Now: func() time.Time { return p.now.Add(5 * time.Second) }, Version: version, Data: p.data, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	opened := httptest.NewServer(pages)
	defer opened.Close()
	p.cycle(football.MarketEngine)
	first := p.firstFixture()
	p.kickOff(first)
	match, fixture := "/live/acme/"+first.FixtureID, "/fixtures/acme/"+first.FixtureID
	_, before := mustGet(t, opened.URL+match, "")
	p.now = p.now.Add(8 * time.Second)
	p.play(10 * time.Minute)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "before" && r.Header.Get("Prefer") == "" { // a page that was opened before the goal
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, before)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	defer server.Close()
	prices := map[string]string{"prices": "table.prices th a", "title": "#prices", "curves": ".curves path"}
	shown := [][]any{{"see", ".curves path"}}
	seen := browse(t, server.URL,
		browserPage{Path: match, Shot: "match-prices", Do: shown, Texts: prices},
		browserPage{Path: match, Shot: "match-prices-dark", Dark: true, Phone: true, Do: shown, Texts: prices},
		browserPage{Path: match, Do: [][]any{{"click", "a:has-text('All markets')"}, {"see", ".cards"}}},
		browserPage{Path: fixture, Shot: "fixture-in-play", Do: [][]any{{"click", "a:has-text('The match:')"}, {"see", ".board"}}},
		browserPage{Path: match, Shot: "match-offline", Do: [][]any{{"see", ".curves path"}, {"offline"}, {"see", "[role=alert]"}}, Texts: map[string]string{"said": "[role=alert]"}},
	)
	if said := fmt.Sprint(seen[4].Texts["said"]); !strings.Contains(said, "did not answer") || !strings.HasPrefix(seen[4].Title, "old: ") {
		t.Errorf("without an answer, the page says %s, and its title %q", said, seen[4].Title)
	}
	if len(seen[0].Texts["prices"]) < 2 || len(seen[1].Texts["prices"]) < 2 {
		t.Errorf("the page of the match has the prices of %q", seen[0].Texts["prices"])
	}
	if !strings.HasSuffix(seen[2].URL, fixture) || !strings.HasSuffix(seen[3].URL, match) {
		t.Errorf("the match leads to %s, the fixture to %s", seen[2].URL, seen[3].URL)
	}
	const score = ".board b"
	open := browserPage{Path: match + "?before", Texts: map[string]string{"score": score, "focused": ".evidence summary:focus"}}
	renewed := open
	renewed.Do = [][]any{{"focus", ".evidence summary"}, {"see", score + ":has-text('1')"}}
	for i, p := range browse(t, server.URL, open, renewed) {
		if want := fmt.Sprintf("%d–0 ", i); !strings.HasPrefix(p.Title, want) || !strings.HasSuffix(p.Title, "' "+*first.Home+" – "+*first.Away+" · mkt") || len(p.Texts["focused"]) != i {
			t.Errorf("a page that says %q has the title %q, and the focus on %q", p.Texts["score"], p.Title, p.Texts["focused"])
		}
	}
}

// A star is set with the keyboard, keeps the focus, and keeps its match or league on top: when the page renews itself, after
// a reload, and on the list of fixtures.
func starPages(t *testing.T, ready demo.Ready) {
	list := map[string]string{"matches": ".matches .team.home", "pressed": ".star[aria-pressed=true]", "focused": ".star[aria-pressed=true]:focus", "first": ".matches li:first-child .star"}
	const last = ".matches:first-of-type > li:last-child"
	pages := browse(t, ready.ConsoleURL,
		browserPage{Path: "/live/main", Texts: list},
		browserPage{Path: "/live/main", Shot: "star", Do: [][]any{{"press", last + " > .star", "Enter"}, {"see", ".matches li:first-child > .star[aria-pressed=true]"}, {"pause", 5000}}, Texts: list},
		browserPage{Path: "/live/main", Shot: "star-phone", Phone: true, Dark: true, Do: [][]any{{"press", last + " > .league > .star", "Space"}, {"see", ".matches li:first-child .league > .star[aria-pressed=true]"}, {"reload"}, {"see", ".matches li:first-child .league > .star[aria-pressed=true]"}}, Texts: list},
		browserPage{Path: "/live/main", Do: [][]any{{"press", last + " > .star", "Enter"}, {"see", ".matches li:first-child > .star[aria-pressed=true]"}, {"press", ".matches li:first-child > .star", "Enter"}, {"see", last + " > .star[aria-pressed=false]"}}, Texts: list},
		browserPage{Path: "/fixtures/main", Shot: "star-fixtures", Do: [][]any{{"press", "tbody tr:last-child .star", "Enter"}, {"see", "tbody tr:first-child .star[aria-pressed=true]"},
			{"reload"}, {"see", "tbody tr:first-child .star[aria-pressed=true]"}}, Texts: map[string]string{"pressed": ".star[aria-pressed=true]"}},
		browserPage{Path: "/live/main", Do: [][]any{{"click", last + " a"}, {"press", "p .star", "Enter"}, {"see", "p .star[aria-pressed=true]"}, {"click", "a:has-text('Matches in play')"},
			{"see", ".matches li:first-child > .star[aria-pressed=true]"}}},
	)
	before := pages[0].Texts["matches"]
	for i, p := range pages[1:3] {
		if got := p.Texts["matches"]; len(before) < 2 || got[0] == before[0] || len(p.Texts["pressed"]) == 0 || i == 0 && len(p.Texts["focused"]) != 1 {
			t.Errorf("with a star on the last of %q the list is %q; %d stars are set, %d has the focus", before, got, len(p.Texts["pressed"]), len(p.Texts["focused"]))
		}
	}
	if got := pages[3].Texts; got["matches"][0] != before[0] || len(got["pressed"]) != 0 {
		t.Errorf("after the star was taken back the list is %q, with %d stars", got["matches"], len(got["pressed"]))
	}
}
