package simulation

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/needs"
)

var (
	seed      = flag.Uint64("seed", 0, "the seed of the only world to run; 0: those of CI")
	days      = flag.Float64("days", 0.25, "simulated days with faults, of the world of -seed or of those of new seeds")
	side      = flag.Int("side", 1, "worlds of new seeds that run side by side")
	clustered = flag.Bool("cluster", false, "run the world of -seed as a cluster")
	budget    = flag.Duration("budget", 0, "time for each planted defect")
	only      = flag.String("only", "", "a pattern of the names and worlds of the planted defects")
	shrinking = flag.Duration("shrink", 2*time.Minute, "time for finding the shortest history of a failure")
	logs      = flag.String("log", "", "a file for the log")
)

// TestOne runs the world of another process of these tests.
func TestOne(t *testing.T) {
	ForProcess(t, func(o Options) Result { return Run(t, o) })
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
			if *seed == 0 && r.Failure == "" {
				if again := InProcess[Result](t, os.Args[0], o); again.Hash() != r.Hash() {
					t.Errorf("two runs differ: %s", FirstDifference(r.Log, again.Log))
				}
			}
		})
	}
}

// Variables with a duration, and with the text that the seeds follow from.
const (
	newSeeds = "MKT_SIMULATE_FOR"
	ofCommit = "MKT_SIMULATE_COMMIT"
)

// All invariants hold in worlds of seeds that nobody has tried, until the time of MKT_SIMULATE_FOR is over. They
// follow from a text, in CI from the commit, so that its failure can be repeated. In CI, worlds are short, and run
// one at a time.
func TestWorldsOfNewSeeds(t *testing.T) {
	length, err := time.ParseDuration(needs.Env(t, newSeeds, "a duration, as 20s: worlds of new seeds run for so long"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(os.Getenv(ofCommit)))
	var next, failed atomic.Uint64
	next.Store(uint64(binary.BigEndian.Uint32(sum[:])))
	began, all := time.Now(), totals{faults: map[string]int{}}
	t.Run("worlds", func(t *testing.T) {
		for n := range *side {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				for time.Since(began) < length && failed.Load() < 20 {
					o := Options{Seed: next.Add(1), Length: time.Duration(*days * float64(24*time.Hour)), Quiet: *side > 1}
					if o.Seed%2 == 1 {
						o.Cluster, o.Length = true, o.Length/24
					}
					r := try(t, o)
					all.add(o, r)
					if r.Failure != "" {
						failed.Add(1)
					}
				}
			})
		}
	})
	t.Log(all.String())
}

// totals are the sums of several worlds.
type totals struct {
	mu                            sync.Mutex
	worlds, operations, published int
	machine, cluster              time.Duration // simulated
	faults                        map[string]int
}

func (s *totals) add(o Options, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds++
	s.operations += r.Operations
	s.published += r.Published
	if o.Cluster {
		s.cluster += r.Simulated
	} else {
		s.machine += r.Simulated
	}
	for kind, n := range r.Faults {
		s.faults[kind] += n
	}
}

func (s *totals) String() string {
	return fmt.Sprintf("%d worlds: %.1f days of a machine and %.1f of a cluster, %d operations, %d publications; %s",
		s.worlds, s.machine.Hours()/24, s.cluster.Hours()/24, s.operations, s.published, strings.TrimPrefix(fmt.Sprint(s.faults), "map"))
}

// try runs a world. If an invariant does not hold, it looks for the shortest history that shows it.
func try(t *testing.T, o Options) Result {
	t.Helper()
	r := InProcess[Result](t, os.Args[0], o)
	t.Logf("seed %d, %g days, cluster %t: %d operations, %d publications, log %s, %s; %d events: %s", o.Seed, o.Length.Hours()/24, o.Cluster, r.Operations, r.Published,
		r.Hash(), r.Took.Round(time.Millisecond), len(r.Events), strings.TrimPrefix(fmt.Sprint(r.Faults), "map"))
	if r.Failure == "" {
		return r
	}
	if *logs != "" {
		_ = os.WriteFile(*logs, r.Log, 0o600) // the failure is reported in any case
	}
	small := Shrink(t, os.Args[0], o, r, time.Now().Add(*shrinking))
	t.Errorf("seed %d, %g days, cluster %t: %s\nthe shortest history found of the same failure has %d of %d events:\n  %s\n  %s", o.Seed, o.Length.Hours()/24, o.Cluster, r.Failure,
		len(small.Events), len(r.Events), strings.Join(small.Events, "\n  "), small.Failure)
	return r
}
