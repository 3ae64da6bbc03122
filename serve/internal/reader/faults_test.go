package reader_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/servetest"
)

// A persistent fault does not fill the log: it is logged once, then once a minute, and
// at once if it occurs anew.
func TestPersistentFaultsAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), servetest.Start
	var log bytes.Buffer
	l, err := reader.Open(reader.Options{DataDir: dir, CacheDir: t.TempDir(), Clients: func() []string { return []string{"acme"} },
		Products: []football.Product{football.MarketEngine}, Now: func() time.Time { return at }, Log: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	tenant := filepath.Join(dir, layout.Tenant("acme"))
	look := func(told int) {
		t.Helper()
		for range 5 {
			l.Tenant("acme").Connection().Refresh(t.Context())
		}
		if got := strings.Count(log.String(), "level=WARN"); got != told {
			t.Fatalf("logged %d times, want %d:\n%s", got, told, &log)
		}
	}
	must(t, os.WriteFile(tenant, nil, 0o600)) // it should be a folder
	look(1)
	at = at.Add(time.Minute - time.Millisecond)
	look(1)
	at = at.Add(time.Millisecond)
	look(2)
	must(t, os.Remove(tenant))
	look(2)
	must(t, os.WriteFile(tenant, nil, 0o600))
	look(3)

	must(t, os.Remove(tenant))
	servetest.NewRoot(t, dir, "acme")
	must(t, os.WriteFile(filepath.Join(dir, layout.TenantProduct("acme", string(football.MarketEngine)), layout.StateDir), nil, 0o600)) // no folder either
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	for range 5 {
		d.Refresh(t.Context())
	}
	if got := strings.Count(log.String(), "read the state of fetch"); got != 1 {
		t.Errorf("a state file that cannot be read was logged %d times:\n%s", got, &log)
	}
}
