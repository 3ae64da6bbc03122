package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli/batch"
)

// canary is a credential that every encoding spells differently.
const canary = `71234-Qz/w+K7&v=p "<é>Rr0D`

// TestCanary runs the whole system with a recognizable credential and token, against a working
// provider, one with every fault of the simulator, one with every known echo of the credential, and
// none. Then it searches all files, output, logs and answers, and the arguments and environments of
// all processes.
func TestCanary(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	watching := watchProcesses(h.dir)

	h.run("", "init", ".")
	good := httptest.NewServer(newSimulator(t, canary))
	t.Cleanup(good.Close)
	token := h.addTenant("acme")
	h.connect("acme", good.URL)
	h.unlimited("acme")
	h.run("", "provider", "test", "acme")
	h.run("", "cycle", "--tenant", "acme")
	serving := h.serve("text")
	h.askEverything(serving, token)

	h.everyFailure(good.URL)
	h.wrongByHand(good.URL)
	h.askEverything(serving, token)
	h.end(serving)
	serving = h.serve("json")
	h.askEverything(serving, token)
	h.schedule()
	h.end(serving)
	h.lookAround()

	seen, commands := watching.all()
	h.searchAll(token, seen)
	for _, command := range []string{"init", "tenant", "provider", "fetch", "cycle", "serve", "schedule", batch.CheckCommand} {
		if commands[command] == 0 {
			t.Errorf("no process of mkt %s was seen: %v", command, commands)
		}
	}
}

func (h *installation) searchAll(token string, processes map[string][]byte) {
	h.t.Helper()
	seal, err := os.ReadFile(filepath.Join(h.dir, "seal.key"))
	h.must(err)
	id, err := os.ReadFile(filepath.Join(h.dir, "id.key"))
	h.must(err)
	lines := strings.Fields(strings.TrimSpace(string(seal)))
	secrets := []secret{newSecret("the credential", canary), newSecret("the token", token), newSecret("the sealing key", lines[len(lines)-1]), newSecret("the id key", string(id))}
	kinds := map[string]int{}
	searchFolder(h.t, h.dir, secrets, map[string]string{"seal.key": "the sealing key", "id.key": "the id key"}, kinds)
	for where, text := range h.heard {
		search(h.t, where, text, secrets, kinds)
	}
	for process, text := range processes {
		search(h.t, "process "+process, text, secrets, kinds)
	}
	// Proves that the search really looked at these.
	for kind, least := range map[string]int{"file": 150, "zstd": 20, "parquet": 5, "gzip": 30} {
		if kinds[kind] < least {
			h.t.Errorf("%d things of kind %s were searched, want %d: %v", kinds[kind], kind, least, kinds)
		}
	}
	var log bytes.Buffer
	for where, text := range h.heard {
		if strings.Contains(where, "stderr") || strings.Contains(where, "log of") {
			log.Write(text)
		}
	}
	for _, said := range []string{"AUTHORIZE_FAILED", "PERMISSION_DENIED", "provider unreachable", "quota is used up", "CREDENTIAL_ECHOED", "certificate", "not a public one", "interrupted"} {
		if !strings.Contains(log.String(), said) {
			h.t.Errorf("nobody said %q: that failure did not happen", said)
		}
	}
	h.t.Logf("searched %v, %d things heard, %d processes", kinds, len(h.heard), len(processes))
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
