package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/publish/layout"
)

// If the newest publication cannot be opened, the one before is served, the health shows it with
// a code that /schema lists, and the next publication ends it.
func TestQuarantineShowsInHealth(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 1)
	w.fetched("acme")
	w.root("acme").PublishNext(4, 1)
	manifest := w.root("acme").Path(layout.ManifestFile)
	must(t, os.Rename(manifest, filepath.Join(w.dataDir, "manifest.json")))
	must(t, os.Symlink(filepath.Join(w.dataDir, "manifest.json"), manifest))
	w.start()
	w.setClock(begin.Add(2 * time.Hour))
	if p := w.get("/fixtures", "acme").page(t); len(p.Data) != 3 || !p.Meta.IndexStale {
		t.Errorf("%d fixtures are served, want the 3 of the publication before; %+v", len(p.Data), p.Meta)
	}
	if part, whole := w.healthOf("market_engine", "acme"); part != "DEGRADED SNAPSHOT_QUARANTINED" || whole != "DEGRADED" {
		t.Errorf("health %s, %s", part, whole)
	}
	if !strings.Contains(w.get("/schema", "acme").body, `"SNAPSHOT_QUARANTINED"`) {
		t.Error("/schema does not list the code")
	}
	w.root("acme").PublishNext(5, 1)
	eventually(t, "the next publication is served", func() bool { return len(w.get("/fixtures", "acme").page(t).Data) == 5 })
	if part, _ := w.healthOf("market_engine", "acme"); part != "HEALTHY " {
		t.Errorf("health %s after the next publication", part)
	}
}

// An invalid state file does not make intact data unavailable: without it, it is unknown
// whether the provider accepted the credential.
func TestLostStateFileRefusesNoData(t *testing.T) {
	t.Parallel()
	for kind, put := range map[string]func(string) error{
		"link":     func(path string) error { return os.Symlink("/nowhere", path) },
		"folder":   func(path string) error { return os.Mkdir(path, 0o755) },
		"no state": func(path string) error { return os.WriteFile(path, []byte("{"), 0o644) },
	} {
		t.Run(kind, func(t *testing.T) {
			w := published(t, 3, 1)
			w.fetched("acme")
			state := filepath.Join(w.root("acme").Dir, layout.StateDir, "fetch.json")
			must(t, os.Remove(state))
			must(t, put(state))
			w.start()
			if r := w.get("/fixtures", "acme"); r.status != 200 {
				t.Errorf("%d %s", r.status, r.body)
			}
			if part, _ := w.healthOf("provider_connection", "acme"); part != "DEGRADED DEGRADED" {
				t.Errorf("connection %s", part)
			}
		})
	}
}
