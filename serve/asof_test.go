package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/health"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/asof"
	"mkt/serve/replay"
)

func askedThen(w *world) []string {
	paths := []string{"/fixtures", "/fixtures?limit=2", "/changes", "/changes?limit=3", "/live", "/live?limit=2", "/account", "/account/provider", "/schema", "/status"}
	for n := range 4 {
		f := "/fixtures/" + servetest.FixtureID("acme", n)
		l := "/live/" + servetest.FixtureID("acme", n)
		paths = append(paths, f, f+"/markets", f+"/markets/MATCH_RESULT", l, l+"/timeline", l+"/momentum", l+"/stats")
	}
	for _, collection := range []string{"/fixtures?limit=2", "/changes?limit=3", "/live?limit=2"} {
		if next := w.get(collection, "acme").page(w.t).Pagination.NextCursor; next != nil {
			paths = append(paths, collection+"&cursor="+*next)
		}
	}
	return paths
}

func (w *world) record(paths []string) map[string]string {
	w.t.Helper()
	bodies := map[string]string{}
	for _, p := range paths {
		r := w.get(p, "acme", "X-Request-Id", "the-same")
		bodies[p] = fmt.Sprint(r.status, " ", r.body)
	}
	return bodies
}

// TestAsOf: the answers of a running server at two times are given again, byte for byte,
// whatever was published and failed since.
func TestAsOf(t *testing.T) {
	t.Parallel()
	w, r := recorded(t)
	refused := w.now().Add(time.Hour)
	w.root("acme").Record(health.Run{Step: "fetch", Cycle: "b", OK: true, FinishedAt: w.now(), CredentialFingerprint: fingerprint})
	w.root("acme").Record(health.Run{Step: "fetch", Cycle: "c", Code: "CREDENTIAL_REJECTED", FinishedAt: refused, CredentialFingerprint: fingerprint})
	w.add("acme", func(a *account.Account) {
		for p := range a.Subscriptions {
			a.Subscriptions[p] = account.Subscription{Expires: &refused}
		}
	})
	counted := usage(t, w.dataDir)
	for _, at := range []time.Time{r.times[1], r.times[len(r.times)-2]} {
		then := w.startAsOf(at)
		r.compare(t, then, at)
		r.compare(t, then, at) // the clock stands
		must(t, then.stop())
	}
	if after := usage(t, w.dataDir); after != counted {
		t.Errorf("requests to the past were counted: %s, before %s", after, counted)
	}
}

func usage(t *testing.T, dataDir string) (all string) {
	must(t, fs.WalkDir(os.DirFS(filepath.Join(dataDir, "usage")), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, err := os.ReadFile(filepath.Join(dataDir, "usage", name))
			all += name + string(data)
			return err
		}
		return err
	}))
	return all
}

func (w *world) startAsOf(at time.Time) *world {
	w.t.Helper()
	return w.replayed(asof.Standing(at), replay.Options{})
}

// TestAsOfLimits: the past is not served to the network; before the first publication
// there is no data; and if retention has removed a snapshot, no older one is shown instead.
func TestAsOfLimits(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 3)
	w.publish("acme", 6, 3, 2)
	err := serve.Run(context.Background(), serve.Options{Listen: "0.0.0.0:0", DataDir: w.dataDir, CacheDir: t.TempDir(), Accounts: w.registry, Clock: asof.Standing(begin)})
	if !errors.Is(err, serve.ErrNotLoopback) {
		t.Errorf("on every address: %v", err)
	}
	before := w.startAsOf(servetest.Start.Add(-time.Minute))
	if r := before.get("/fixtures", "acme"); r.status == 200 {
		t.Errorf("before the first publication: %d %s", r.status, r.body)
	}
	must(t, before.stop())
	must(t, os.RemoveAll(w.root("acme").Path("")))
	gone := w.startAsOf(servetest.Start.Add(90 * time.Minute))
	if r := gone.get("/fixtures", "acme"); r.code() != "DATA_NOT_READY" {
		t.Errorf("a deleted snapshot: %d %s", r.status, r.body)
	}
	must(t, gone.stop())
}
