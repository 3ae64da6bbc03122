package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

// Job is a name and when it is due.
type Job struct {
	Name string // unique, "acme/market_engine"
	Expr string
}

// Options of a Scheduler.
type Options struct {
	// Run does the job. Its context ends when the scheduler is asked to stop;
	// the scheduler waits for it. Its error is logged. Required.
	Run func(ctx context.Context, name string) error
	// Jitter bounds the random wait before a run; a tenth of the job's own
	// cadence bounds it too. 0: none.
	Jitter time.Duration
	// Parallel bounds the runs under way at once; 0: 4.
	Parallel int
	Log      *slog.Logger // nil: discarded
}

// Scheduler runs jobs until its context ends. Safe for concurrent use.
type Scheduler struct {
	o     Options
	cron  *cron.Cron
	slots chan struct{}
	runs  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	ctx     context.Context
	stopped bool // no run begins any more
	entries map[string]entry
	running map[string]bool
}

type entry struct {
	id      cron.EntryID
	expr    string
	cadence time.Duration
}

// New makes a scheduler without jobs.
func New(o Options) *Scheduler {
	if o.Parallel <= 0 {
		o.Parallel = 4
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Scheduler{
		o:       o,
		cron:    cron.New(cron.WithLocation(time.UTC)),
		slots:   make(chan struct{}, o.Parallel),
		ctx:     context.Background(),
		entries: map[string]entry{},
		running: map[string]bool{},
	}
}

// Set replaces the jobs. One whose expression is the same keeps its phase; a
// removed one's run under way goes on to its end. An expression that does not
// parse is an error and leaves the jobs as they were.
func (s *Scheduler) Set(jobs []Job) error {
	parsed := make(map[string]cron.Schedule, len(jobs))
	for _, j := range jobs {
		p, err := Parse(j.Expr)
		if err != nil {
			return fmt.Errorf("schedule of %s: %w", j.Name, err)
		}
		parsed[j.Name] = p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, e := range s.entries {
		if parsed[name] == nil {
			s.cron.Remove(e.id)
			delete(s.entries, name)
		}
	}
	for _, j := range jobs {
		s.setOne(j, parsed[j.Name])
	}
	return nil
}

func (s *Scheduler) setOne(j Job, when cron.Schedule) {
	old, ok := s.entries[j.Name]
	if ok && old.expr == j.Expr {
		return
	}
	if ok {
		s.cron.Remove(old.id)
	}
	id := s.cron.Schedule(when, cron.FuncJob(func() { s.trigger(j.Name, s.o.Jitter) }))
	s.entries[j.Name] = entry{id: id, expr: j.Expr, cadence: Cadence(when, time.Now())}
}

// Run starts the jobs named in overdue at once, ticks until ctx ends, and waits for the
// runs under way.
func (s *Scheduler) Run(ctx context.Context, overdue ...string) {
	s.mu.Lock()
	s.ctx = ctx
	s.mu.Unlock()
	for _, name := range overdue {
		s.trigger(name, 0)
	}
	s.cron.Start()
	<-ctx.Done()
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	<-s.cron.Stop().Done()
	s.runs.Wait()
}

// trigger starts a job unless a run of it is under way; the tick is then
// skipped. It does not wait. jitter bounds the wait before the run.
func (s *Scheduler) trigger(name string, jitter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[name]
	if !ok || s.stopped {
		return
	}
	if s.running[name] {
		s.o.Log.Warn("tick skipped: the previous run is still under way", "job", name)
		return
	}
	s.running[name] = true
	ctx := s.ctx
	s.runs.Go(func() { s.run(ctx, name, min(jitter, e.cadence/10)) })
}

func (s *Scheduler) run(ctx context.Context, name string, jitter time.Duration) {
	defer func() {
		s.mu.Lock()
		delete(s.running, name)
		s.mu.Unlock()
	}()
	if !s.admit(ctx, jitter) {
		return
	}
	defer func() { <-s.slots }()
	if err := s.guarded(ctx, name); err != nil {
		s.o.Log.Error("run failed", "job", name, "error", err)
	}
}

// admit waits out the jitter and then for a free slot; it is false when the
// scheduler stops first.
func (s *Scheduler) admit(ctx context.Context, jitter time.Duration) bool {
	if jitter > 0 {
		wait := time.NewTimer(rand.N(jitter))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case s.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// guarded turns a panic of one job into its error: the others go on.
func (s *Scheduler) guarded(ctx context.Context, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.o.Run(ctx, name)
}
