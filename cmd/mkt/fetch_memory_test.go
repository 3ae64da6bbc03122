package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/needs"
)

// TestTooMuchOfAnAnswer: an answer that is too large or too slow is cut off at the bound and in
// time, and the peak memory of a real mkt, as the kernel counts it, hardly exceeds the bound.
func TestTooMuchOfAnAnswer(t *testing.T) {
	needs.Time(t, "a gigabyte, and waits of ten seconds")
	h := newInstallation(t)
	h.run("", "init", ".")
	atMost := betsapi.Provider().Budget.MaxBody + 64<<20
	for i, c := range []struct {
		fault  string
		exit   int
		within time.Duration
	}{
		{"", cli.ExitDone, 30 * time.Second},
		{"huge:1", cli.ExitFailed, 30 * time.Second},
		{"bomb:1", cli.ExitFailed, 30 * time.Second},
		{"slow:1", cli.ExitLater, 30 * time.Second},
		{"huge:1@markets", cli.ExitFailed, time.Minute}, // four at once
		{"bomb:1@markets", cli.ExitFailed, time.Minute},
	} {
		t.Run(c.fault, func(t *testing.T) {
			o := simulator.Options{Seed: 3, Fixtures: 60, Tokens: map[string]simulator.Account{canary: {Seed: 3}}}
			if c.fault != "" {
				f, err := simulator.ParseFault(c.fault)
				h.must(err)
				o.Faults = []simulator.Fault{f}
			}
			sim, err := emulator.New(o)
			h.must(err)
			server := httptest.NewServer(sim)
			defer server.Close()
			defer server.CloseClientConnections()
			id := fmt.Sprint("account-", i)
			h.addTenant(id)
			h.connect(id, server.URL)
			cmd := h.command(t.Context(), "fetch", "--tenant", id, "--product", "market_engine")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			began := time.Now()
			peak := h.peak(cmd)
			took := time.Since(began)
			if code := cmd.ProcessState.ExitCode(); code != c.exit || took > c.within {
				t.Errorf("exit code %d after %v, want %d within %v: %s", code, took, c.exit, c.within, errs.String())
			}
			if peak == 0 || peak > atMost {
				t.Errorf("took %d MiB, want at most %d", peak>>20, atMost>>20)
			}
			t.Logf("%d MiB at the most, %v: %s", peak>>20, took.Round(time.Millisecond), bytes.TrimSpace(errs.Bytes()))
		})
	}
}

// TestTooManyValues: four accounts whose providers send millions of empty lists at once need little
// more memory than one whose provider does not.
func TestTooManyValues(t *testing.T) {
	needs.Time(t, "hundreds of megabytes")
	h := newInstallation(t)
	h.run("", "init", ".")
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 20, Tokens: map[string]simulator.Account{canary: {Seed: 3}}})
	h.must(err)
	many := []byte(`{"success":1,"results":[` + strings.Repeat("[],", 5_000_000) + `[]]}`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "prematch") {
			_, _ = w.Write(many) // the client may cut it off
			return
		}
		sim.ServeHTTP(w, r)
	}))
	defer server.Close()
	for i := range 4 {
		id := fmt.Sprint("account-", i)
		h.addTenant(id)
		h.connect(id, server.URL)
	}
	cmd := h.command(t.Context(), "cycle", "--all", "--parallel", "4", "--product", "market_engine")
	peak := h.peak(cmd)
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed || peak == 0 || peak > 384<<20 {
		t.Errorf("exit code %d, %d MiB", code, peak>>20)
	}
	t.Logf("%d MiB at the most", peak>>20)
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak runs a command to its end and returns its peak memory in bytes. getrusage also counts the
// memory of the parent before exec.
func (h *installation) peak(cmd *exec.Cmd) (most int64) {
	h.t.Helper()
	h.must(cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the caller checks the exit code
		close(ended)
	}()
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		select {
		case <-ended:
			tick.Stop()
			return most
		case <-tick.C:
			text, err := os.ReadFile(status)
			if m := highWater.FindSubmatch(text); err == nil && m != nil {
				kB, _ := strconv.ParseInt(string(m[1]), 10, 64)
				most = max(most, kB<<10)
			}
		}
	}
}
