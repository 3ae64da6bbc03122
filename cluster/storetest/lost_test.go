package storetest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/snapshot"
	"mkt/publish/store"
)

// dataset is the folder of the account's market engine in the store.
func datasetIn(prefix string) string {
	return gateway.File(prefix + "/client_id=acme/product=market_engine")
}

// vanish deletes the objects of a prefix that a pattern matches.
func vanish(t testing.TB, dir string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		must(t, err)
		for _, name := range names {
			must(t, os.RemoveAll(name))
		}
	}
}

func engineCycle(number int) cycle {
	return cycle{product: football.MarketEngine, number: number, refreshed: upTo(2 + number%3)}
}

// C12: the objects of an account vanish. Nothing is published onto what is left, nobody begins
// a second history, a reader or a restore does not take it for an account without data, and a
// disk that has everything makes the store whole again.
func TestStoreThatLostItsPast(t *testing.T) {
	t.Parallel()
	const published = 6
	for name, lost := range map[string]struct {
		objects []string
		// goesOn: the newest publication is whole, so that a reader needs nothing else.
		goesOn bool
	}{
		"emptied, but for the state files of the next run": {objects: []string{"commits", "packs", "changes", "COLLECTED"}},
		"only the commit records":                          {objects: []string{"commits"}},
		"the oldest commit records":                        {objects: []string{"commits/*[1-3].json"}},
		"the newest commit records":                        {objects: []string{"commits/*[5-6].json"}},
		"the middle":                                       {objects: []string{"commits/*[3-4].json", "packs/*[3-4]-*"}, goesOn: true},
		"all but the newest commit record":                 {objects: []string{"commits/*[1-5].json", "packs/*[1-5]-*"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := "lost " + name
			dir := datasetIn(prefix)
			url := gateway.URL(prefix)
			w := newWorker(t, "worker", url, football.MarketEngine)
			for n := 1; n <= published; n++ {
				must(t, w.work(t.Context(), engineCycle(n)))
			}
			must(t, health.Record(w.f, health.Run{Step: "publish", OK: true, FinishedAt: start}))
			must(t, w.d.ShipStates(t.Context(), w.f, w.f))
			was := names(t, dir)
			vanish(t, dir, lost.objects...)

			// The process that published it goes on at once, and so does a new one with its disk.
			again := *w
			again.d = openStore(t, url).Dataset(account, football.MarketEngine)
			for _, w := range []*worker{w, &again} {
				err := w.work(t.Context(), engineCycle(published+1))
				_, there := os.Stat(filepath.Join(dir, fmt.Sprintf("commits/%020d.json", published+1)))
				_, before := os.Stat(filepath.Join(dir, fmt.Sprintf("commits/%020d.json", published)))
				if lost.goesOn {
					break
				}
				if before != nil && (there == nil || !errors.Is(err, snapshot.ErrStoreLacks)) {
					t.Errorf("a publication onto a store that lost the one before: %v", err)
				}
			}
			if err := again.work(t.Context(), engineCycle(published+2)); !lost.goesOn && (!errors.Is(err, snapshot.ErrStoreLacks) || !strings.Contains(err.Error(), "mkt push --repair")) {
				t.Errorf("a worker that begins now: %v", err)
			}
			if lost.goesOn {
				_, err := again.d.Sync(t.Context(), again.f)
				must(t, err)
			}

			empty := newWorker(t, "empty", url, football.MarketEngine)
			if _, err := empty.d.Sync(t.Context(), empty.f); !lost.goesOn && !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a worker with an empty disk: %v", err)
			}
			if _, err := empty.d.Follow(t.Context(), durabletest.NewMem()); !lost.goesOn && !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a replica: %v", err)
			}
			if done, err := empty.d.Pull(t.Context(), durabletest.NewMem(), store.PullOptions{}); !errors.Is(err, snapshot.ErrStoreLacks) {
				t.Errorf("a restore copies %+v: %v", done, err)
			}

			done, err := again.d.Repair(t.Context(), again.f, store.PushOptions{})
			must(t, err)
			_, err = again.d.Push(t.Context(), again.f, store.PushOptions{})
			must(t, err)
			for object, size := range was {
				info, err := os.Stat(filepath.Join(dir, object))
				if err != nil || info.Size() != size && object != "state.tar" {
					t.Errorf("%s is not as it was: %v", object, err)
				}
			}
			restored := durabletest.NewMem()
			if pulled, err := empty.d.Pull(t.Context(), restored, store.PullOptions{}); err != nil || pulled.First != 1 || pulled.Packs < published {
				t.Errorf("after a repair of %+v, a restore has %+v: %v", done, pulled, err)
			}
			v, err := look(restored)
			must(t, err)
			must(t, follows(restored, v.commit))
			must(t, again.work(t.Context(), engineCycle(published+5)))
		})
	}
}

// names lists the objects of a folder with their sizes.
func names(t testing.TB, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		name, _ := filepath.Rel(dir, path)
		if err == nil {
			all[name] = info.Size()
		}
		return err
	}))
	return all
}

// The bucket of another installation was restored: a worker publishes nothing there, whatever
// its process has seen before.
func TestWrongBucketRestored(t *testing.T) {
	t.Parallel()
	w := newWorker(t, "worker", gateway.URL("right bucket"), football.MarketEngine)
	other := newWorker(t, "other", gateway.URL("wrong bucket"), football.MarketEngine)
	for n := 1; n <= 4; n++ {
		must(t, w.work(t.Context(), engineCycle(n)))
		must(t, other.work(t.Context(), engineCycle(n)))
	}
	must(t, os.RemoveAll(datasetIn("right bucket")))
	must(t, os.CopyFS(datasetIn("right bucket"), os.DirFS(datasetIn("wrong bucket"))))
	was := names(t, datasetIn("right bucket"))
	for range 2 {
		if err := w.work(t.Context(), engineCycle(5)); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("a publication onto another history: %v", err)
		}
	}
	if _, err := w.d.Repair(t.Context(), w.f, store.PushOptions{}); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a repair onto another history: %v", err)
	}
	for name := range names(t, datasetIn("right bucket")) {
		if _, there := was[name]; !there && name != "state.tar" {
			t.Errorf("%s was written", name)
		}
	}
}

// C12 with the real binary: the prefix is emptied while a worker has everything on its disk. Each
// command says so, a replica is not ready, and mkt push --repair makes the store whole.
func TestEmptiedPrefix(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	const prefix = "emptied prefix"
	at := []string{"--store", gateway.URL(prefix)}
	cycle := append([]string{"cycle", "--tenant", account, "--product", "market_engine"}, at...)
	for range 3 {
		i.run(cycle...)
	}
	must(t, os.RemoveAll(gateway.File(prefix)))
	must(t, os.MkdirAll(gateway.File(prefix), 0o755))

	says := func(words string, code int, args ...string) {
		t.Helper()
		if out, got := i.try(append(args, at...)...); got != code || !strings.Contains(out, words) {
			t.Errorf("mkt %s: exit code %d, want %d with %q: %s", strings.Join(args, " "), got, code, words, out)
		}
	}
	says("mkt push --repair", 1, cycle[:5]...)
	i.state("market_engine", "STORE_LACKS")
	says("STORE_LACKS", 1, "doctor")
	says("STORE_LACKS", 1, "pull", "--all", "--data", "restored")
	says("STORE_LACKS", 1, append(cycle[:5:5], "--data", "another")...) // a worker that takes the account over
	if out, code := i.try("verify", "--all", "--data", "restored"); code != 1 || !strings.Contains(out, "no publication") && !strings.Contains(out, "no data") {
		t.Errorf("mkt verify of nothing: exit code %d: %s", code, out)
	}

	if answer := i.readyz("replica-lost", at, http.StatusServiceUnavailable); !strings.Contains(answer, "no data") {
		t.Errorf("a replica without data: %q", answer)
	}

	says("stored", 0, "push", "--repair", "--all")
	i.run(append([]string{"pull", "--all", "--data", "restored"}, at...)...)
	i.run("verify", "--all", "--data", "restored")
	i.run(cycle...)
	if answer := i.readyz("replica-whole", at, http.StatusOK); !strings.Contains(answer, "ready") {
		t.Errorf("a replica of the repaired store: %q", answer)
	}
}

// readyz starts a replica with an empty disk, waits until /readyz has a status, and returns its text.
func (i *installation) readyz(name string, at []string, want int) string {
	i.t.Helper()
	var ready struct {
		AdminURL string `json:"admin_url"`
	}
	i.start(&ready, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", filepath.Join(i.dir, name), "--store-poll", "1s", "--poll", "50ms"}, at...)...)
	text := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get(ready.AdminURL + "/readyz")
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if text = string(body); answer.StatusCode == want {
			return text
		}
	}
	i.t.Errorf("/readyz never has status %d: %s", want, text)
	return text
}

// A new account has no publication: workers begin its history, and replicas that serve others
// stay ready.
func TestNewAccountIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorker(t, "worker", gateway.URL("new account"), football.MarketEngine)
	must(t, health.Record(w.f, health.Run{Step: "publish", OK: false, Code: health.CodeStorage, FinishedAt: start}))
	must(t, w.d.ShipStates(t.Context(), w.f, w.f)) // its first runs failed
	if head, err := w.d.Sync(t.Context(), w.f); err != nil || head.Version != 0 {
		t.Errorf("a new account: version %d, %v", head.Version, err)
	}
	must(t, w.work(t.Context(), engineCycle(1)))
}
