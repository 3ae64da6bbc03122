package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Options of a run.
type Options struct {
	Seed uint64
	// Length is the simulated time with faults, of a world with hourly cycles. After it comes a quiet time, in
	// which everything must become fresh.
	Length time.Duration
	// Cluster has three workers with leases and an object store, in place of one machine.
	Cluster bool
	// Live is how often live cycles run; 0: seldom. If it is set, every match has a goal that is taken back.
	Live time.Duration
	// Only has the names of the events that may happen; nil: all that the seed decides.
	Only map[string]bool
	// Serve returns the folder of a replica, and a server over it; nil: replicas have no server.
	Serve func(name string) (data string, s Server) `json:"-"`
	// Quiet leaves the operations without a fault out of the log.
	Quiet bool
}

// Result of a run.
type Result struct {
	Log        []byte
	Failure    string   // "" if all invariants held
	Invariant  string   // the one that did not
	Events     []string // faults and commands that happened, in their order
	Operations int
	Kinds      map[string]int // operations, by kind
	Faults     map[string]int // events, by kind
	Published  int            // publications
	Judged     int            // rows of matches in play that were compared with their provider
	Followed   int            // entries of timelines that were looked for in the next publication
	TakenBack  int            // goals that a provider took back
	Simulated  time.Duration  // with faults
	Took       time.Duration  // of real time
}

// Hash identifies the log.
func (r *Result) Hash() string {
	sum := sha256.Sum256(r.Log)
	return hex.EncodeToString(sum[:8])
}

// FirstDifference returns the first lines of two logs that differ.
func FirstDifference(a, b []byte) string {
	at, line := 0, 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		if a[at] == '\n' {
			line = at + 1
		}
		at++
	}
	return fmt.Sprintf("%.200s\n%.200s", a[line:], b[line:])
}

// Run runs a world.
func Run(t *testing.T, o Options) (r Result) {
	began := time.Now()
	runtime.GOMAXPROCS(1) // two timers of one instant wake their goroutines in an order
	cryptotest.SetGlobalRandom(t, o.Seed)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(firstDay)) // nothing runs yet
		w := newWorld(t, o.Seed, o.Only)
		w.quiet = o.Quiet
		s := newSystem(w, o)
		s.live(o.Length * s.slowness)
		r = s.result()
		r.Simulated = o.Length * s.slowness
	})
	r.Took = time.Since(began)
	return r
}

func newSystem(w *world, o Options) *system {
	cluster := o.Cluster
	s := &system{services: &services{world: w, served: o.Serve != nil, book: newBook(w), slowness: 1, every: map[football.Product]time.Duration{football.MarketEngine: time.Hour, football.LiveIntelligence: 10 * time.Minute}}}
	s.accounts = []*account{
		w.account("acme", "betsapi", football.MarketEngine, football.LiveIntelligence),
		w.account("bolt", "sportmonks", football.MarketEngine),
		w.account("cato", "apifootball", football.MarketEngine),
		w.account("dune", "theoddsapi", football.MarketEngine),
	}
	if !cluster { // whose machines have work enough without all markets of a feed
		s.accounts = append(s.accounts, w.account("hale", "feed:simulated", football.MarketEngine))
	}
	if o.Serve != nil { // a second one with matches in play, of the same provider
		s.accounts = append(s.accounts, w.account("gale", "betsapi", football.LiveIntelligence))
	}
	s.accounts = append(s.accounts, w.account("echo", "betsapi", football.MarketEngine), w.account("fern", "sportmonks", football.MarketEngine))
	there := len(s.accounts) - 2
	if cluster { // whose worlds are too short for an account to be added, published, copied and deleted
		there++
	}
	for _, a := range s.accounts[:there] {
		a.added = true
	}
	for _, a := range s.accounts {
		a.scores = o.Live > 0
		for _, p := range a.products {
			s.jobs = append(s.jobs, job{a, p})
		}
	}
	s.network = newNetwork(w, s.accounts)
	s.book.cluster = cluster
	names := []string{"m1"}
	if cluster {
		s.depot, s.redis = &depot{w: w, objects: storetest.NewMemory(), late: map[string]bool{}}, newRedis(w)
		s.counting = newCounting(s.redis)
		s.every = map[football.Product]time.Duration{football.MarketEngine: 15 * time.Minute, football.LiveIntelligence: 3 * time.Minute}
		names = []string{"w1", "w2", "w3"}
	}
	if !cluster && o.Live == 0 && w.pick("pace", "", 3) == 0 { // so that events become older than a week
		s.slowness = 24
		s.every = map[football.Product]time.Duration{football.MarketEngine: day, football.LiveIntelligence: day}
	}
	if o.Live > 0 {
		s.every[football.LiveIntelligence] = o.Live
	}
	s.office = newOffice(w, s.accounts, s.every)
	s.office.machine.after = func(*machine) { s.office.survived() }
	if cluster {
		s.shift = newShift(s.redis, s.office, s.jobs, s.every)
	}
	s.translog = newTranslog(w, s.office, s.book, s.jobs, 20*time.Minute*s.slowness)
	for _, name := range names {
		m := w.machine(name, s.work)
		m.after = func(m *machine) { s.book.survived(m, s.jobs, s.depot) }
		m.wipes, m.losesWrites = cluster, name == "w3"
		if !cluster && w.pick("lies", "", 6) == 0 {
			s.loseWrites(m)
		}
		if !cluster && w.pick("upgrade", "", 2) == 0 {
			s.translog.older = upgrade(m, s.jobs[0])
		}
		s.workers = append(s.workers, m)
	}
	if !cluster {
		s.watchers = watchers{}
		for _, j := range s.jobs {
			if j.product == football.MarketEngine {
				s.watchers[j.dir()] = []*reader{{s: s.services, job: j}, {s: s.services, job: j}}
			}
		}
		s.workers[0].look = s.watchers.read
	}
	if cluster {
		s.mirrors = []*mirror{s.mirror("r1", o.Serve), s.mirror("r2", o.Serve)}
		s.home, s.surfers, s.matches = w.machine("clients", nil).begin(w.Context()), surfers{book: s.book, accounts: s.accounts}, map[string]string{}
		for _, j := range s.jobs {
			if j.product == football.MarketEngine && j.added {
				s.readers = append(s.readers, s.reader(j), s.reader(j))
			}
			if j.added && s.served {
				s.listens = append(s.listens, s.subscriber(j, false), s.subscriber(j, true))
			}
		}
	}
	return s
}

// live runs the world to its end.
func (s *system) live(length time.Duration) {
	ctx, end := context.WithCancel(s.Context())
	var scheduler, all sync.WaitGroup
	scheduler.Go(func() { s.run(ctx) })
	all.Go(func() { s.office.machine.serve(ctx) })
	for _, m := range s.workers {
		all.Go(func() { m.serve(ctx) })
	}
	for _, m := range s.mirrors {
		all.Go(func() { m.serve(ctx) })
	}
	for _, c := range s.readers {
		all.Go(func() { c.run(ctx) })
	}
	for _, c := range s.listens {
		all.Go(func() { c.listen(ctx) })
	}
	c := s.command(ctx, length)
	s.sleepUnlessFailed(length)
	c.calm()
	s.sleepUnlessFailed(2*s.every[football.MarketEngine] + 30*time.Minute*s.slowness)
	s.final()
	end()
	s.stop()
	all.Wait()
	scheduler.Wait()
	s.network.close()
	s.Wait()
	if s.redis != nil {
		s.redis.server.Close()
	}
}

// sleepUnlessFailed waits, and ends early after a failure.
func (s *system) sleepUnlessFailed(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until) && !s.failed(); {
		time.Sleep(min(time.Minute, time.Until(until)))
	}
}

// final judges the world after the quiet time.
func (s *system) final() {
	if s.failed() {
		return
	}
	for _, m := range s.workers {
		s.book.survived(m, s.jobs, s.depot)
		for _, j := range s.jobs {
			s.verifyClean(m, j)
		}
	}
	for _, dir := range sorted(s.watchers) {
		for _, c := range s.watchers[dir] {
			c.visit(s.workers[0], s.workers[0].disk, math.MaxInt)
		}
	}
	s.translog.check()
	for _, a := range s.accounts {
		if _, there := s.office.newest().Tenant(a.id); there || !s.book.wasDeleted(job{account: a}) || a.isLeaving() {
			continue
		}
		s.gone(a)
		for _, m := range s.mirrors {
			root, err := durable.OpenRoot(m.data)
			if err != nil {
				s.fail(deletedGone, "%s on %s: %v", a.id, m.name, err)
				continue
			}
			if left := fileIn(root, layout.Tenant(a.id)); left != "" {
				s.fail(deletedGone, "%s on %s: %s", a.id, m.name, left)
			}
			root.Close()
		}
	}
	s.finally()
	for _, j := range s.jobs {
		if _, runs := s.office.active(j); !runs {
			continue
		}
		var newest snapshot.Commit
		for _, m := range s.workers {
			if c := s.book.judge(within(m.disk, j.dir()), j, m); c.Version > newest.Version {
				newest = c
			}
		}
		if s.depot != nil {
			newest = s.book.stored(s.depot, j)
		}
		for _, m := range s.mirrors {
			if j.product == football.MarketEngine {
				s.reader(j).poll(m) // the other readers may be cut off
			}
			if n := s.counting.known()[m.name].Stats().Replicas; n != len(s.mirrors) {
				s.fail(limitsHold, "%s knows of %d replicas, and there are %d", m.name, n, len(s.mirrors))
			}
			m.mu.Lock()
			if seen := m.seen[j]; j.product == football.MarketEngine && seen.Version+1 < newest.Version {
				s.fail(progress, "%s: %s serves version %d, and %d is the newest", j, m.name, seen.Version, newest.Version)
			}
			m.mu.Unlock()
		}
		if age := time.Since(newest.PublishedAt); age > s.every[j.product]+10*time.Minute {
			s.fail(progress, "%s: the newest publication is version %d, %s old", j, newest.Version, age)
		}
	}
}

func (s *system) result() Result {
	r := Result{Log: s.log.Bytes(), Operations: s.ops, Kinds: s.kinds, Faults: map[string]int{}}
	for _, a := range s.accounts {
		r.Judged, r.Followed = r.Judged+a.judged, r.Followed+a.followed
		for _, p := range a.playing {
			r.TakenBack += p.taken
		}
	}
	if s.failure != nil {
		r.Failure, r.Invariant = s.failure.String(), s.failure.invariant
	}
	for _, e := range s.happened {
		r.Events = append(r.Events, e.name)
		r.Faults[e.kind()]++
	}
	for _, d := range s.book.datasets {
		r.Published += len(d.commits)
	}
	return r
}

// finally checks that every server answers every account after the quiet time.
func (s *system) finally() {
	for _, c := range s.listens {
		for _, m := range s.mirrors {
			last := s.subscriber(c.job, false)
			last.mirror = m
			if !last.catchUp("final") {
				s.fail(progress, "%s: the server of %s does not answer", c.job, m.name)
			}
			last.cut()
		}
	}
}
