package schedule

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/cadence"
	"mkt/internal/panics"
)

// Job is a name and its schedule.
type Job struct {
	Name string // unique, "acme/market_engine"
	Expr string
	// Lane is a group of jobs with their own slots: slow jobs of other lanes do not delay them.
	Lane string
}

// Options are the options of a [Scheduler].
type Options struct {
	// Run runs the job. The scheduler cancels its context to stop, waits for it, and logs its
	// error. Required.
	Run func(ctx context.Context, name string) error
	// Now is the clock. Required.
	Now func() time.Time
	// Jitter bounds the wait before a run, which spreads jobs due at the same time. A
	// job's wait depends only on its name, so it is the same at every tick and after every
	// restart. It is at most a tenth of the shortest time between two ticks. 0: none.
	Jitter time.Duration
	// Parallel bounds the concurrent runs of a lane; 0: 4. Lanes overrides it by lane.
	Parallel int
	Lanes    map[string]int
	// Skipped is called for each skipped tick. May be nil.
	Skipped func(Job)
	Log     *slog.Logger // nil: discarded
}

// Scheduler runs jobs until its context ends. It is safe for concurrent use.
type Scheduler struct {
	o    Options
	runs sync.WaitGroup // and the goroutines that wait for ticks

	mu      sync.Mutex // guards the following fields
	ctx     context.Context
	begun   bool // Run was called
	stopped bool // no further run begins
	entries map[string]entry
	running map[string]phase
	skipped map[string]skips
	lanes   map[string]chan struct{} // a slot is taken during a run
	again   map[string]*time.Timer   // see Again and Retry
}

type entry struct {
	end      context.CancelFunc // of its ticks; nil before Run
	job      Job
	when     cadence.Schedule // by the job's expression
	pace     time.Duration    // see SetPace
	shortest time.Duration    // between two ticks
}

// skips counts the skipped ticks of a job.
type skips struct{ inARow, all uint64 }

// phase is how far a run has come.
type phase int

const (
	waiting phase = iota + 1 // for its jitter, or for a free slot
	started
)

// New returns a scheduler without jobs.
func New(o Options) *Scheduler {
	if o.Parallel <= 0 {
		o.Parallel = 4
	}
	if o.Skipped == nil {
		o.Skipped = func(Job) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Scheduler{
		o:       o,
		ctx:     context.Background(),
		entries: map[string]entry{},
		running: map[string]phase{},
		skipped: map[string]skips{},
		lanes:   map[string]chan struct{}{},
		again:   map[string]*time.Timer{},
	}
}

// Set replaces the jobs. If a removed job is running, its run continues. If an expression is
// invalid, Set returns an error and changes nothing.
func (s *Scheduler) Set(jobs []Job) error {
	parsed := make(map[string]cadence.Schedule, len(jobs))
	for _, j := range jobs {
		p, err := cadence.Parse(j.Expr)
		if err != nil {
			return fmt.Errorf("schedule of %s: %w", j.Name, err)
		}
		parsed[j.Name] = p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, e := range s.entries {
		if parsed[name] == nil {
			e.stop()
			delete(s.entries, name)
			s.forgetAgain(name)
		}
	}
	for _, j := range jobs {
		s.setOne(j, parsed[j.Name])
	}
	return nil
}

func (s *Scheduler) setOne(j Job, when cadence.Schedule) {
	old, ok := s.entries[j.Name]
	if ok && old.job == j {
		return
	}
	old.stop()
	s.enter(entry{job: j, when: when, pace: old.pace})
}

// stop ends the ticks of an entry.
func (e entry) stop() {
	if e.end != nil {
		e.end()
	}
}

// enter adds an entry that has no ticks, and begins them if Run is under way. s.mu must be held.
func (s *Scheduler) enter(e entry) {
	when, name := cadence.Slower(e.when, e.pace), e.job.Name
	e.shortest, _ = cadence.Gaps(when, s.o.Now())
	if s.begun && !s.stopped {
		var ctx context.Context
		ctx, e.end = context.WithCancel(s.ctx)
		s.runs.Go(func() { s.tick(ctx, name, when) })
	}
	s.entries[name] = e
}

// mostWait is how long it takes at most to notice that the clock was set.
const mostWait = time.Minute

// tick triggers a job at its ticks until ctx ends. If the clock was set back, the ticks are those of the new
// time; if it was set forward past a tick, the job is triggered when that is noticed.
func (s *Scheduler) tick(ctx context.Context, name string, when cadence.Schedule) {
	next := when.Next(s.o.Now().UTC())
	for !next.IsZero() && sleep(ctx, min(next.Sub(s.o.Now()), mostWait)) {
		now := s.o.Now().UTC()
		if !now.Before(next) {
			s.trigger(name, s.o.Jitter)
		}
		next = when.Next(now)
	}
}

// sleep waits, and returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// SetPace makes a job due at most once in each interval of a pace, as [cadence.Slower] does; 0 restores
// its own schedule. The pace stays if [Scheduler.Set] changes the job's expression.
func (s *Scheduler) SetPace(name string, pace time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[name]
	if !ok || e.pace == pace {
		return
	}
	e.stop()
	e.pace = pace
	s.enter(e)
}

// Run starts the overdue jobs at once, runs the others at their ticks until ctx ends, and waits
// for the runs under way.
func (s *Scheduler) Run(ctx context.Context, overdue ...string) {
	s.mu.Lock()
	s.ctx, s.begun = ctx, true
	for _, e := range s.entries {
		s.enter(e)
	}
	s.mu.Unlock()
	s.Now(overdue...)
	<-ctx.Done()
	s.mu.Lock()
	s.stopped = true
	for name := range s.again {
		s.forgetAgain(name)
	}
	var under []string
	for name, how := range s.running {
		if how == started {
			under = append(under, name)
		}
	}
	s.mu.Unlock()
	if len(under) > 0 {
		slices.Sort(under)
		s.o.Log.Info("stopping: waits for the runs under way; a second Ctrl-C or SIGTERM ends them at once, and nothing that was published is lost", "jobs", strings.Join(under, ", "))
	}
	s.runs.Wait()
}

// Now starts jobs at once, except running ones. It does nothing unless [Scheduler.Run] is under way.
func (s *Scheduler) Now(names ...string) {
	for _, name := range names {
		s.mu.Lock()
		due := s.begun && s.running[name] == 0
		s.mu.Unlock()
		if due {
			s.trigger(name, 0)
		}
	}
}

// trigger starts a job without waiting for it, or skips the tick if the job is running. jitter
// bounds the wait before the run.
func (s *Scheduler) trigger(name string, jitter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[name]
	if !ok || s.stopped {
		return
	}
	if s.running[name] != 0 {
		s.skip(e.job)
		return
	}
	s.forgetAgain(name)
	s.running[name], s.skipped[name] = waiting, skips{all: s.skipped[name].all}
	ctx, lane := s.ctx, s.lane(e.job.Lane)
	s.runs.Go(func() { s.run(ctx, name, lane, share(name, min(jitter, e.shortest/10))) })
}

// Again runs a job once at a time, in addition to its expression. It replaces the time of an
// earlier call. If a run of the job begins earlier, Again adds none. It does nothing unless
// [Scheduler.Run] is under way.
func (s *Scheduler) Again(name string, at time.Time) { s.plan(name, at, s.o.Jitter) }

// Retry is [Scheduler.Again] without jitter, for a run that could not begin.
func (s *Scheduler) Retry(name string, at time.Time) { s.plan(name, at, 0) }

func (s *Scheduler) plan(name string, at time.Time, jitter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.entries[name]; !ok || !s.begun || s.stopped {
		return
	}
	s.forgetAgain(name)
	var own *time.Timer
	own = time.AfterFunc(at.Sub(s.o.Now()), func() {
		s.mu.Lock()
		due := s.again[name] == own && s.running[name] == 0
		s.mu.Unlock()
		if due {
			s.trigger(name, jitter)
		}
	})
	s.again[name] = own
}

// forgetAgain cancels a call of Again. s.mu must be held.
func (s *Scheduler) forgetAgain(name string) {
	if t := s.again[name]; t != nil {
		t.Stop()
		delete(s.again, name)
	}
}

// skip counts a skipped tick. s.mu must be held.
func (s *Scheduler) skip(j Job) {
	n := s.skipped[j.Name]
	n.inARow++
	n.all++
	s.skipped[j.Name] = n
	reason := "tick skipped: the previous run is still under way"
	if s.running[j.Name] == waiting {
		reason = "tick skipped: the previous run still waits for a free slot; runs of other jobs take them all"
	}
	s.o.Log.Warn(reason, "job", j.Name, "in_a_row", n.inARow, "skipped", n.all)
	s.o.Skipped(j)
}

// Skipped returns the number of skipped ticks of all jobs.
func (s *Scheduler) Skipped() (all uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.skipped {
		all += n.all
	}
	return all
}

// share returns a job's part of a duration, which depends only on its name.
func share(name string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(float64(of) * float64(h.Sum32()) / (1 << 32))
}

// lane returns the slots of a lane. s.mu must be held.
func (s *Scheduler) lane(name string) chan struct{} {
	if s.lanes[name] == nil {
		s.lanes[name] = make(chan struct{}, cmp.Or(s.o.Lanes[name], s.o.Parallel))
	}
	return s.lanes[name]
}

func (s *Scheduler) run(ctx context.Context, name string, lane chan struct{}, wait time.Duration) {
	defer func() {
		s.mu.Lock()
		delete(s.running, name)
		s.mu.Unlock()
	}()
	if !admit(ctx, lane, wait) {
		return
	}
	defer func() { <-lane }()
	s.mu.Lock()
	s.running[name] = started
	s.mu.Unlock()
	if err := s.guarded(ctx, name); err != nil {
		s.o.Log.Error("run failed", "job", name, "error", err)
	}
}

// admit waits, then waits for a free slot. It returns false if ctx ends first.
func admit(ctx context.Context, lane chan struct{}, wait time.Duration) bool {
	if wait > 0 && !sleep(ctx, wait) {
		return false
	}
	select {
	case lane <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// guarded returns a panic of a job as an error: the other jobs continue.
func (s *Scheduler) guarded(ctx context.Context, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %s", panics.Describe(p))
		}
	}()
	return s.o.Run(ctx, name)
}
