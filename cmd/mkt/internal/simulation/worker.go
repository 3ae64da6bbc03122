package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mkt/fetch"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/transform"
	"mkt/transform/identity"
)

// key makes the ids of all data roots.
var key = identity.Key{1, 2, 3}

// keep is the retention of all data roots: short, so that it deletes often.
var keep = retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, Cycles: 3, CycleAge: time.Hour, ChangeEvents: 20}

// fetchLimits end a run while its account's next one is still to come.
var fetchLimits = fetch.Limits{Run: 4 * time.Minute, Connect: 5 * time.Second, Header: 10 * time.Second, Body: 20 * time.Second}

// job is one product of an account.
type job struct {
	*account
	product football.Product
}

func (j job) String() string { return j.id + " " + string(j.product) }

// dir is the folder of the job below a data root.
func (j job) dir() string { return layout.TenantProduct(j.id, string(j.product)) }

// worker runs the cycles of accounts on a machine, as mkt schedule does.
type worker struct {
	s        *system
	circuits *fetch.Circuits
	states   *transform.States
	runs     int
}

// work is the program of a machine with workers.
func (s *system) work(l *life) {
	wk := &worker{s: s, circuits: new(fetch.Circuits), states: new(transform.States)}
	if _, err := s.enter(l, "start", ""); err != nil {
		return
	}
	var all sync.WaitGroup
	for _, j := range s.jobs {
		all.Go(func() { wk.schedule(l, j) })
	}
	all.Wait()
}

// schedule runs the cycles of a job, each at its time, and one at once if it is overdue.
func (wk *worker) schedule(l *life, j job) {
	every := wk.s.every[j.product]
	for n := 1; ; n++ {
		if _, err := wk.s.enter(l, "tick", j.String()); err != nil {
			return
		}
		wk.cycle(l, j)
		now := l.machine.now()
		offset := wk.s.span("offset", j.String(), 0, every/2)
		next := now.Add(-offset).Truncate(every).Add(every + offset)
		if !sleep(l.ctx, max(next.Sub(now), time.Second)) {
			return
		}
	}
}

// cycle runs one cycle of a job.
func (wk *worker) cycle(l *life, j job) {
	w := wk.s.world
	err := wk.run(l, j)
	switch {
	case l.dead.Load() || l.ctx.Err() != nil:
	case err != nil:
		w.note("%s: %s: %s", l.machine.name, j, shorten(err))
		wk.s.trouble(l.machine, j, err)
	}
}

// shorten keeps the log readable.
func shorten(err error) string {
	text := err.Error()
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return text
}

func (wk *worker) run(l *life, j job) error {
	root, data := l.root(j.dir()), l.root(".")
	if err := l.root(".").MkdirAll(j.dir()); err != nil {
		return err
	}
	for _, dir := range []string{".", layout.Tenant(j.id)} {
		if err := data.SyncDir(dir); err != nil {
			return err
		}
	}
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	ctx, now := l.ctx, l.machine.now
	j.begins()
	fetched, err := fetch.Run(ctx, fetch.Options{
		Tenant: j.tenant(), Product: j.product, Root: root, Open: j.open, Provider: lookup, Limits: fetchLimits, Circuits: wk.circuits,
		Now: now, Random: func() float64 { return wk.s.roll("spread", fmt.Sprint(j, time.Since(wk.s.began))) }, Transport: wk.s.network.dialer(l),
	})
	if err := wk.said(ctx, l, j, health.StepFetch, err); err != nil {
		return err
	}
	transformed, err := transform.Run(ctx, transform.Options{ClientID: j.id, Product: j.product, Cycle: fetched.Cycle, Root: root, Data: data, Key: key,
		Now: now, Workers: 1, Version: "test", States: wk.states})
	if err := wk.said(ctx, l, j, "transform", err); err != nil {
		return err
	}
	wk.runs++
	published, err := publish.Run(ctx, publish.Options{ClientID: j.id, Product: j.product, Cycle: transformed.Cycle, Root: root, Now: now, Version: "test", Retention: keep,
		RunID: fmt.Sprintf("%s-%d-%s", l.machine.name, l.number, transformed.Cycle)})
	if err := wk.said(ctx, l, j, "publish", err); err != nil {
		return err
	}
	if !published.Already {
		wk.s.book.published(l, j, published)
	}
	return nil
}

// said checks that the state file says how a step ended.
func (wk *worker) said(ctx context.Context, l *life, j job, step string, err error) error {
	if ctx.Err() != nil || l.dead.Load() {
		return errors.Join(err, errKilled)
	}
	run, failed := health.Read(within(l.disk, j.dir()), step)
	switch {
	case l.machine.full || failed != nil:
	case err == nil && (run == nil || !run.OK):
		wk.s.fail("a run that worked says so", "%s: %s on %s: %+v", j, step, l.machine.name, run)
	case err != nil && run != nil && run.OK && run.FinishedAt.After(l.machine.now().Add(-time.Second)) && !isStorage(err):
		wk.s.fail("a run that failed says so", "%s: %s on %s: %v; state %+v", j, step, l.machine.name, err, run)
	}
	return err
}
