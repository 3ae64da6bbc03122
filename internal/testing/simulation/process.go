package simulation

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/testing/needs"
)

// What a process that runs a world is told: the options, and a file for the result.
const (
	optionsVariable = "MKT_SIMULATION_OPTIONS"
	resultVariable  = "MKT_SIMULATION_RESULT"
)

// ForProcess runs the world of the process that [InProcess] began, and writes its result, in which there may be
// more than a [Result]. It skips the test in every other process.
func ForProcess[R any](t *testing.T, run func(Options) R) {
	text, name := os.Getenv(optionsVariable), needs.Env(t, resultVariable, "the other tests set it")
	var o Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(run(o))
	if err == nil {
		err = os.WriteFile(name, result, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// InProcess runs a world in a process of its own, by TestOne of a test binary: pools of libraries keep channels
// of the bubble of a run, which a second bubble must not use.
func InProcess[R any](t *testing.T, binary string, o Options) (r R) {
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
