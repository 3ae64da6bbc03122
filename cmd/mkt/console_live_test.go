package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/internal/console"
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
