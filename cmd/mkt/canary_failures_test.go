package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// mirrors are ways in which a provider, or a server in front of it, echoes the credential. What is
// not HTTP, and every spelling, is tested in fetch.
var mirrors = map[string]func(w http.ResponseWriter, r *http.Request){
	"detail": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"success":0,"error":"AUTHORIZE_FAILED","error_detail":%s}`, jsonString("token "+canary+" is not known"))
	},
	"page": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<html><h1>Blocked</h1><p>%s</p><p>%s</p></html>", r.URL.String(), canary)
	},
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login?from="+url.QueryEscape(r.URL.String()), http.StatusFound)
	},
	"headers": func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range []string{"Content-Type", "Last-Modified", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Set-Cookie", "X-Token", "Date"} {
			w.Header().Set(name, canary)
		}
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`)
	},
	"good answer": func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range []string{"Content-Type", "Last-Modified", "X-RateLimit-Limit", "Set-Cookie"} {
			w.Header().Set(name, url.QueryEscape(canary))
		}
		fmt.Fprintf(w, `{"success":1,"pager":{"page":1,"per_page":50,"total":1},"results":[{"id":"77","time":"1800000000","time_status":"0",%s:1,`+
			`"league":{"id":"1","name":"L"},"home":{"id":"2","name":%s},"away":{"id":"3","name":"B"}}]}`, jsonString(canary), jsonString("Home "+canary))
	},
	"packed twice": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packGzip(packGzip([]byte("<html>" + r.URL.String() + " " + canary + "</html>"))))
	},
}

func jsonString(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

func packGzip(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// newMirror starts a provider that echoes the credential in the answers whose path contains in.
func newMirror(t *testing.T, kind, in string) (baseURL string) {
	t.Helper()
	sim := newSimulator(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, in) {
			sim.ServeHTTP(w, r)
			return
		}
		mirrors[kind](w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func newSimulator(t *testing.T, faults ...string) *simulator.Server {
	t.Helper()
	o := simulator.Options{Seed: 3, Fixtures: 6, Tokens: map[string]simulator.Account{canary: {Seed: 3}}}
	for _, text := range faults {
		f, err := simulator.ParseFault(text)
		check.Must(t, err)
		o.Faults = append(o.Faults, f)
	}
	sim, err := emulator.New(o)
	check.Must(t, err)
	return sim
}

// everyFailure runs a tenant against each faulty provider.
func (h *installation) everyFailure() {
	providers := map[string]string{}
	for _, kind := range append(simulator.FaultKinds(), "credential@markets", "permission@markets", "wrong@markets", "429-body@markets") {
		kind, class, aimed := strings.Cut(string(kind), "@")
		fault := kind + ":1"
		if aimed {
			fault += "@" + class
		}
		server := httptest.NewServer(newSimulator(h.t, fault))
		h.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		providers["fault "+fault] = server.URL
	}
	for kind := range mirrors {
		providers["mirror "+kind] = newMirror(h.t, kind, "")
	}
	providers["mirror of markets"] = newMirror(h.t, "good answer", "prematch")
	secure := httptest.NewUnstartedServer(newSimulator(h.t))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	secure.StartTLS()
	h.t.Cleanup(secure.Close)
	providers["not trusted"] = secure.URL
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	h.must(err)
	nobody.Close()
	providers["nobody there"] = "http://" + nobody.Addr().String()
	providers["not allowed"] = "https://169.254.169.254"

	var at errgroup.Group
	at.SetLimit(16) // most of the time they wait
	for i, name := range slices.Sorted(maps.Keys(providers)) {
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
	spoil := func(change func(string) string) {
		spoiled := change(string(before))
		check.Must(h.t, os.WriteFile(path, []byte(spoiled), 0o600))
		for _, args := range [][]string{{"tenant", "validate"}, {"fetch", "--tenant", "acme"}} {
			h.run("", args...)
		}
		time.Sleep(600 * time.Millisecond) // until serve has read the change
		check.Must(h.t, os.WriteFile(path, before, 0o600))
	}
	quoted, _ := json.Marshal(canary)
	spoil(func(s string) string {
		at := strings.Index(s, "      credential: |")
		end := at + strings.Index(s[at:], "-----END AGE ENCRYPTED FILE-----")
		return s[:at] + "      credential: " + string(quoted) + s[end+len("-----END AGE ENCRYPTED FILE-----"):]
	})
	spoil(func(s string) string { return strings.Replace(s, "version: 1", "version: 1\n"+string(quoted)+": 1", 1) })
	spoil(func(s string) string {
		return strings.Replace(s, "base_url: ", "base_url: https://user:"+url.PathEscape(canary)+"@h.example/ # ", 1)
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
func (h *installation) schedule(good string) {
	h.t.Helper()
	h.addTenant("late")
	h.connect("late", good)
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
