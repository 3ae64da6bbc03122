package console_test

import (
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// follow opens a page and its links that match, none of which may lead nowhere. It returns the page and how many they are.
func follow(t *testing.T, c http.Handler, path, pattern string) (page string, links int) {
	t.Helper()
	open := func(path string) (status int, page string) {
		answer := httptest.NewRecorder()
		c.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		return answer.Code, answer.Body.String()
	}
	_, page = open(path)
	for _, link := range regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1) {
		links++
		if status, linked := open(html.UnescapeString(link[1])); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", link[1], status, linked)
		}
	}
	return page, links
}

// Every link of the overview leads somewhere, also those of accounts that have no data.
func TestLinksOfTheOverview(t *testing.T) {
	const credential = `provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}`
	const both = "products: {market_engine: , live_intelligence: }"
	list := "version: 1\ntenants:\n"
	for id, more := range map[string]string{"acme": both, "new": both, "failing": both, "idle": "products: {}", "suspended": both + "\n    status: SUSPENDED", "revoked": both + "\n    status: REVOKED",
		"expired": `products: {market_engine: {expires: "2026-01-01T00:00:00Z"}}`} {
		list += "  - id: " + id + "\n    " + more + "\n    " + credential + "\n    schedule: {market_engine: '@every 30s', live_intelligence: '@every 8s'}\n"
	}
	list += "  - id: unconnected\n    " + both + "\n    schedule: {market_engine: '@every 30s'}\n"
	dir := t.TempDir()
	tenants := filepath.Join(dir, "tenants.yaml")
	check.Must(t, os.WriteFile(tenants, []byte(list), 0o600))
	servetest.NewRoot(t, dir, "acme").PublishSamples(2, 1)
	servetest.NewLiveRoot(t, dir, "acme").Publish(servetest.LiveSamples("acme", 2, 1, servetest.Start))
	failing := servetest.NewRoot(t, dir, "failing")
	failing.Record(health.Run{Step: health.StepFetch, StartedAt: servetest.Start, FinishedAt: servetest.Start, Code: health.CodeUnreachable})
	c, err := console.New(console.Options{Now: func() time.Time { return servetest.Start.Add(time.Hour) }, Version: "test", Data: dir, Tenants: tenants, Log: slog.New(slog.DiscardHandler),
		Doctor: func(context.Context) doctor.Report { return doctor.Report{} }})
	check.Must(t, err)
	page, links := follow(t, c, "/", `href="(/[^"]*)"`)
	for _, id := range []string{"acme", "new", "failing", "idle", "suspended", "revoked", "expired", "unconnected"} {
		if !strings.Contains(page, "<strong>"+id+"</strong>") {
			t.Errorf("there is no %s in %.2000s", id, page)
		}
	}
	if !strings.Contains(page, "every 30 s</a>") || !strings.Contains(page, `href="/cycles/acme/live_intelligence"`) || links < 30 {
		t.Errorf("%d links: %s", links, page)
	}
}

// The overview says beside an account what its provider changed in its answers.
func TestOverviewOfAChangedPayload(t *testing.T) {
	dir := t.TempDir()
	tenants := filepath.Join(dir, "tenants.yaml")
	check.Must(t, os.WriteFile(tenants, []byte(acmeAccount), 0o600))
	root, err := durable.OpenUnsynced(filepath.Join(dir, filepath.FromSlash(layout.TenantProduct("acme", string(football.MarketEngine)))))
	check.Must(t, err)
	defer root.Close()
	c, err := console.New(console.Options{Now: time.Now, Version: "test", Data: dir, Tenants: tenants, Log: slog.New(slog.DiscardHandler),
		Doctor: func(context.Context) doctor.Report { return doctor.Report{} }})
	check.Must(t, err)
	pages := httptest.NewServer(c)
	defer pages.Close()
	overview := func() string {
		answer, err := http.Get(pages.URL)
		check.Must(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		check.Must(t, err)
		return html.UnescapeString(string(text))
	}
	const changed = "the provider changed its answers"
	if strings.Contains(overview(), changed) {
		t.Error("a provider that changed nothing is said to have")
	}
	check.Must(t, health.OverwriteState(root, "state/payload.json", []byte(`{"format": 1, "source": {"provider": "betsapi"}, "changes": [
		{"kind": "market_gone", "name": "goals", "title": "Goals <b>", "since": "2026-11-29T14:00:00Z", "has": 99, "of": 100}], "lost_markets": 408, "lost_fixtures": 25}`)))
	page := overview()
	for _, want := range []string{changed, `since 29 Nov 14:00 UTC no fixture has the market "Goals <b>"`, "about 408 markets of 25 fixtures"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
