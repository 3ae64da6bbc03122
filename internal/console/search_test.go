package console_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
)

// The length of a search is counted in letters, as the field counts it: those of most scripts are several bytes.
func TestLengthOfASearch(t *testing.T) {
	dir := t.TempDir()
	c, err := console.New(console.Options{Now: time.Now, Data: dir, Tenants: filepath.Join(dir, "tenants.yaml"), Log: slog.New(slog.DiscardHandler),
		Doctor: func(context.Context) doctor.Report { return doctor.Report{} }})
	check.Must(t, err)
	pages := httptest.NewServer(c)
	defer pages.Close()
	for length, want := range map[int]int{200: http.StatusOK, 201: http.StatusBadRequest} {
		answer, err := http.Get(pages.URL + "/search?q=" + url.QueryEscape(strings.Repeat("ه", length)))
		check.Must(t, err)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%d letters: status %d", length, answer.StatusCode)
		}
	}
}
