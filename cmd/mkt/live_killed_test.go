package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// killedMatches is the real binary and a provider that plays matches at eight times their speed.
type killedMatches struct{ *installation }

func newKilledMatches(t *testing.T) *killedMatches {
	t.Helper()
	sim, err := emulator.New(simulator.Options{Seed: 7, Fixtures: 60, InPlay: 20, Speed: 8, Quota: demo.Quota, Tokens: map[string]simulator.Account{canary: {Seed: 7}}})
	check.Must(t, err)
	h, _ := newConnected(t, sim)
	return &killedMatches{h}
}

func (l *killedMatches) product(name string) string {
	return filepath.Join(l.dir, "data", "client_id=acme", "product="+name)
}

func (l *killedMatches) mustRun(args ...string) string {
	l.t.Helper()
	cmd := l.command(l.t.Context(), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("mkt %v: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// killed runs mkt, kills it after a while as kill -9 does, and reports whether mkt was still running.
func (l *killedMatches) killed(after time.Duration, args ...string) bool {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), after)
	defer cancel()
	cmd := l.command(ctx, args...)
	cmd.Cancel = func() error { return cmd.Process.Kill() }
	return cmd.Run() != nil && ctx.Err() != nil
}

// tables returns the hashes of a product's canonical tables, by cycle and name.
func (l *killedMatches) tables(dir string) map[string]string {
	l.t.Helper()
	sums := map[string]string{}
	for _, name := range l.files(dir, "canonical/*/*.parquet") {
		data, err := os.ReadFile(filepath.Join(dir, name))
		l.must(err)
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return sums
}

func (l *killedMatches) files(dir, pattern string) []string {
	l.t.Helper()
	names, err := fs.Glob(os.DirFS(dir), pattern)
	l.must(err)
	return names
}

// Cycles that are killed at any moment, and steps that are repeated, leave the same bytes as an
// undisturbed run over the same answers.
func TestLiveKilledAndRunAgain(t *testing.T) {
	l := newKilledMatches(t)
	cycle := []string{"cycle", "--tenant", "acme", "--product", "live_intelligence"}
	rounds := 6
	if !testing.Short() {
		rounds = 60
	}
	began := time.Now()
	l.mustRun(cycle...)
	takes := time.Since(began)
	rng, caught := rand.New(rand.NewPCG(1, 2)), 0
	for range rounds {
		if l.killed(time.Duration(rng.Float64()*float64(takes)), cycle...) {
			caught++
		} else {
			takes = takes * 2 / 3 // the machine was busier when it was measured
		}
		l.mustRun(cycle...)
	}
	if caught == 0 {
		t.Error("no run was killed under way")
	}
	live := l.product("live_intelligence")
	before := l.tables(live)

	cycles := l.files(live, "canonical/*/canonical.json")
	published := l.files(live, "snapshots/*/manifest.json") // the other cycles were killed earlier, and skipped
	again := published[rng.IntN(len(published)-1)]
	id := strings.TrimPrefix(filepath.Base(filepath.Dir(again)), "cycle=")
	l.mustRun("transform", "--tenant", "acme", "--cycle", id)
	l.mustRun("publish", "--tenant", "acme", "--cycle", id)
	l.same("after "+id+" was done again", before, l.tables(live))

	l.must(os.RemoveAll(filepath.Join(live, "canonical")))
	for _, name := range cycles { // an undisturbed run
		l.mustRun("transform", "--tenant", "acme", "--cycle", strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "cycle="))
	}
	l.same("of an undisturbed run", before, l.tables(live))
}

func (l *killedMatches) same(what string, want, got map[string]string) {
	l.t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		l.t.Errorf("%s: %d tables, want %d", what, len(got), len(want))
	}
	for name, sum := range want {
		if got[name] != sum {
			l.t.Errorf("%s: %s differs", what, name)
		}
	}
}
