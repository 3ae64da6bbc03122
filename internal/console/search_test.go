package console_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/serve/requests"
)

// Every link beside a request leads somewhere, also if the publication that answered is not kept any more: then its
// line says so.
func TestLinksOfRequests(t *testing.T) {
	dir := t.TempDir()
	tenants, asked := filepath.Join(dir, "tenants.yaml"), filepath.Join(dir, requests.Folder)
	check.Must(t, os.WriteFile(tenants, []byte(acmeAccount), 0o600))
	disk, err := durable.OpenUnsynced(asked)
	check.Must(t, err)
	defer disk.Close()
	log := requests.New(requests.Options{Disk: disk, Name: func() (string, error) { return "web", nil }, Known: func(string) bool { return true }, Now: time.Now})
	markets, live := servetest.NewRoot(t, dir, "acme"), servetest.NewLiveRoot(t, dir, "acme")
	for version := uint64(1); version <= 2; version++ {
		markets.PublishNext(2, 1)
		matches := servetest.LiveSamples("acme", 2, 1, servetest.Start.Add(time.Duration(version)*time.Minute))
		live.Publish(matches)
		log.Add("acme", requests.Record{At: servetest.Start, ID: "m", Route: "/fixtures/{id}", Fixture: servetest.FixtureID("acme", 0), Product: "market_engine", Version: version, Status: 200})
		log.Add("acme", requests.Record{At: servetest.Start, ID: "l", Route: "/live/{id}", Fixture: matches[0].Row.FixtureID, Product: "live_intelligence", Version: version, Status: 200})
		if version == 1 {
			check.Must(t, errors.Join(os.RemoveAll(markets.Path("")), os.RemoveAll(live.Path(""))))
		}
	}
	log.Flush()
	c, err := console.New(console.Options{Now: time.Now, Data: dir, Tenants: tenants, Requests: asked, Log: slog.New(slog.DiscardHandler)})
	check.Must(t, err)
	page, links := follow(t, c, "/requests/acme", `href="(/(?:live|fixtures|cycles|explain/acme/market_engine)/[^"]*)"`)
	if links != 7 || strings.Count(page, "not kept") != 2 {
		t.Errorf("%d links: %s", links, page)
	}
}

// What was searched for stays in the field, as text.
func TestSearchStaysInItsField(t *testing.T) {
	dir := t.TempDir()
	c, err := console.New(console.Options{Now: time.Now, Data: dir, Tenants: filepath.Join(dir, "tenants.yaml"), Log: slog.New(slog.DiscardHandler)})
	check.Must(t, err)
	pages := httptest.NewServer(c)
	defer pages.Close()
	answer, err := http.Get(pages.URL + "/search?q=" + url.QueryEscape(`no "team"`))
	check.Must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check.Must(t, err)
	if answer.StatusCode != http.StatusOK || !strings.Contains(string(text), `value="no &#34;team&#34;"`) {
		t.Errorf("status %d: %s", answer.StatusCode, text)
	}
}
