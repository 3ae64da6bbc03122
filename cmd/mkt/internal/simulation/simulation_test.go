package simulation

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var (
	seed      = flag.Uint64("seed", 0, "the seed of the only world to run; 0: those of CI")
	days      = flag.Float64("days", 0.1, "simulated days with faults")
	clustered = flag.Bool("cluster", false, "run the world of -seed as a cluster")
	budget    = flag.Duration("budget", 0, "time for each planted defect")
	only      = flag.String("only", "", "a pattern of the names and worlds of the planted defects")
	logs      = flag.String("log", "", "a file for the log")
)

// The options of a world that runs in a process of its own, and the file for its result.
const (
	optionsVariable = "MKT_SIMULATION_OPTIONS"
	resultVariable  = "MKT_SIMULATION_RESULT"
)

// TestOne runs the world of another process of these tests. Pools of libraries keep channels of the
// bubble of a run, which a second bubble must not use.
func TestOne(t *testing.T) {
	text, name := os.Getenv(optionsVariable), os.Getenv(resultVariable)
	if name == "" {
		t.Skip("for the other tests")
	}
	var o Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(Run(t, o))
	if err == nil {
		err = os.WriteFile(name, result, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// runProcess runs a world in a process of its own.
func runProcess(t *testing.T, binary string, o Options) (r Result) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "result")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^TestOne$")
	cmd.Env = append(os.Environ(), optionsVariable+"="+string(text), resultVariable+"="+name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", o.Seed, err, out)
	}
	result, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(result, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The same seed gives the same log, and all invariants hold.
func TestWorlds(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	for _, n := range seeds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			o := Options{Seed: n, Length: time.Duration(*days * float64(24*time.Hour)), Cluster: *clustered}
			r := runProcess(t, os.Args[0], o)
			t.Logf("%d operations, %d events, %d publications, log %s, %s", r.Operations, len(r.Events), r.Published, r.Hash(), r.Took.Round(time.Millisecond))
			if *logs != "" {
				if err := os.WriteFile(*logs, r.Log, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if r.Failure != "" {
				t.Fatal(r.Failure)
			}
			if *seed == 0 {
				if again := runProcess(t, os.Args[0], o); again.Hash() != r.Hash() {
					t.Errorf("two runs differ: %s", firstDifference(r.Log, again.Log))
				}
			}
		})
	}
}

func firstDifference(a, b []byte) string {
	at, line := 0, 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		if a[at] == '\n' {
			line = at + 1
		}
		at++
	}
	return fmt.Sprintf("%.200s\n%.200s", a[line:], b[line:])
}
