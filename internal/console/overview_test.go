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
	"strings"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

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
