package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/schedule"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/sharing"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
)

// timetable runs cycles for mkt schedule and mkt demo, by the expressions of the tenants file
// in force.
type timetable struct {
	group     *Group
	steps     []Step
	grace     time.Duration // how long a running step may go on after the stop
	Scheduler *schedule.Scheduler
	share     *sharing.Share
	metrics   *cycleMetrics

	mu        sync.Mutex               // guards the following fields
	postponed map[string]time.Time     // by entry: the time logged last
	paces     map[string]time.Duration // by entry: runs less often than tenants.yaml says

	pacing sync.Mutex // held while paces are decided
}

// liveFactor is how many live cycles may run for one of another product: they are short,
// and most of the time they wait for the provider.
const liveFactor = 4

func NewTimetable(g *Group, o ScheduleOptions, steps []Step) *timetable {
	t := &timetable{group: g, steps: steps, grace: o.Grace, metrics: newCycleMetrics(g.Now), postponed: map[string]time.Time{}, paces: map[string]time.Duration{}}
	t.Scheduler = schedule.New(schedule.Options{Now: g.Now, Run: t.Run, Jitter: o.Jitter, Parallel: o.Parallel, Lanes: map[string]int{
		string(football.LiveIntelligence): liveFactor * o.Parallel}, Skipped: t.metrics.skip, Log: g.Log})
	t.share = sharing.New(sharing.Options{Scheduler: t.Scheduler, CatchUp: o.catchUp, Now: func() time.Time { return g.Now() }, Log: g.Log,
		Newest: func(id string, p football.Product) *health.Run {
			return cyclestate.NewestRun(g.Data, id, p, health.StepFetch)
		},
		PaceOf: t.paceOf, Decide: t.pace, Left: func(name string) { t.setPace(name, 0) }})
	return t
}

// SetTenants puts a generation of the tenants file in force, in which revoked accounts
// stay revoked.
func (t *timetable) SetTenants(f *accounts.File) error {
	return t.share.Set(f, func() *accounts.File { return t.group.revoked.Apply(f, t.group.Log) })
}

// stepsOf returns the steps of an entry. The first of them finds out whether another worker ran
// the tick, because the newest state of the account is here then.
func (t *timetable) stepsOf() []Step {
	look := func(ctx context.Context, task Task) (Report, error) {
		if err := t.share.Check(task.Tenant, task.Product); err != nil {
			return Report{Step: health.StepFetch}, err
		}
		return t.steps[0](ctx, task)
	}
	return append([]Step{look}, t.steps[1:]...)
}

// due returns the job of an entry, or false if it must not run now.
func (t *timetable) due(ctx context.Context, name string) (Job, bool) {
	id, product := sharing.Parse(name)
	tenant, ok := t.share.File().Tenant(id)
	if !ok {
		return Job{}, false
	}
	s := Selection{All: true, Product: string(product)}
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
	name := sharing.Entry(j.Tenant.ID, j.Product)
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
	err := t.group.RunJob(ctx, stopping, j, "", t.stepsOf(), func(r Report) {
		last = r
		t.metrics.count(j, r)
	})
	switch {
	case err == nil:
		ended(cyclePublished)
	case errors.Is(err, durable.ErrLocked), errors.Is(err, sharing.ErrAlreadyRan), errors.Is(err, accounts.ErrDeleted):
		ended(cycleLocked)
	case errors.As(err, new(cli.Interrupted)):
		ended(cycleInterrupted)
	case sharing.Unleased(err):
		ended(cycleUnleased)
	default:
		last.Code = t.group.codeOf(last)
		t.metrics.failure(last)
	}
	t.share.After(name, err)
	if p := t.group.postponed(j); p != nil {
		t.postpone(j, p)
	}
	if t.share.RunsHere(j.Tenant.ID) {
		t.pace(j.Tenant)
	}
	return nil
}
