package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli/demo"
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
		browserPage{Path: "/live", Dark: true, Shot: "live-dark", Do: [][]any{{"selectOption", "#picker", "second"}, {"pause", 500}}, Texts: map[string]string{"title": "h1"}},
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
