package storetest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// C12: the prefix is emptied while a worker has everything on its disk. Each
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
