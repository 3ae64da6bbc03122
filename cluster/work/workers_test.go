// Package work_test kills workers, and the Redis through which they share the accounts.
package work_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mkt/cluster/system"
	"mkt/internal/testing/check"
)

var (
	killFor      = flag.Duration("kill-for", 10*time.Second, "how long TestWorkersAreKilled kills a worker each second")
	killAccounts = flag.Int("kill-accounts", 50, "accounts of TestWorkersAreKilled")
)

// within is how soon an account runs again, whatever happens to its worker or to Redis.
const within = 30 * time.Second

// TestWorkersAreKilled (C4, C5): four workers run live accounts every 8 s. One is killed each
// second, and another one with an empty disk takes its place. No account is run twice at once, and
// every account of a worker that was killed runs elsewhere within 30 s. Then a worker is stopped,
// and the other three have its accounts at their next ticks. Then Redis loses everything in three
// ways. All accounts run on meanwhile, and replicas hear of publications again.
func TestWorkersAreKilled(t *testing.T) {
	s := newWatched(t, system.Options{Accounts: *killAccounts, Workers: 4, InPlay: 4, Fixtures: 10})
	replica, err := s.StartReplica(t.Context(), "replica")
	check.Must(t, err)
	t.Logf("all accounts run %s after the start", s.awaitAll(s.began, time.Minute).Round(time.Second))
	var all []*worker
	for _, p := range s.Workers {
		all = append(all, s.worker(p.Name))
	}

	kills := 0
	for until := time.Now().Add(*killFor); time.Now().Before(until); time.Sleep(time.Second) {
		kills++
		i := rand.IntN(len(all))
		s.end(all[i], all[i].Kill)
		all[i] = s.start(fmt.Sprintf("worker-%d-%d", i+1, kills))
	}
	s.awaitAll(time.Now(), within)
	s.report("killed", kills, within)

	before := time.Now()
	s.end(all[0], all[0].Process.Stop)
	s.awaitAll(before, within)
	s.report("stopped", 1, 20*time.Second)

	published := s.published()
	redis := func(what string, do func() error) {
		check.Must(t, do())
		t.Logf("Redis was %s: all accounts run within %s", what, s.awaitAll(time.Now(), within).Round(time.Second))
	}
	redis("flushed", func() error { _, err := s.Redis.Do("FLUSHALL"); return err })
	redis("replaced by an empty one", func() error { s.Redis.Stop(); return s.Redis.Start() })
	s.Redis.Stop()
	t.Logf("without Redis, all accounts run within %s", s.awaitAll(time.Now(), within).Round(time.Second))
	redis("started again after a while, and a worker was killed", func() error {
		check.Must(t, s.Redis.Start())
		s.end(all[1], all[1].Kill)
		return nil
	})
	s.report("killed while Redis counts them", 1, within)
	s.awaitNews(replica)

	s.checkAlone()
	if n := s.published(); n < published+*killAccounts {
		t.Errorf("%d publications, %d before Redis lost everything", n, published)
	}
	for _, w := range all[2:] {
		check.Must(t, w.Process.Stop())
	}
	for _, a := range s.Accounts[:5] {
		for _, command := range []string{"pull", "verify"} {
			if _, err := s.Run(t.Context(), command, "--tenant", a.ID, "--data", "pulled"); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d publications", s.published())
}
