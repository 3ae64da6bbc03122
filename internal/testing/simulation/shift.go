package simulation

import (
	"context"
	"sync"
	"time"

	"mkt/internal/cluster"
	"mkt/publish/football"
)

const (
	settledAfter = 30 * time.Second // when every account runs again, after whatever was in the way
	renewedFor   = 25 * time.Second // longer than a lease without a renewal
	mayFail      = 1                // commands of a machine during these, which changes nothing
)

// shift judges how the workers of a cluster share the accounts.
type shift struct {
	redis  *redis
	office *office
	jobs   []job
	every  map[football.Product]time.Duration

	mu      sync.Mutex
	owns    map[*life]func(account string) bool // by worker: whether it has an account
	changed time.Time                           // when a worker last came or went
	shared  bool                                // each account had one worker, and nothing but Redis was in the way since
	leases  map[*life]map[string]context.Context
	ran     map[string]time.Time // when a run of a job last ended
	running map[string]int       // runs under way
}

func newShift(r *redis, o *office, jobs []job, every map[football.Product]time.Duration) *shift {
	return &shift{redis: r, office: o, jobs: jobs, every: every, owns: map[*life]func(string) bool{}, leases: map[*life]map[string]context.Context{},
		ran: map[string]time.Time{}, running: map[string]int{}}
}

// begins notes that a worker has come, until ends is called.
func (s *shift) begins(l *life, owns func(account string) bool) (ends func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns[l], s.leases[l], s.changed = owns, map[string]context.Context{}, time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.owns, l)
		delete(s.leases, l)
		s.changed = time.Now()
	}
}

// runs notes that a worker runs a job until ends is called, which says whether it ran.
func (s *shift) runs(j job) (ends func(ran bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[j.entry()]++
	return func(ran bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running[j.entry()]--
		if ran {
			s.ran[j.entry()] = time.Now()
		}
	}
}

// leased notes that a worker has the lease of a job until released is called, or ctx ends.
func (s *shift) leased(l *life, j job, ctx context.Context) (released func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, leases := range s.leases {
		held := leases[j.entry()]
		// A server that has lost everything counts the workers before they take anything.
		isKept := s.redis.hasKept(renewedFor) || s.areSettled(renewedFor)
		if held != nil && held.Err() == nil && !other.dead.Load() && isKept && s.redis.hasAnswered(renewedFor, mayFail, other, l) {
			s.redis.w.fail(oneAtATime, "%s: %s has the lease, and %s took it", j, other.machine.name, l.machine.name)
		}
	}
	s.checkClock(l)
	s.leases[l][j.entry()] = ctx
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.leases[l], j.entry())
	}
}

// checkClock checks the clock of a machine that took a lease.
func (s *shift) checkClock(l *life) {
	if off := l.machine.off(); l.machine.isSettled(2*time.Second) && off.Abs() > cluster.ClockTolerance+time.Second {
		s.redis.w.fail(clockHolds, "%s took a lease, and its clock is %s off", l.machine.name, off)
	}
}

// areSettled reports whether the workers, their clocks and their networks have been the same for a while.
func (s *shift) areSettled(during time.Duration) bool {
	for l := range s.owns {
		if l.dead.Load() || !l.machine.isSettled(during) {
			return false
		}
	}
	return time.Since(s.changed) > during
}

// watch judges the workers at times, until the life of one of them ends.
func (s *shift) watch(l *life) {
	for sleep(l.ctx, s.redis.w.span("watch", l.id(), time.Second, 3*time.Second)) {
		if _, err := l.enter("watch", ""); err != nil {
			return
		}
		s.judge()
	}
}

// judge checks that each account has exactly one worker once nothing was in the way for a while, and that it runs there
// from then on, also while Redis is away.
func (s *shift) judge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.areSettled(settledAfter) {
		s.shared = false
		return
	}
	var right, wrong []*life // clocks
	for l := range s.owns {
		switch off := l.machine.off().Abs(); {
		case l.machine.isCut(): // it keeps its accounts
		case off > cluster.ClockTolerance+time.Second:
			wrong = append(wrong, l)
		case off < cluster.ClockTolerance-time.Second:
			right = append(right, l)
		default:
			return
		}
	}
	if len(right) > 0 && s.redis.hasKept(settledAfter) && s.redis.hasAnswered(settledAfter, mayFail, append(right, wrong...)...) {
		s.shares(right, wrong)
	}
	if file := s.office.newest(); s.shared {
		for _, j := range s.jobs {
			last, known := s.ran[j.entry()]
			if _, there := file.Tenant(j.id); !there {
				delete(s.ran, j.entry())
			} else if known && s.running[j.entry()] == 0 && time.Since(last) > s.every[j.product]+time.Minute {
				s.redis.w.fail(oneWorker, "%s has not run for %s", j, time.Since(last))
			}
		}
	}
}

// shares checks that each account has one worker, whose clock is right.
func (s *shift) shares(right, wrong []*life) {
	for _, j := range s.jobs {
		owners := 0
		for _, l := range right {
			if s.owns[l](j.id) {
				owners++
			}
		}
		if owners != 1 {
			s.redis.w.fail(oneWorker, "%s has %d of %d workers", j.id, owners, len(right))
		}
		for _, l := range wrong {
			if s.owns[l](j.id) {
				s.redis.w.fail(clockHolds, "%s has %s, and its clock is %s off", l.machine.name, j.id, l.machine.off())
			}
		}
	}
	s.shared = true
}
