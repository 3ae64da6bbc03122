package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/needs"
)

// TestTooMuchOfAnAnswer: an answer that is too large or too slow is cut off for that reason, and the
// peak memory of a real mkt, as the kernel counts it, hardly exceeds the bound.
func TestTooMuchOfAnAnswer(t *testing.T) {
	needs.Time(t, "a gigabyte, and waits of ten seconds")
	h := newInstallation(t)
	h.run("", "init", ".")
	atMost := betsapi.Provider().Budget.MaxBody + 32<<20
	for i, c := range []struct {
		fault string
		exit  int
		says  string
	}{
		{"", cli.ExitDone, ""},
		{"huge:1", cli.ExitFailed, "BODY_TOO_LARGE"},
		{"bomb:1", cli.ExitFailed, "BODY_BOMB"},
		{"slow:1", cli.ExitLater, "the answer came too slowly"}, // all of it would take days
		{"huge:1@markets", cli.ExitFailed, "BODY_TOO_LARGE"},    // four at once
		{"bomb:1@markets", cli.ExitFailed, "BODY_BOMB"},
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
			if code := cmd.ProcessState.ExitCode(); code != c.exit || !strings.Contains(errs.String(), c.says) {
				t.Errorf("exit code %d, want %d and %q: %s", code, c.exit, c.says, errs.String())
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
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed || peak == 0 || peak > 320<<20 {
		t.Errorf("exit code %d, %d MiB", code, peak>>20)
	}
	t.Logf("%d MiB at the most", peak>>20)
}

// peak runs a command to its end and returns the peak of its own memory in bytes. Pages of files,
// most of them of the program itself, are left out: their number depends on the machine's cache.
// getrusage also counts the memory of the parent before exec.
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
			if text, err := os.ReadFile(status); err == nil {
				most = max(most, statusBytes(text, "VmHWM")-statusBytes(text, "RssFile"))
			}
		}
	}
}

// statusBytes returns a value of /proc/PID/status; 0 if it is not there.
func statusBytes(status []byte, name string) int64 {
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kB, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kB << 10
		}
	}
	return 0
}
