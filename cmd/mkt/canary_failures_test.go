package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// quickFailures has one of each kind, for short mode.
var quickFailures = []string{"fault 429-body:1", "fault credential:1", "fault html:1", "fault nested:1", "fault permission:1", "fault slow:1",
	"mirror bad header", "mirror good answer", "mirror headers", "mirror of markets field", "mirror packed", "mirror packed, not said", "mirror packed twice", "mirror spellings",
	"nobody there", "not allowed", "not trusted"}

// everyFailure runs a tenant against each faulty provider.
func (h *installation) everyFailure(good string) {
	providers := map[string]string{}
	for _, kind := range append(simulator.FaultKinds(), "credential@markets", "permission@markets", "wrong@markets", "429-body@markets") {
		kind, class, aimed := strings.Cut(string(kind), "@")
		fault := kind + ":1"
		if aimed {
			fault += "@" + class
		}
		server := httptest.NewServer(newSimulator(h.t, canary, fault))
		h.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		providers["fault "+fault] = server.URL
	}
	for kind := range mirrors {
		providers["mirror "+kind] = newMirror(h.t, kind, canary, false)
	}
	for _, kind := range []string{"good answer", "field", "spellings", "headers of a good answer"} {
		providers["mirror of markets "+kind] = newMirror(h.t, kind, canary, true)
	}
	secure := httptest.NewUnstartedServer(newSimulator(h.t, canary))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	secure.StartTLS()
	h.t.Cleanup(secure.Close)
	providers["not trusted"] = secure.URL
	providers["no TLS"] = strings.Replace(good, "http:", "https:", 1)
	providers["nobody there"] = "http://" + freeAddress(h.t)
	providers["no such host"] = "https://nobody.invalid"
	providers["not allowed"] = "https://169.254.169.254"

	var at errgroup.Group
	at.SetLimit(16) // most of the time they wait
	for i, name := range sortedKeys(providers) {
		if testing.Short() && !slices.Contains(quickFailures, name) {
			continue
		}
		at.Go(func() error {
			h.failure(fmt.Sprintf("t%02d", i), name, providers[name])
			return nil
		})
	}
	at.Wait()
}

// failure runs a tenant's cycles with a faulty provider. A provider that makes it wait is
// interrupted.
func (h *installation) failure(id, name, baseURL string) {
	patience := 40 * time.Second
	if slices.ContainsFunc([]string{"timeout", "slow", "429", "quota"}, func(s string) bool { return strings.Contains(name, s) }) {
		patience = 3 * time.Second
	}
	h.addTenant(id)
	h.connect(id, baseURL)
	form := "text"
	if len(name)%2 == 0 {
		form = "json"
	}
	h.runFor(patience, "", "provider", "test", id, "--output", form)
	h.runFor(patience, "", "cycle", "--tenant", id, "--output", form, "--log-format", form)
	h.run("", "provider", "status", id)
	h.run("", "provider", "disable", id)
}

// wrongByHand makes the mistakes that people make.
func (h *installation) wrongByHand(good string) {
	path := filepath.Join(h.dir, "tenants.yaml")
	before, err := os.ReadFile(path)
	check.Must(h.t, err)
	spoil := func(how string, change func(string) string) {
		spoiled := change(string(before))
		check.Must(h.t, os.WriteFile(path, []byte(spoiled), 0o600))
		for _, args := range [][]string{{"tenant", "validate"}, {"fetch", "--tenant", "acme"}} {
			h.run("", args...)
		}
		time.Sleep(600 * time.Millisecond) // until serve has read the change
		check.Must(h.t, os.WriteFile(path, before, 0o600))
	}
	quoted, _ := json.Marshal(canary)
	spoil("in clear", func(s string) string {
		at := strings.Index(s, "      credential: |")
		end := at + strings.Index(s[at:], "-----END AGE ENCRYPTED FILE-----")
		return s[:at] + "      credential: " + string(quoted) + s[end+len("-----END AGE ENCRYPTED FILE-----"):]
	})
	spoil("as a key", func(s string) string { return strings.Replace(s, "version: 1", "version: 1\n"+string(quoted)+": 1", 1) })
	spoil("as a hint", func(s string) string { return strings.Replace(s, "hint: ", "hint: "+string(quoted)+" # ", 1) })
	spoil("as a host", func(s string) string {
		return strings.Replace(s, "base_url: ", "base_url: https://user:"+url.PathEscape(canary)+"@h.example/ # ", 1)
	})
	spoil("changed", func(s string) string {
		return strings.Replace(s, "AGE ENCRYPTED FILE-----\n        YWdl", "AGE ENCRYPTED FILE-----\n        YWdk", 1)
	})

	h.run(canary+"\n", "provider", "set", "acme", "--provider", "betsapi", "--base-url", "https://h.example/?token="+"x")
	h.run(canary+"\x00\n", "provider", "set", "acme", "--provider", "betsapi")
	h.run(strings.Repeat(canary, 1000), "provider", "set", "acme", "--provider", "betsapi")
	h.run(canary+"\n", "provider", "set", "nobody", "--provider", "betsapi")
	h.run(canary+"\n", "provider", "set", "acme", "--provider", "nobody")

	seal := filepath.Join(h.dir, "seal.key")
	h.must(os.Rename(seal, seal+".away"))
	h.run(canary+"\n", "provider", "set", "acme", "--provider", "betsapi")
	h.run("", "provider", "test", "acme")
	h.must(os.Rename(seal+".away", seal))

	h.run(canary+"\n", "provider", "set", "acme", "--provider", "betsapi", "--base-url", good, "--allow-private-address")
	h.run("", "provider", "test", "acme")
}

// schedule runs a new tenant's cycle with mkt schedule.
func (h *installation) schedule() {
	h.t.Helper()
	good := httptest.NewServer(newSimulator(h.t, canary))
	defer good.Close()
	h.addTenant("late")
	h.connect("late", good.URL)
	s := h.start("schedule", "--jitter", "0s", "--output", "json", "--log-level", "debug", "--log-format", "json")
	current := filepath.Join(h.dir, "data", "client_id=late", "product=market_engine", "CURRENT")
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(current); err == nil {
			break
		}
		if time.Now().After(end) {
			h.t.Errorf("mkt schedule ran nothing in half a minute")
			break
		}
	}
	h.end(s)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	defer l.Close()
	return l.Addr().String()
}
