// Package sharing decides which cycles this process runs: all, or those of its accounts if several
// workers share them. An account with all its products is run by one worker, because its quota and
// its pace are decided over all products. It also decides when a cycle runs that came from another
// worker, or whose lease another process has.
//
// It runs nothing itself: mkt schedule and the simulation of the whole system do.
package sharing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/internal/cluster"
	"mkt/internal/schedule"
	"mkt/internal/schedule/cyclestate"
	"mkt/publish/football"
	"mkt/publish/health"
)

// Options are what a process knows of its cycles. An entry is a product of an account: see [Entry].
type Options struct {
	Scheduler *schedule.Scheduler
	CatchUp   bool // overdue entries run at once
	Now       func() time.Time
	Log       *slog.Logger

	Newest func(id string, p football.Product) *health.Run // the newest fetch; nil if there is none
	PaceOf func(entry string) time.Duration                // the least time between two cycles; 0: as its expression says
	Decide func(*accounts.Tenant)                          // decides the paces of an account that came
	Left   func(entry string)                              // called for an entry that left
}

// Share is the part of the entries that this process runs. It is safe for concurrent use.
type Share struct {
	o         Options
	member    *cluster.Member // nil: this process runs all accounts
	assigning sync.Mutex      // held while entries come and go

	mu      sync.Mutex // guards the following fields
	file    *accounts.File
	owned   map[string]bool // by entry: run by this process
	able    map[string]bool // by entry: its account may run
	doubted map[string]bool // by entry: another worker may have run its tick
}

// New returns a share that has no entries.
func New(o Options) *Share {
	return &Share{o: o, owned: map[string]bool{}, doubted: map[string]bool{}}
}

// Join makes this process one of several workers until ctx ends. end waits until the others know
// that this worker has left. Without a conn, nil, this process stays alone.
func (s *Share) Join(ctx context.Context, conn *cluster.Conn) (end func()) {
	if conn == nil {
		return func() {}
	}
	ctx, leave := context.WithCancel(ctx)
	s.member = conn.Join(s.reassign)
	var ended sync.WaitGroup
	ended.Go(func() { s.member.Run(ctx) })
	return func() { leave(); ended.Wait() }
}

// Member returns this process among the workers, nil if it is alone.
func (s *Share) Member() *cluster.Member { return s.member }

// Owns reports whether this process runs an account.
func (s *Share) Owns(id string) bool { return s.member == nil || s.member.Owns(id) }

// File returns the accounts in force, nil before [Share.Set].
func (s *Share) File() *accounts.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

// Entry returns the name of a product of an account.
func Entry(id string, p football.Product) string { return id + "/" + string(p) }

// Parse returns the account and the product of an entry.
func Parse(entry string) (id string, p football.Product) {
	id, product, _ := strings.Cut(entry, "/")
	return id, football.Product(product)
}

// Entries returns the jobs of every tenant that has an expression. Whether a tenant may
// run is decided at each tick, because a product can expire.
func Entries(f *accounts.File) []schedule.Job {
	var list []schedule.Job
	for i := range f.Tenants {
		for _, p := range football.Products() {
			if expr := f.Tenants[i].Expression(p); expr != "" {
				list = append(list, schedule.Job{Name: Entry(f.Tenants[i].ID, p), Expr: expr, Lane: string(p)})
			}
		}
	}
	return list
}

// reassign takes on entries that came to this worker, and gives up entries that left it.
func (s *Share) reassign() {
	s.assigning.Lock()
	defer s.assigning.Unlock()
	f := s.File()
	if f == nil {
		return
	}
	if err := s.assign(f, func() *accounts.File { return f }); err != nil {
		s.o.Log.Error("the accounts of this worker stay as they are", "error", err)
	}
}

// Set puts this worker's entries of a file in force. accept is called if their expressions are
// valid, and returns the file to put in force with them.
func (s *Share) Set(f *accounts.File, accept func() *accounts.File) error {
	s.assigning.Lock()
	defer s.assigning.Unlock()
	return s.assign(f, accept)
}

func (s *Share) assign(f *accounts.File, accept func() *accounts.File) error {
	var entries []schedule.Job
	owned := map[string]bool{}
	for _, e := range Entries(f) {
		if id, _ := Parse(e.Name); s.Owns(id) {
			entries = append(entries, e)
			owned[e.Name] = true
		}
	}
	if err := s.o.Scheduler.Set(entries); err != nil {
		return err
	}
	came, left, first := s.replace(accept(), owned)
	for _, name := range left {
		s.o.Left(name)
	}
	if s.member != nil || !first { // on one machine, the start decides all paces and runs what is overdue
		s.begin(came)
	}
	if s.member != nil && len(came)+len(left) > 0 {
		s.o.Log.Info("accounts shared again", "workers", s.member.Team(), "accounts", s.Accounts(), "jobs_came", len(came), "jobs_left", len(left))
	}
	return nil
}

// replace puts a file and the owned entries in force. came are the entries that are new, or whose
// account may run again.
func (s *Share) replace(f *accounts.File, owned map[string]bool) (came, left []string, first bool) {
	able, now := map[string]bool{}, s.o.Now()
	for i := range f.Tenants {
		t := &f.Tenants[i]
		for p := range t.Products {
			able[Entry(t.ID, p)] = cyclestate.Stopped(t) == "" && cyclestate.InForce(t, p, now)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range owned {
		isNew := !s.owned[name]
		if isNew || able[name] && !s.able[name] {
			came = append(came, name)
		}
		if isNew && s.member != nil {
			s.doubted[name] = true
		}
	}
	for name := range s.owned {
		if !owned[name] {
			left = append(left, name)
			delete(s.doubted, name)
		}
	}
	first = s.file == nil
	s.file, s.owned, s.able = f, owned, able
	return came, left, first
}

// Accounts returns how many accounts this process runs.
func (s *Share) Accounts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := map[string]bool{}
	for name := range s.owned {
		id, _ := Parse(name)
		ids[id] = true
	}
	return len(ids)
}

// begin decides the paces of accounts that came, and runs the overdue entries.
func (s *Share) begin(came []string) {
	var overdue []string
	paced := map[string]bool{}
	f := s.File()
	for _, name := range came {
		id, p := Parse(name)
		t, ok := f.Tenant(id)
		if !ok {
			continue
		}
		if !paced[id] {
			paced[id] = true
			s.o.Decide(t)
		}
		if s.o.CatchUp && (s.isOverdue(t, p) || s.missedTick(t, p)) {
			overdue = append(overdue, name)
		}
	}
	s.o.Scheduler.Now(overdue...)
}

const (
	// catchUpFrom is the shortest cadence whose overdue runs are run at once. With a shorter
	// one the next tick comes soon enough, and live samples must stay on their ticks.
	catchUpFrom = time.Minute
	// lateAfter is how long after a tick its run may begin: the jitter of live cycles is shorter.
	lateAfter = 2 * time.Second
	// retryLease is how soon a run without a lease is tried again.
	retryLease = 2 * time.Second
)

// Overdue returns the entries whose newest fetch is older than their cadence or missing:
// neither a restart nor a new tenant must wait an hour.
func (s *Share) Overdue() []string {
	var list []string
	f := s.File()
	for i := range f.Tenants {
		for _, p := range football.Products() {
			if s.isOverdue(&f.Tenants[i], p) {
				list = append(list, Entry(f.Tenants[i].ID, p))
			}
		}
	}
	return list
}

func (s *Share) isOverdue(t *accounts.Tenant, p football.Product) bool {
	when, err := s.whenOf(t, p)
	if err != nil {
		return false
	}
	now := s.o.Now()
	every := cadence.Of(when, now)
	run := s.o.Newest(t.ID, p)
	return every >= catchUpFrom && (run == nil || now.Sub(run.StartedAt) >= every)
}

// missedTick reports whether a cycle did not begin at its newest tick, as far as this machine knows:
// the worker of the account died. It runs at once, and then again on its ticks. A machine that is
// alone waits for the next tick unless cycles are live.
func (s *Share) missedTick(t *accounts.Tenant, p football.Product) bool {
	when, err := s.whenOf(t, p)
	if err != nil || s.member == nil && cadence.Of(when, s.o.Now()) >= catchUpFrom {
		return false
	}
	run := s.o.Newest(t.ID, p)
	if run == nil { // its state is on other machines
		return s.member != nil
	}
	return when.Next(run.StartedAt.UTC()).Before(s.o.Now().Add(-lateAfter))
}

// whenOf returns when an entry is due, at the pace in force.
func (s *Share) whenOf(t *accounts.Tenant, p football.Product) (cadence.Schedule, error) {
	when, err := cadence.Parse(t.Expression(p))
	if err != nil {
		return nil, err
	}
	return cadence.Slower(when, s.o.PaceOf(Entry(t.ID, p))), nil
}

// ErrAlreadyRan ends the run of an entry whose tick another worker ran.
var ErrAlreadyRan = errors.New("another worker ran this cycle")

// Check returns [ErrAlreadyRan] if another worker, which had the entry or its lease before, ran
// the tick that is due now. It is called once the newest state of the account is on this machine,
// and answers nil for further runs.
//
// The clock of that worker may have been ahead. A fetch in the future counts only with cadences of
// a minute or more: another machine's fast clock must not keep live cycles from running.
func (s *Share) Check(t *accounts.Tenant, p football.Product) error {
	name := Entry(t.ID, p)
	s.mu.Lock()
	doubted := s.doubted[name]
	delete(s.doubted, name)
	s.mu.Unlock()
	when, err := s.whenOf(t, p)
	if !doubted || err != nil {
		return nil
	}
	now, run := s.o.Now(), s.o.Newest(t.ID, p)
	if run == nil || !run.OK || run.Code != "" || run.StartedAt.After(now) && cadence.Of(when, now) < catchUpFrom {
		return nil
	}
	if when.Next(run.StartedAt.UTC()).After(now) {
		return ErrAlreadyRan
	}
	return nil
}

// After plans the next attempt of a run that ended with err because another process has its
// lease. It may be that of a dead worker, which expires. A living holder runs the tick, which
// [Share.Check] then finds.
func (s *Share) After(entry string, err error) {
	var taken *cluster.TakenError
	at := s.o.Now().Add(retryLease)
	switch {
	case errors.As(err, &taken):
		if taken.Gone.After(at) {
			at = taken.Gone.Add(retryLease / 10)
		}
	case !errors.Is(err, cluster.ErrLost):
		return
	}
	s.mu.Lock()
	s.doubted[entry] = true
	s.mu.Unlock()
	s.o.Scheduler.Retry(entry, at)
}

// Unleased reports whether a run ended because of its lease: the cluster is away, the clock of this
// machine is wrong, or the lease was lost.
func Unleased(err error) bool {
	return errors.As(err, new(*cluster.AwayError)) || errors.As(err, new(*cluster.ClockError)) || errors.Is(err, cluster.ErrLost)
}

// RunsHere reports whether this process has an entry of an account.
func (s *Share) RunsHere(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range football.Products() {
		if s.member == nil || s.owned[Entry(id, p)] {
			return true
		}
	}
	return false
}
