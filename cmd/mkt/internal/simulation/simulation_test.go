package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/needs"
)

var (
	seed      = flag.Uint64("seed", 0, "the seed of the only world to run; 0: those of CI")
	days      = flag.Float64("days", 0.1, "simulated days with faults, of the world of -seed")
	clustered = flag.Bool("cluster", false, "run the world of -seed as a cluster")
	budget    = flag.Duration("budget", 0, "time for each planted defect")
	only      = flag.String("only", "", "a pattern of the names and worlds of the planted defects")
	shrinking = flag.Duration("shrink", 2*time.Minute, "time for finding the shortest history of a failure")
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
	text, name := os.Getenv(optionsVariable), needs.Env(t, resultVariable, "the other tests set it")
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

// ofCI are the worlds of CI.
var ofCI = []Options{
	{Seed: 1, Length: 12 * time.Hour}, {Seed: 2, Length: 6 * time.Hour}, {Seed: 3, Length: 6 * time.Hour},
	{Seed: 1, Length: 15 * time.Minute, Cluster: true},
}

// All invariants hold in the world of -seed, or in those of CI. Those run twice: the same seed gives the
// same log.
func TestWorlds(t *testing.T) {
	worlds := ofCI
	if *seed != 0 {
		worlds = []Options{{Seed: *seed, Length: time.Duration(*days * float64(24*time.Hour)), Cluster: *clustered}}
	}
	for _, o := range worlds {
		t.Run(fmt.Sprintf("seed=%d,cluster=%v", o.Seed, o.Cluster), func(t *testing.T) {
			t.Parallel()
			r := try(t, o)
			if *logs != "" {
				if err := os.WriteFile(*logs, r.Log, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if *seed == 0 {
				if again := runProcess(t, os.Args[0], o); again.Hash() != r.Hash() {
					t.Errorf("two runs differ: %s", FirstDifference(r.Log, again.Log))
				}
			}
		})
	}
}

// Variables with a duration, and with the commit whose seeds are tried.
const (
	newSeeds = "MKT_SIMULATE_FOR"
	ofCommit = "MKT_SIMULATE_COMMIT"
)

// All invariants hold in worlds of seeds that nobody has tried, until the time of MKT_SIMULATE_FOR is over. Each
// commit has seeds of its own, so that a failure can be repeated.
func TestWorldsOfNewSeeds(t *testing.T) {
	length, err := time.ParseDuration(needs.Env(t, newSeeds, "a duration, as 20s: worlds of new seeds run for so long"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(os.Getenv(ofCommit)))
	first := uint64(binary.BigEndian.Uint32(sum[:]))
	began := time.Now()
	for n := uint64(0); time.Since(began) < length; n++ {
		o := Options{Seed: first + n, Length: 6 * time.Hour}
		if n%4 == 3 {
			o.Cluster, o.Length = true, 15*time.Minute
		}
		try(t, o)
	}
}

// try runs a world. If an invariant does not hold, it looks for the shortest history that shows it.
func try(t *testing.T, o Options) Result {
	t.Helper()
	r := runProcess(t, os.Args[0], o)
	t.Logf("seed %d, %g days, cluster %t: %d operations, %d publications, log %s, %s; %d events: %s", o.Seed, o.Length.Hours()/24, o.Cluster, r.Operations, r.Published,
		r.Hash(), r.Took.Round(time.Millisecond), len(r.Events), strings.TrimPrefix(fmt.Sprint(r.Faults), "map"))
	if r.Failure == "" {
		return r
	}
	if *logs != "" {
		_ = os.WriteFile(*logs, r.Log, 0o600) // the failure is reported in any case
	}
	small := shrink(t, func(o Options) Result { return runProcess(t, os.Args[0], o) }, o, r, time.Now().Add(*shrinking))
	t.Fatalf("seed %d: %s\nthe shortest history found of the same failure has %d of %d events:\n  %s\n  %s", o.Seed, r.Failure,
		len(small.Events), len(r.Events), strings.Join(small.Events, "\n  "), small.Failure)
	return r
}
