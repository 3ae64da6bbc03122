package work_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
)

var (
	killFor    = flag.Duration("kill-for", 10*time.Second, "how long TestWorkersAreKilled kills a worker each second")
	killedRuns = flag.Int("kill-accounts", 50, "accounts of TestWorkersAreKilled")
)

const fourWorkers = 4

// TestWorkersAreKilled (C4, C5): four workers run live accounts every 8 s, over a NATS of three.
// One is killed each second and started again. No account is run twice at once, and every account
// of a worker that was killed runs elsewhere within 20 s. Then a worker is stopped, and the other
// three have its accounts at their next ticks; then NATS loses everything, and the schedules are
// back within a minute.
func TestWorkersAreKilled(t *testing.T) {
	nats := startNATS(t, 3)
	s := newSystem(t, nats.URL(), *killedRuns, "@every 8s")
	defer s.showLogs()
	var all [fourWorkers]*worker
	lives := [fourWorkers]int{}
	for i := range all {
		all[i] = s.start(i, 0)
	}
	t.Logf("all accounts run %s after the start", s.awaitAll(time.Now(), 2*time.Minute).Round(time.Second))

	kills := 0
	for until := time.Now().Add(*killFor); time.Now().Before(until); time.Sleep(time.Second) {
		i := rand.IntN(fourWorkers)
		s.stop(all[i], syscall.SIGKILL)
		lives[i]++
		all[i] = s.start(i, lives[i])
		kills++
	}
	s.awaitAll(time.Now(), time.Minute)
	s.report(t, "killed", kills, 20*time.Second)
	s.checkAlone()

	before := time.Now()
	s.stop(all[0], syscall.SIGTERM)
	s.awaitAll(before, 30*time.Second)
	s.report(t, "stopped", 1, 20*time.Second)
	if err := <-all[0].ended; err != nil {
		t.Errorf("a worker that is stopped: %v", err)
	}

	published := s.published()
	for i := range nats.Nodes() {
		check.Must(t, nats.Wipe(i))
	}
	wiped := time.Now()
	for i := range nats.Nodes() {
		check.Must(t, nats.Start(i))
	}
	check.Must(t, nats.Await())
	started := time.Now()
	back := s.awaitAll(started.Add(time.Second), time.Minute)
	t.Logf("NATS was wiped: the servers were back after %s, all accounts run %s later", started.Sub(wiped).Round(100*time.Millisecond), back.Round(100*time.Millisecond))
	s.checkAlone()
	if s.published() < published {
		t.Errorf("%d publications, %d before NATS was wiped", s.published(), published)
	}
	s.run("verify")
	for _, w := range all[1:] {
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	}
	for _, w := range all[1:] {
		<-w.ended
	}
	t.Logf("%d publications, %d ticks skipped because another worker ran the account", s.published(), s.logged("another machine is running this cycle"))
}

// report logs how long the accounts of workers that ended waited, and fails if one waited too
// long or does not run.
func (s *system) report(t *testing.T, what string, workers int, most time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for account, o := range s.orphans {
		t.Errorf("%s has not run since worker %d.%d was %s %s ago", account, o.of.index, o.of.life, what, time.Since(o.since))
	}
	if len(s.waited) == 0 {
		t.Errorf("no account moved when workers were %s", what)
		return
	}
	slices.Sort(s.waited)
	at := func(share float64) time.Duration {
		return s.waited[int(share*float64(len(s.waited)-1))].Round(100 * time.Millisecond)
	}
	t.Logf("%d workers %s: %d accounts moved; half ran elsewhere within %s, 95 %% within %s, all within %s (%s)", workers, what, len(s.waited), at(0.5), at(0.95), at(1), s.longest)
	if at(1) > most {
		t.Errorf("an account waited %s", at(1))
	}
	s.waited, s.longest = nil, ""
}
