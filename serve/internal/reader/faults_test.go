package reader_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/layout"
	"mkt/serve/internal/reader"
)

// A persistent fault does not fill the log: it is logged once, then once a minute, and
// at once if it occurs again.
func TestPersistentFaultsAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), servetest.Start
	var log bytes.Buffer
	l := open(t, dir, func(o *reader.Options) {
		o.Now, o.Log = func() time.Time { return at }, slog.New(slog.NewTextHandler(&log, nil))
	})
	tenant := filepath.Join(dir, layout.Tenant("acme"))
	look := func(want int) {
		t.Helper()
		for range 5 {
			l.Tenant("acme").Connection().Refresh(t.Context())
		}
		if got := strings.Count(log.String(), "level=WARN"); got != want {
			t.Fatalf("logged %d times, want %d:\n%s", got, want, &log)
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
	root := servetest.NewRoot(t, dir, "acme")
	must(t, os.WriteFile(filepath.Join(root.Dir, layout.StateDir), nil, 0o600)) // no folder either
	for range 5 {
		refresh(l)
	}
	if got := strings.Count(log.String(), "read the state of fetch"); got != 1 {
		t.Errorf("a state file that cannot be read was logged %d times:\n%s", got, &log)
	}
}
