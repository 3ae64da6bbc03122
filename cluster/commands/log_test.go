package commands_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/cluster/system"
	"mkt/internal/check"
)

var logKillFor = flag.Duration("log-kill-for", 15*time.Second, "how long TestOneLogOfManyWorkers kills workers")

// TestOneLogOfManyWorkers (C14): three workers with disks of their own add to one transparency log, each with the
// key, and one is killed every two seconds; a killed one begins again, sometimes with an empty disk. The witness
// is never shown a fork, every head that a worker ever had is a beginning of the last one, and a publication is
// in the log within a minute, whoever made it.
func TestOneLogOfManyWorkers(t *testing.T) {
	t.Parallel()
	binary, err := servers.MKT()
	check.Must(t, err)
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Dir, cmd.Stderr = dir, &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("mkt %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.Bytes())
		}
		return out
	}
	made := func(args ...string) string {
		t.Helper()
		var answer struct {
			VerifierKey string `json:"verifier_key"`
		}
		check.Must(t, json.Unmarshal(run(append(args, "--output", "json")...), &answer))
		return answer.VerifierKey
	}
	run("init", ".")
	log := made("log", "init", "example.com/cluster")
	check.Must(t, os.Mkdir(filepath.Join(dir, "witness"), 0o700))
	witness := made("witness", "init", "--key-file", "witness/key", "witness.example.org")
	url := startWitness(t, binary, dir, log)
	check.Must(t, os.WriteFile(filepath.Join(dir, "policy"), fmt.Appendf(nil, "log %s\nwitness w %s %s\nquorum w\n", log, witness, url), 0o600))
	settings, err := os.ReadFile(filepath.Join(dir, "mkt.yaml"))
	check.Must(t, err)
	check.Must(t, os.WriteFile(filepath.Join(dir, "mkt.yaml"), append(settings, "\nlog_policy: policy\nschedule: {log_every: 1s}\n"...), 0o600))

	s, err := system.Start(t.Context(), system.Options{Dir: dir, MKT: binary, Accounts: 6, Workers: 3, Replicas: 1, InPlay: 2, Fixtures: 3, Say: t.Logf})
	check.Must(t, err)
	defer s.Stop()
	defer func() {
		for _, w := range s.Workers {
			if text, err := os.ReadFile(w.LogFile()); err == nil && t.Failed() {
				lines := strings.Split(strings.TrimSpace(string(text)), "\n")
				t.Logf("%s:\n%s", w.Name, strings.Join(lines[max(0, len(lines)-12):], "\n"))
			}
		}
	}()
	heads := map[string]bool{}
	look := func() {
		for _, w := range s.Workers {
			if text, err := os.ReadFile(filepath.Join(w.Data, "log", "checkpoint")); err == nil {
				heads[string(text)] = true
			}
		}
	}
	kills := 0
	for until := time.Now().Add(*logKillFor); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		look()
		if rand.IntN(20) > 0 {
			continue
		}
		w := s.Workers[rand.IntN(len(s.Workers))]
		check.Must(t, w.Kill())
		kills++
		if kills%3 == 0 {
			check.Must(t, os.RemoveAll(w.Data))
		}
		check.Must(t, w.Start(t.Context()))
	}

	published := newestCommits(t, s)
	for began := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		look()
		missing := notLogged(t, s, published)
		if missing == "" {
			t.Logf("everything published was in the log after %s", time.Since(began).Round(time.Second))
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("not in the log after a minute: %s", missing)
		}
	}
	for _, w := range s.Workers {
		check.Must(t, w.Stop())
		text, err := os.ReadFile(w.LogFile())
		check.Must(t, err)
		for _, bad := range []string{"older copy", "another history", "does not continue", "damaged"} {
			if bytes.Contains(text, []byte(bad)) {
				t.Errorf("%s logged %q", w.Name, bad)
			}
		}
	}
	args := []string{"log", "audit", "--data", "pulled"}
	for i, text := range slices.Sorted(func(yield func(string) bool) {
		for text := range heads {
			if !yield(text) {
				return
			}
		}
	}) {
		name := fmt.Sprintf("head-%d", i)
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		args = append(args, "--from", name)
	}
	if _, err := s.Run(t.Context(), "pull", "--all", "--data", filepath.Join(dir, "pulled")); err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), append(args, "--output", "json")...)
	if err != nil {
		t.Fatalf("audit: %v\n%s", err, out)
	}
	var audit struct {
		Size    int64
		Commits int
		From    []int64
	}
	check.Must(t, json.Unmarshal(out, &audit))
	if kills < 3 || len(heads) < 5 || audit.Size < 12 || audit.Commits < 12 {
		t.Errorf("only %d kills, %d heads, size %d, %d commits compared", kills, len(heads), audit.Size, audit.Commits)
	}
	t.Logf("%d kills, %d heads that were seen, size %d, %d commits compared", kills, len(audit.From), audit.Size, audit.Commits)
}

// startWitness starts a witness of a log, and returns its address.
func startWitness(t *testing.T, binary, dir, log string) string {
	t.Helper()
	cmd := exec.Command(binary, "witness", "--listen", "127.0.0.1:0", "--key-file", "witness/key", "--state", "witness/state", "--log", log, "--output", "json")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var ready struct {
		URL string `json:"base_url"`
	}
	check.Must(t, json.NewDecoder(out).Decode(&ready))
	return ready.URL
}

// newestCommits returns the newest version of each account in the store.
func newestCommits(t *testing.T, s *system.System) map[string]uint64 {
	t.Helper()
	newest := map[string]uint64{}
	for _, a := range s.Accounts {
		names, err := filepath.Glob(s.Store.File("client_id=" + a.ID + "/product=live_intelligence/commits/*.json"))
		check.Must(t, err)
		newest[a.ID] = uint64(len(names))
	}
	return newest
}

// notLogged names an account whose version is not in the log of the store.
func notLogged(t *testing.T, s *system.System, want map[string]uint64) string {
	t.Helper()
	logged := map[string]uint64{}
	names, err := filepath.Glob(s.Store.File("log/from=*.json"))
	check.Must(t, err)
	for _, name := range names {
		var e struct {
			Leaves []struct {
				ClientID string `json:"client_id"`
				Version  uint64 `json:"version"`
			} `json:"leaves"`
		}
		text, err := os.ReadFile(name)
		check.Must(t, err)
		if json.Unmarshal(text, &e) != nil {
			continue // being written
		}
		for _, l := range e.Leaves {
			logged[l.ClientID] = max(logged[l.ClientID], l.Version)
		}
	}
	for id, version := range want {
		if logged[id] < version || version == 0 {
			return fmt.Sprintf("version %d of %s; the log has %d", version, id, logged[id])
		}
	}
	return ""
}
