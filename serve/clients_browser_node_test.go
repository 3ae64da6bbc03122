package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/table"
	"mkt/serve/account"
)

type browserPage struct {
	Path  string            `json:"path"`
	Phone bool              `json:"phone,omitempty"`
	Shot  string            `json:"shot,omitempty"`
	Do    [][]any           `json:"do"`
	Texts map[string]string `json:"texts"`
}

// The page of examples/clients runs as it is, from another origin than the service. It shows
// the answers of the API and follows the socket, or polls where websockets do not pass.
func TestNodeBrowserClient(t *testing.T) {
	needs.Browser(t)
	w := newWorld(t, "acme")
	root := w.root("acme")
	samples := func(n int) []servetest.Fixture {
		list := servetest.Samples("acme", n, 1, 1)
		priced(&list[0], "1.90", "12.00", "2")
		priced(&list[1], "1.50", "3.333", "")
		list[2].Row.Home = new("<b>Home</b>")
		return list
	}
	list := samples(230)
	root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	w.fetched("acme")
	w.publishLive("acme", 3)
	w.start()
	pages := httptest.NewServer(http.FileServer(http.Dir("../examples/clients/browser")))
	defer pages.Close()
	connect := func(token string) [][]any {
		return [][]any{{"fill", "#base", w.url}, {"fill", "#token", token}, {"click", "#form button"}}
	}
	rows := map[string]string{"state": "#state", "count": "#count", "rows": "#rows tr", "cells": "#rows tr:nth-child(-n+3) > *"}

	t.Run("forbidden", func(t *testing.T) {
		seen := browse(t, pages.URL, w.url, browserPage{Path: "/", Do: append(connect(w.token("acme")), []any{"see", "text=ORIGIN_NOT_ALLOWED"}), Texts: rows})
		if want := fmt.Sprintf("ORIGIN_NOT_ALLOWED: pages of %s may not read this account. Ask your operator to allow this origin.", pages.URL); !slices.Equal(seen["state"], []string{want}) || len(seen["rows"]) > 0 {
			t.Errorf("%q", seen)
		}
	})
	w.add("acme", func(a *account.Account) { a.Origins = append(a.Origins, pages.URL) })
	t.Run("unknown token", func(t *testing.T) {
		seen := browse(t, pages.URL, w.url, browserPage{Path: "/", Do: append(connect("mkt_unknown"), []any{"see", "text=INVALID_API_TOKEN"}), Texts: rows})
		if len(seen["rows"]) > 0 {
			t.Errorf("%q", seen)
		}
	})
	t.Run("allowed", func(t *testing.T) {
		published := make(chan bool)
		go func() { // while the page is connected
			defer close(published)
			eventually(t, "the page follows", func() bool { return w.metric(`mkt_socket_subscriptions{channel="live"}`) > 0 })
			list := samples(228)
			priced(&list[0], "1.90", "11.00", "2.10")
			list = append(list, servetest.Sample("acme", 230, 3, 1))
			events := servetest.Updates(list)
			events[0].ContentDigest = new(strings.Repeat("1", 64))
			for n := 228; n < 230; n++ {
				events = append(events, table.EventRow{Type: "fixture_removed", FixtureID: servetest.FixtureID("acme", n), ProviderFixtureID: "1"})
			}
			root.Publish(servetest.Content{Fixtures: list, Events: events})
		}()
		seen := browse(t, pages.URL, w.url, browserPage{Path: "/", Shot: "client", Do: append(connect(w.token("acme")),
			[]any{"see", "text=following changes and matches in play on the socket"}, []any{"see", "text=position 461"}, []any{"click", "#more"}, []any{"see", "#rows tr:nth-child(40)"}), Texts: rows})
		<-published
		if want := "229 fixtures, 229 with markets, 3 in play; position 461"; !slices.Equal(seen["count"], []string{want}) || len(seen["rows"]) != 40 {
			t.Errorf("%d rows, %q", len(seen["rows"]), seen["count"])
		}
		if len(seen["cells"]) != 3*7 {
			t.Fatalf("%q", seen["cells"])
		}
		at := func(n string) string { return servetest.Start.Format("2006-01-02 ") + n + " UTC" }
		want := []string{
			at("09:00"), "Home 0 v1 v Away 0 v1", seen["cells"][2], "1", "1.90", "11.00", "2.10",
			at("10:00"), "Home 1 v1 v Away 1 v1", seen["cells"][9], "1", "1.50", "3.333", "–",
			at("11:00"), "<b>Home</b> v Away 2 v1", seen["cells"][16], "1", "–", "–", "–",
		}
		if !slices.Equal(seen["cells"], want) {
			t.Errorf("got\n%q\nwant\n%q", seen["cells"], want)
		}
	})
}

// browse opens a page, which may ask the service too, and returns its texts. It fails the test
// if there is an error in the browser's console, or axe finds one.
func browse(t *testing.T, base, service string, page browserPage) map[string][]string {
	t.Helper()
	modules, program := needs.Browser(t)
	dir := t.TempDir()
	must(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	script, err := os.ReadFile("../testdata/node/pages.mjs")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "pages.mjs"), script, 0o600))
	job, err := json.Marshal(map[string]any{"base": base, "also": []string{service}, "pages": []browserPage{page}, "shots": os.Getenv("SHOTS")})
	must(t, err)
	cmd := exec.CommandContext(t.Context(), "node", "pages.mjs")
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Env = dir, bytes.NewReader(job), &errs, append(os.Environ(), "BROWSER="+program)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the browser: %v\n%s", err, errs.String())
	}
	var seen struct {
		Errors []string
		Wider  bool
		Texts  map[string][]string
	}
	must(t, json.Unmarshal(out, &seen))
	if len(seen.Errors) > 0 || seen.Wider {
		t.Errorf("errors %q, scrolls sideways: %t", seen.Errors, seen.Wider)
	}
	return seen.Texts
}
