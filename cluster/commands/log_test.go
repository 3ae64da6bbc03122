package commands_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/cluster/system"
	"mkt/internal/testing/check"
)

var logKillFor = flag.Duration("log-kill-for", 15*time.Second, "how long TestOneLogOfManyWorkers kills")

// TestOneLogOfManyWorkers: three workers with disks of their own publish, and one machine with the key keeps a
// transparency log of it all. Workers and mkt log are killed. The witness is never shown a fork, every head is a
// beginning of the last one, and every publication is in the log. A log that was lost is only continued from its copy in
// the store.
func TestOneLogOfManyWorkers(t *testing.T) {
	t.Parallel()
	binary, err := servers.MKT()
	check.Must(t, err)
	dir := t.TempDir()
	made := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, append(args, "--output", "json")...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		check.Must(t, err)
		var answer struct {
			VerifierKey string `json:"verifier_key"`
		}
		check.Must(t, json.Unmarshal(out, &answer))
		return answer.VerifierKey
	}
	check.Must(t, errors.Join(os.Mkdir(filepath.Join(dir, "keeper"), 0o700), os.Mkdir(filepath.Join(dir, "witness"), 0o700)))
	log := made("log", "init", "--log-key", "keeper/log.key", "example.com/cluster")
	witness := made("witness", "init", "--key-file", "witness/key", "witness.example.org")
	url := startWitness(t, binary, dir, log)
	check.Must(t, os.WriteFile(filepath.Join(dir, "policy"), fmt.Appendf(nil, "log %s\nwitness w %s %s\nquorum w\n", log, witness, url), 0o600))

	s, err := system.Start(t.Context(), system.Options{Dir: dir, MKT: binary, Accounts: 6, Workers: 3, Replicas: 1, InPlay: 2, Fixtures: 3, Say: t.Logf})
	check.Must(t, err)
	defer s.Stop()
	heads := map[string]bool{}
	add := func(ctx context.Context) error {
		_, err := s.Run(ctx, "log", "--log-key", "keeper/log.key", "--policy", "policy", "--data", "keeper/data")
		if text, err := os.ReadFile(filepath.Join(dir, "keeper/data/log/checkpoint")); err == nil {
			heads[string(text)] = true
		}
		return err
	}
	killed := 0
	round := 0
	// On a busy machine little is published meanwhile: it goes on until there is something to compare.
	for began := time.Now(); time.Since(began) < *logKillFor || (killed < 2 || len(heads) < 4) && time.Since(began) < 5**logKillFor; round++ {
		if round%6 == 0 { // the accounts of one that is killed wait for up to 12 s
			w := s.Workers[rand.IntN(len(s.Workers))]
			check.Must(t, w.Kill())
			check.Must(t, w.Start(t.Context()))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(3000))*time.Millisecond)
		err := add(ctx)
		if ctx.Err() != nil {
			killed++
		} else if err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	published := newestCommits(t, s)
	check.Must(t, add(t.Context()))
	if missing := notLogged(t, filepath.Join(dir, "keeper/data/leaves"), published); missing != "" {
		t.Errorf("not in the log: %s", missing)
	}

	check.Must(t, errors.Join(os.RemoveAll(filepath.Join(dir, "keeper/data")), os.Remove(filepath.Join(dir, "keeper/log.key.head"))))
	if err := add(t.Context()); err == nil || !strings.Contains(err.Error(), "this one is an older copy") {
		t.Errorf("without the log: %v", err)
	}
	archives, err := filepath.Glob(s.Store.File("log/*.tar"))
	check.Must(t, err)
	for _, archive := range archives {
		out, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", filepath.Join(dir, "keeper/data")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	check.Must(t, add(t.Context()))
	args := []string{"log", "audit", "--log-key", "keeper/log.key", "--policy", "policy", "--data", "keeper/data", "--output", "json"}
	for text := range heads {
		name := fmt.Sprintf("head-%d", len(args))
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		args = append(args, "--from", name)
	}
	for _, w := range s.Workers {
		check.Must(t, w.Stop())
	}
	_, err = s.Run(t.Context(), "pull", "--all", "--data", "keeper/data")
	check.Must(t, err)
	out, err := s.Run(t.Context(), args...)
	if err != nil {
		t.Fatalf("audit: %v\n%s", err, out)
	}
	var audit struct{ Size, Commits int }
	check.Must(t, json.Unmarshal(out, &audit))
	if killed < 2 || len(heads) < 3 || audit.Size < 7 || audit.Commits < 7 {
		t.Errorf("only %d kills, %d heads, size %d, %d commits compared", killed, len(heads), audit.Size, audit.Commits)
	}
	t.Logf("%d kills of mkt log, %d heads, size %d, %d commits compared", killed, len(heads), audit.Size, audit.Commits)
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

// notLogged names an account whose version is not in the log with these leaves.
func notLogged(t *testing.T, leaves string, want map[string]uint64) string {
	t.Helper()
	logged := map[string]uint64{}
	names, err := filepath.Glob(filepath.Join(leaves, "[0-9]*.json"))
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
		check.Must(t, json.Unmarshal(text, &e))
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
