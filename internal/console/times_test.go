package console_test

import (
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
)

// A time can be typed in words. The field then has the exact time, which means the same again.
func TestTimesInFields(t *testing.T) {
	dir := t.TempDir()
	servetest.NewRoot(t, dir, "acme").PublishNext(2, 2)
	c, err := console.New(console.Options{Now: func() time.Time { return servetest.Start.Add(24 * time.Hour) }, Data: dir, Tenants: filepath.Join(dir, "tenants.yaml"), Log: slog.New(slog.DiscardHandler)})
	check.Must(t, err)
	fixture := servetest.FixtureID("acme", 0)
	field := regexp.MustCompile(`\(UTC\) <input name="from" value="([^"]*)"`)
	for _, path := range []string{"/fixtures/acme", "/fixtures/acme/" + fixture + "/" + servetest.ID("mk_", fixture, "/", 0)} {
		typed := "yesterday 18:00"
		for range 2 {
			answer := httptest.NewRecorder()
			c.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost"+path+"?from="+url.QueryEscape(typed), nil))
			value := field.FindStringSubmatch(answer.Body.String())
			if answer.Code != http.StatusOK || value == nil || value[1] != "2026-11-20 18:00:00" {
				t.Fatalf("%s: status %d, %q: %s", path, answer.Code, value, answer.Body)
			}
			typed = html.UnescapeString(value[1])
		}
	}
}
