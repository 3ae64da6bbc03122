package batch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cyclestate"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/internal/cluster"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/account"
)

// timetable runs cycles for mkt schedule and mkt demo, by the expressions of the tenants file
// in force.
type timetable struct {
	group     *Group
	steps     []Step
	catchUp   bool
	member    *cluster.Member // nil: this process runs all accounts
	grace     time.Duration   // how long a running step may go on after the stop
	Scheduler *schedule.Scheduler
	metrics   *cycleMetrics

	mu        sync.Mutex // guards the following fields
	file      *tenants.File
	owned     map[string]bool          // by entry: run by this process
	accounts  int                      // run by this process
	able      map[string]bool          // by entry: its account may run
	arrived   map[string]bool          // by entry: its next run finds out whether another worker ran the tick
	postponed map[string]time.Time     // by entry: the time logged last
	paces     map[string]time.Duration // by entry: runs less often than tenants.yaml says

	pacing    sync.Mutex // held while paces are decided
	assigning sync.Mutex // held while entries come and go
}

// liveFactor is how many live cycles may run for one of another product: they are short,
// and most of the time they wait for the provider.
const liveFactor = 4

func NewTimetable(g *Group, o ScheduleOptions, steps []Step) *timetable {
	t := &timetable{group: g, steps: steps, grace: o.Grace, catchUp: o.catchUp, metrics: newCycleMetrics(g.Now), postponed: map[string]time.Time{}, paces: map[string]time.Duration{},
		owned: map[string]bool{}, arrived: map[string]bool{}}
	t.Scheduler = schedule.New(schedule.Options{Now: g.Now, Run: t.Run, Jitter: o.Jitter, Parallel: o.Parallel, Lanes: map[string]int{
		string(football.LiveIntelligence): liveFactor * o.Parallel}, Skipped: t.metrics.skip, Log: g.Log})
	return t
}

// SetTenants puts a generation of the tenants file in force, in which revoked accounts
// stay revoked.
func (t *timetable) SetTenants(f *tenants.File) error {
	return t.assign(f, func() *tenants.File { return t.group.revoked.Apply(f, t.group.Log) })
}

// Entries returns the jobs of every tenant that has an expression. Whether a tenant may
// run is decided at each tick, because a product can expire.
func Entries(f *tenants.File) []schedule.Job {
	var list []schedule.Job
	for i := range f.Tenants {
		for _, p := range account.Products() {
			if expr := f.Tenants[i].Expression(p); expr != "" {
				list = append(list, schedule.Job{Name: entryName(f.Tenants[i].ID, p), Expr: expr, Lane: string(p)})
			}
		}
	}
	return list
}

func entryName(id string, p football.Product) string { return id + "/" + string(p) }

// due returns the job of an entry, or false if it must not run now.
func (t *timetable) due(ctx context.Context, name string) (Job, bool) {
	id, product, _ := strings.Cut(name, "/")
	t.mu.Lock()
	tenant, ok := t.file.Tenant(id)
	t.mu.Unlock()
	if !ok {
		return Job{}, false
	}
	s := Selection{All: true, Product: product}
	jobs, reason := s.due(tenant, t.group.Now())
	if len(jobs) == 0 {
		t.group.Log.Debug("tick skipped: the tenant does not run", "tenant", id, "product", product, "reason", reason)
		return Job{}, false
	}
	p := t.group.postponed(jobs[0])
	if p != nil && t.group.HasStore() {
		t.group.copyStates(ctx, jobs[0])
		p = t.group.postponed(jobs[0])
	}
	if p != nil {
		t.metrics.countPostponed(jobs[0], p.Why)
		t.postpone(jobs[0], p)
		return Job{}, false
	}
	return jobs[0], true
}

// postpone schedules a job for when its provider may be asked again, and logs it once.
func (t *timetable) postpone(j Job, p *cyclestate.Postponement) {
	name := entryName(j.Tenant.ID, j.Product)
	t.Scheduler.Again(name, p.Until)
	t.mu.Lock()
	known := t.postponed[name].Equal(p.Until)
	t.postponed[name] = p.Until
	t.mu.Unlock()
	if !known {
		t.group.Log.Warn("postponed: "+p.Reason, "tenant", j.Tenant.ID, "product", j.Product, "reason", string(p.Why), "until", p.Until.UTC())
	}
}

// Run is one tick. When stopping is done, the step under way may take as long as the grace,
// and no further step begins.
func (t *timetable) Run(stopping context.Context, name string) error {
	j, ok := t.due(stopping, name)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(stopping))
	defer cancel()
	defer context.AfterFunc(stopping, func() { time.AfterFunc(t.grace, cancel) })()
	ended := t.metrics.begin(j)
	defer func() { ended(cycleFailed) }() // after an error or a panic
	var last Report
	err := t.group.RunJob(ctx, stopping, j, "", t.stepsOf(name), func(r Report) {
		last = r
		t.metrics.count(j, r)
	})
	switch {
	case err == nil:
		ended(cyclePublished)
	case errors.Is(err, durable.ErrLocked), errors.Is(err, errAlreadyRan), errors.Is(err, cli.ErrDeleted):
		ended(cycleLocked)
	case errors.As(err, new(cli.Interrupted)):
		ended(cycleInterrupted)
	case errors.As(err, new(*cluster.AwayError)), errors.As(err, new(*cluster.ClockError)), errors.Is(err, cluster.ErrLost):
		ended(cycleUnleased)
	default:
		last.Code = t.group.codeOf(last)
		t.metrics.failure(last)
	}
	t.afterLease(name, err)
	if p := t.group.postponed(j); p != nil {
		t.postpone(j, p)
	}
	if t.runsHere(j.Tenant) {
		t.pace(j.Tenant)
	}
	return nil
}
