package batch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/internal/cluster"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// retryLease is how soon a run without a lease is tried again.
const retryLease = 2 * time.Second

// errAlreadyRan ends the run of an account that came from a worker with a clock ahead of ours: that
// worker ran the tick.
var errAlreadyRan = errors.New("another worker ran this cycle")

// share makes this process one of several workers until ctx ends. An account with all its products
// is run by one of them, because its quota and its pace are decided over all products. end waits
// until the others know that this worker has left, and may always be called.
func (t *timetable) share(ctx context.Context) (end func()) {
	conn := t.group.leases.conn
	if conn == nil {
		return func() {}
	}
	ctx, leave := context.WithCancel(ctx)
	t.member = conn.Join(t.reassign)
	t.group.leases.member = t.member
	var ended sync.WaitGroup
	ended.Go(func() { t.member.Run(ctx) })
	return func() { leave(); ended.Wait() }
}

// owns reports whether this process runs an account.
func (t *timetable) owns(id string) bool { return t.member == nil || t.member.Owns(id) }

// reassign takes on entries that came to this worker, and gives up entries that left it.
func (t *timetable) reassign() {
	t.mu.Lock()
	f := t.file
	t.mu.Unlock()
	if f == nil {
		return
	}
	if err := t.assign(f, func() *tenants.File { return nil }); err != nil {
		t.group.Log.Error("the accounts of this worker stay as they are", "error", err)
	}
}

// assign puts this worker's entries of a file in force. accept returns the file to put in force
// with them, nil for the same as before.
func (t *timetable) assign(f *tenants.File, accept func() *tenants.File) error {
	t.assigning.Lock()
	defer t.assigning.Unlock()
	var entries []schedule.Job
	owned, accounts := map[string]bool{}, map[string]bool{}
	for _, e := range Entries(f) {
		if id, _, _ := strings.Cut(e.Name, "/"); t.owns(id) {
			entries = append(entries, e)
			owned[e.Name], accounts[id] = true, true
		}
	}
	if err := t.Scheduler.Set(entries); err != nil {
		return err
	}
	next := accept()
	t.mu.Lock()
	first := t.file == nil
	if next != nil {
		t.file = next
	}
	able := map[string]bool{}
	for i := range t.file.Tenants {
		jobs, _ := (&Selection{All: true}).due(&t.file.Tenants[i], t.group.Now())
		for _, j := range jobs {
			able[entryName(j.Tenant.ID, j.Product)] = true
		}
	}
	var came, enabled, left []string
	for name := range owned {
		switch {
		case !t.owned[name]:
			came = append(came, name)
		case able[name] && !t.able[name]:
			enabled = append(enabled, name)
		}
	}
	t.able = able
	for name := range t.owned {
		if !owned[name] {
			left = append(left, name)
			delete(t.arrived, name)
		}
	}
	t.owned = owned
	if t.member != nil {
		for _, name := range came {
			t.arrived[name] = true
		}
	}
	t.accounts = len(accounts)
	t.mu.Unlock()
	for _, name := range left {
		t.setPace(name, 0)
	}
	if t.member != nil || !first { // on one machine, the start decides all paces and runs what is overdue
		t.begin(append(came, enabled...))
	}
	if t.member != nil && len(came)+len(left) > 0 {
		t.group.Log.Info("accounts shared again", "workers", t.member.Team(), "accounts", len(accounts), "jobs_came", len(came), "jobs_left", len(left))
	}
	return nil
}

// begin decides the paces of entries that are new to this process, or may run again, and runs the overdue
// ones.
func (t *timetable) begin(came []string) {
	t.mu.Lock()
	f := t.file
	t.mu.Unlock()
	var overdue []string
	paced := map[string]bool{}
	for _, name := range came {
		id, product, _ := strings.Cut(name, "/")
		tenant, ok := f.Tenant(id)
		if !ok {
			continue
		}
		if !paced[id] {
			paced[id] = true
			t.pace(tenant)
		}
		if p := football.Product(product); t.catchUp && (t.isOverdue(tenant, p) || t.missedTick(tenant, p)) {
			overdue = append(overdue, name)
		}
	}
	t.Scheduler.Now(overdue...)
}

// lateAfter is how long after a tick its run may begin: the jitter of live cycles is shorter.
const lateAfter = 2 * time.Second

// missedTick reports whether a live cycle ran before and did not begin at its newest tick: its
// worker died. The account runs at once, and then again on its ticks.
func (t *timetable) missedTick(tenant *tenants.Tenant, p football.Product) bool {
	when, err := t.whenOf(Job{tenant, p})
	if err != nil || schedule.Cadence(when, t.group.Now()) >= catchUpFrom {
		return false
	}
	last := t.group.LastFetch(Job{tenant, p})
	return !last.IsZero() && when.Next(last.UTC()).Before(t.group.Now().Add(-lateAfter))
}

// whenOf returns when a job is due, at the pace in force.
func (t *timetable) whenOf(j Job) (schedule.Schedule, error) {
	when, err := schedule.Parse(j.Tenant.Expression(j.Product))
	if err != nil {
		return nil, err
	}
	return schedule.Slower(when, t.paceOf(entryName(j.Tenant.ID, j.Product))), nil
}

// stepsOf returns the steps of an entry. The first run of a newly arrived entry checks whether the
// worker before, whose clock may be ahead, has already run the tick.
func (t *timetable) stepsOf(name string) []Step {
	t.mu.Lock()
	arrived := t.arrived[name]
	t.mu.Unlock()
	if !arrived {
		return t.steps
	}
	look := func(ctx context.Context, task Task) (Report, error) {
		t.mu.Lock()
		delete(t.arrived, name)
		t.mu.Unlock()
		if t.ranElsewhere(task.Job) {
			return Report{Step: health.StepFetch}, errAlreadyRan
		}
		return t.steps[0](ctx, task)
	}
	return append([]Step{look}, t.steps[1:]...)
}

// ranElsewhere reports whether the newest complete fetch of a job began after the tick due now. A
// fetch in the future counts only with cadences of a minute or more: another machine's fast clock
// must not keep live cycles from running.
func (t *timetable) ranElsewhere(j Job) bool {
	when, err := t.whenOf(j)
	if err != nil {
		return false
	}
	now := t.group.Now()
	run := t.group.NewestRun(j.Tenant.ID, j.Product, health.StepFetch)
	if run == nil || !run.OK || run.Code != "" || run.StartedAt.After(now) && schedule.Cadence(when, now) < catchUpFrom {
		return false
	}
	return when.Next(run.StartedAt.UTC()).After(now)
}

// afterLease plans the next attempt of a run whose lease another process has. It may be that of a
// dead worker, which ends. If its holder is alive, it runs the tick.
func (t *timetable) afterLease(name string, err error) {
	var taken *cluster.TakenError
	at := t.group.Now().Add(retryLease)
	switch {
	case errors.As(err, &taken):
		if taken.Gone.After(at) {
			at = taken.Gone.Add(retryLease / 10)
		}
	case !errors.Is(err, cluster.ErrLost):
		return
	}
	t.mu.Lock()
	t.arrived[name] = true
	t.mu.Unlock()
	t.Scheduler.Retry(name, at)
}

// runsHere reports whether this process runs an account. t.mu must not be held.
func (t *timetable) runsHere(tenant *tenants.Tenant) bool {
	if t.member == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range account.Products() {
		if t.owned[entryName(tenant.ID, p)] {
			return true
		}
	}
	return false
}
