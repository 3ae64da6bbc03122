package console_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/testing/check"
)

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
