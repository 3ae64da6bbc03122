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
	leases  map[*life]map[string]context.Context
	ran     map[string]time.Time // when a run of a job last began or ended
	running map[string]int       // runs under way
}

func newShift(s *services) *shift {
	return &shift{redis: s.redis, office: s.office, jobs: s.jobs, every: s.every, owns: map[*life]func(string) bool{}, leases: map[*life]map[string]context.Context{},
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

// runs notes that a worker runs a job until ends is called.
func (s *shift) runs(j job) (ends func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran[j.entry()] = time.Now()
	s.running[j.entry()]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ran[j.entry()] = time.Now()
		s.running[j.entry()]--
	}
}

// leased notes that a worker has the lease of a job until released is called, or ctx ends.
func (s *shift) leased(l *life, j job, ctx context.Context) (released func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.redis.w
	for other, leases := range s.leases {
		held := leases[j.entry()]
		if held != nil && held.Err() == nil && !other.dead.Load() && s.redis.hasAnswered(renewedFor, mayFail, other, l) {
			w.fail(oneAtATime, "%s: %s has the lease, and %s took it", j, other.machine.name, l.machine.name)
		}
	}
	if off := l.machine.off(); l.machine.isSettled(settledAfter) && off.Abs() > cluster.ClockTolerance+time.Second {
		w.fail(clockHolds, "%s: %s took the lease, and its clock is %s off", j, l.machine.name, off)
	}
	s.leases[l][j.entry()] = ctx
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.leases[l], j.entry())
	}
}

// watch judges the workers at times, until the life of one of them ends.
func (s *shift) watch(l *life) {
	for sleep(l.ctx, s.redis.w.span("watch", l.id(), 5*time.Second, 15*time.Second)) {
		if _, err := l.enter("watch", ""); err != nil {
			return
		}
		s.judge()
	}
}

// judge checks that each account has exactly one worker, and runs, once nothing was in the way for a while.
func (s *shift) judge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.changed) <= settledAfter {
		return
	}
	w := s.redis.w
	var right, wrong []*life // clocks
	for l := range s.owns {
		switch off := l.machine.off().Abs(); {
		case l.dead.Load(), !l.machine.isSettled(settledAfter):
			return
		case l.machine.isCut(): // it keeps its accounts
		case off > cluster.ClockTolerance+time.Second:
			wrong = append(wrong, l)
		case off > cluster.ClockTolerance-time.Second:
			return
		default:
			right = append(right, l)
		}
	}
	if !s.redis.hasAnswered(settledAfter, mayFail, append(right, wrong...)...) || len(right) == 0 {
		return
	}
	file := s.office.newest()
	for _, j := range s.jobs {
		owners := 0
		for _, l := range right {
			if s.owns[l](j.id) {
				owners++
			}
		}
		for _, l := range wrong {
			if s.owns[l](j.id) {
				w.fail(clockHolds, "%s has %s, and its clock is %s off", l.machine.name, j.id, l.machine.off())
			}
		}
		if owners != 1 {
			w.fail(oneWorker, "%s has %d of %d workers", j.id, owners, len(right))
		}
		last, known := s.ran[j.entry()]
		if _, there := file.Tenant(j.id); !there {
			delete(s.ran, j.entry())
		} else if known && s.running[j.entry()] == 0 && time.Since(last) > s.every[j.product]+time.Minute {
			w.fail(oneWorker, "%s has not run for %s", j, time.Since(last))
		}
	}
}
