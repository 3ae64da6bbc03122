package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
)

// installation is a folder with settings, accounts, keys and data, and the output of all its
// commands.
type installation struct {
	t   *testing.T
	dir string
	mkt string

	mu    sync.Mutex
	heard map[string][]byte // output, by where it was seen
	times int
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	mkt, err := exec.LookPath("mkt")
	check.Must(t, err)
	h := &installation{t: t, dir: t.TempDir(), mkt: mkt, heard: map[string][]byte{}}
	for _, sub := range []string{"tmp", "cache"} {
		check.Must(t, os.Mkdir(filepath.Join(h.dir, sub), 0o700))
	}
	return h
}

// newConnected returns an initialized installation whose account acme has a provider and no rate
// limit.
func newConnected(t *testing.T, provider http.Handler) (h *installation, token string) {
	t.Helper()
	h = newInstallation(t)
	h.run("", "init", ".")
	token = h.addTenant("acme")
	h.unlimited("acme")
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	h.connect("acme", server.URL)
	return h, token
}

func (h *installation) keep(where string, text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.times++
	h.heard[fmt.Sprintf("%04d %s", h.times, where)] = bytes.Clone(text)
}

func (h *installation) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.mkt, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "TMPDIR=" + filepath.Join(h.dir, "tmp")}
	return cmd
}

// run runs mkt to its end with all its logs, and keeps its output.
func (h *installation) run(stdin string, args ...string) (stdout string) {
	h.t.Helper()
	return h.runFor(time.Minute, stdin, args...)
}

// runFor is run, but interrupts the command after a while.
func (h *installation) runFor(d time.Duration, stdin string, args ...string) (stdout string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), d)
	defer cancel()
	cmd := h.command(ctx, append(args, "--log-level", "debug")...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Errorf("mkt %v: %v", args, err)
	}
	printed := out.String()
	if len(args) > 1 && args[0] == "tenant" && args[1] == "add" { // the only command that prints a token
		var answer struct{ Token string }
		if json.Unmarshal(out.Bytes(), &answer) != nil || answer.Token == "" {
			h.t.Fatalf("mkt %v: %s%s", args, printed, errs.String())
		}
		printed = strings.ReplaceAll(printed, answer.Token, "")
	}
	h.keep("stdout of mkt "+strings.Join(args, " "), []byte(printed))
	h.keep("stderr of mkt "+strings.Join(args, " "), append(errs.Bytes(), fmt.Sprint(err)...))
	return out.String()
}

func (h *installation) addTenant(id string) (token string) {
	h.t.Helper()
	var answer struct{ Token string }
	out := h.run("", "tenant", "add", id, "--product", "market_engine", "--product", "live_intelligence", "--output", "json")
	check.Must(h.t, json.Unmarshal([]byte(out), &answer))
	h.run("", "tenant", "feature", "enable", id, "advanced_stats")
	h.run("", "tenant", "origin", "allow", id, "https://"+id+".example")
	return answer.Token
}

// unlimited removes a tenant's rate limit.
func (h *installation) unlimited(id string) {
	h.t.Helper()
	path := filepath.Join(h.dir, "tenants.yaml")
	b, err := os.ReadFile(path)
	h.must(err)
	entry := "- id: " + id + "\n"
	h.must(os.WriteFile(path, []byte(strings.Replace(string(b), entry, entry+"    rate_limit: {requests: 1000000, per: 1m, burst: 1000000}\n", 1)), 0o600))
}

func (h *installation) connect(id, baseURL string) {
	h.t.Helper()
	h.run(canary+"\n", "provider", "set", id, "--provider", "betsapi", "--base-url", baseURL, "--allow-private-address")
}

func (h *installation) must(err error) {
	h.t.Helper()
	check.Must(h.t, err)
}

type service struct {
	name string
	url  string
	side string // the admin address
	cmd  *exec.Cmd
	errs *bytes.Buffer
	done chan error
}

// serve starts mkt serve with all its logs, as text or JSON.
func (h *installation) serve(form string) *service {
	h.t.Helper()
	return h.start("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cache", "cache", "--output", "json", "--log-level", "debug", "--log-format", form)
}

func (h *installation) start(args ...string) *service {
	h.t.Helper()
	s := &service{name: strings.Join(args, " "), cmd: h.command(context.Background(), args...), errs: new(bytes.Buffer), done: make(chan error, 1)}
	s.cmd.Stderr = s.errs
	out, err := s.cmd.StdoutPipe()
	h.must(err)
	h.must(s.cmd.Start())
	h.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	if args[0] == "serve" {
		var ready struct {
			BaseURL  string `json:"base_url"`
			AdminURL string `json:"admin_url"`
		}
		if err := json.NewDecoder(out).Decode(&ready); err != nil {
			h.t.Fatalf("mkt %s: %v\n%s", s.name, err, s.errs)
		}
		s.url, s.side = ready.BaseURL, ready.AdminURL
	}
	go func() {
		said, _ := io.ReadAll(out)
		h.keep("stdout of mkt "+s.name, said)
		s.done <- s.cmd.Wait()
	}()
	return s
}

func (h *installation) end(s *service) {
	h.t.Helper()
	h.must(s.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-s.done:
		if err != nil {
			h.t.Errorf("mkt %s: %v", s.name, err)
		}
	case <-time.After(40 * time.Second):
		h.t.Fatalf("mkt %s does not end", s.name)
	}
	h.keep("log of mkt "+s.name, s.errs.Bytes())
	if s.errs.Len() == 0 {
		h.t.Errorf("mkt %s logged nothing", s.name)
	}
}
