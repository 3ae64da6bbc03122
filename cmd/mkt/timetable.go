package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/account"
)

// timetable runs cycles on the expressions of the tenants file in force. mkt
// schedule and mkt demo have one.
type timetable struct {
	app       *app
	steps     []step
	grace     time.Duration // how long a running step may go on after the stop
	scheduler *schedule.Scheduler
	metrics   *cycleMetrics

	mu        sync.Mutex // guards what follows
	file      *tenants.File
	postponed map[string]time.Time // by entry: until when, as the log said last
}

// livePlaces is how many live cycles are under way for one of another product:
// they are short, and most of that time they wait for the provider.
const livePlaces = 4

func newTimetable(a *app, o scheduleOptions, steps []step) *timetable {
	t := &timetable{app: a, steps: steps, grace: o.grace, metrics: newCycleMetrics(a.now), postponed: map[string]time.Time{}}
	t.scheduler = schedule.New(schedule.Options{Now: a.now, Run: t.run, Jitter: o.jitter, Parallel: o.parallel, Lanes: map[string]int{
		string(football.LiveIntelligence): livePlaces * o.parallel}, Skipped: t.metrics.skip, Log: a.log})
	return t
}

// follow puts a generation of the tenants file in force, in which revoked accounts
// stay revoked.
func (t *timetable) follow(f *tenants.File) error {
	if err := t.scheduler.Set(entries(f)); err != nil {
		return err
	}
	f = t.app.final.hold(f, t.app.log)
	t.mu.Lock()
	t.file = f
	t.mu.Unlock()
	return nil
}

// entries are the jobs of every tenant that has an expression. Whether a tenant
// may run is judged at each tick: a product can expire in between.
func entries(f *tenants.File) []schedule.Job {
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

// due finds the job behind an entry, false when it is not to run now.
func (t *timetable) due(name string) (job, bool) {
	id, product, _ := strings.Cut(name, "/")
	t.mu.Lock()
	tenant, ok := t.file.Tenant(id)
	t.mu.Unlock()
	if !ok {
		return job{}, false
	}
	s := selection{all: true, product: product}
	jobs, reason := s.due(tenant, t.app.now())
	if len(jobs) == 0 {
		t.app.log.Debug("tick passed by", "tenant", id, "product", product, "reason", reason)
		return job{}, false
	}
	if p := t.app.heldBack(jobs[0]); p != nil {
		t.metrics.hold(jobs[0], p.why)
		t.postpone(jobs[0], p)
		return job{}, false
	}
	return jobs[0], true
}

// postpone has a job run again when its provider may be asked again, and logs that
// once.
func (t *timetable) postpone(j job, p *postponement) {
	name := entryName(j.tenant.ID, j.product)
	t.scheduler.Again(name, p.until)
	t.mu.Lock()
	known := t.postponed[name].Equal(p.until)
	t.postponed[name] = p.until
	t.mu.Unlock()
	if !known {
		t.app.log.Warn("postponed: "+p.reason, "tenant", j.tenant.ID, "product", j.product, "reason", string(p.why), "until", p.until.UTC())
	}
}

// run is one tick. When stopping ends the step under way has the grace to
// finish, and no further step begins.
func (t *timetable) run(stopping context.Context, name string) error {
	j, ok := t.due(name)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(stopping))
	defer cancel()
	defer context.AfterFunc(stopping, func() { time.AfterFunc(t.grace, cancel) })()
	ended := t.metrics.begin(j)
	defer func() { ended(cycleFailed) }() // what is not said below: an error, or a panic
	var last report
	err := t.app.runJob(ctx, stopping, j, "", t.steps, func(r report) { last = r })
	switch {
	case err == nil:
		ended(cyclePublished)
	case errors.Is(err, durable.ErrLocked):
		ended(cycleLocked)
	case errors.Is(err, errInterrupted), errors.Is(err, errStepInterrupted):
		ended(cycleInterrupted)
	default:
		last.Code = t.app.codeOf(last)
		t.metrics.failure(last)
	}
	if p := t.app.heldBack(j); p != nil {
		t.postpone(j, p)
	}
	return nil
}
