package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// step is one stage as the batch commands call it. It returns what is told of
// the run, also beside an error; the cycle in it is what the next step works on.
type step func(context.Context, task) (report, error)

// task is what a step is given: the job, its root, opened and locked, and the
// cycle, "" when the stage is to choose.
type task struct {
	job
	root  durable.FS
	data  durable.FS // data root
	cycle layout.CycleID

	stopping <-chan struct{} // closed when no further step is to begin
}

// runAll runs the steps for every selected job. One that fails does not stop the
// next. prepare loads the keys, before anything runs.
func (a *app) runAll(ctx context.Context, s *selection, prepare func() ([]step, error)) error {
	if err := s.check(); err != nil {
		return err
	}
	f, err := a.loadTenants()
	if err != nil {
		return err
	}
	jobs, pass, err := s.jobs(f, a.now())
	if err != nil {
		return err
	}
	steps, err := prepare()
	if err != nil {
		return err
	}
	jobs, pass = s.holdBack(a, jobs, pass)
	for _, p := range pass {
		a.printPassed(p)
	}
	a.bars = len(jobs) == 1 || s.parallel == 1
	return a.runJobs(ctx, s, jobs, steps)
}

// runJobs runs the jobs, a few at once: most of a cycle is waiting for a
// provider, and one that hangs must not hold up the others.
func (a *app) runJobs(ctx context.Context, s *selection, jobs []job, steps []step) error {
	failed := batchError{of: len(jobs)}
	slots := make(chan struct{}, s.parallel)
	var all sync.WaitGroup
	begun := 0
	for _, j := range jobs {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		begun++
		all.Go(func() {
			defer func() { <-slots }()
			if err := a.runJob(ctx, ctx, j, layout.CycleID(s.cycle), steps, a.printReport); err != nil {
				failed.add(a.errs, err)
			}
		})
	}
	all.Wait()
	if begun < len(jobs) {
		return errors.Join(errInterrupted, failed.whole())
	}
	return failed.whole()
}

// errStepInterrupted: a step was told to stop before it came to its end.
var errStepInterrupted = errors.New("interrupted: nothing was published; run it again")

// runJob runs the steps for one job under its lock, passes each one's report to tell,
// and logs one line of the whole. Once stopping ends no further step begins, and a
// fetch that would have to wait for its provider ends; ctx ends any step under way. A
// job that cannot begin is reported, too: a script must see every job.
func (a *app) runJob(ctx, stopping context.Context, j job, cycle layout.CycleID, steps []step, tell func(report)) error {
	line := cycleLine{now: a.now, began: a.now()}
	err := a.runSteps(ctx, stopping, j, cycle, steps, func(r report) {
		line.add(r)
		tell(r)
	})
	line.log(a.log.With("tenant", j.tenant.ID, "product", j.product), a.codeOf(line.last()), err)
	return err
}

func (a *app) runSteps(ctx, stopping context.Context, j job, cycle layout.CycleID, steps []step, tell func(report)) error {
	held, err := a.hold(j)
	if err != nil {
		tell(report{Tenant: j.tenant.ID, Product: string(j.product), Step: "lock", Cycle: string(cycle), Error: message(err)})
		return err
	}
	defer held.free()
	for _, do := range steps {
		if stopping.Err() != nil {
			return errInterrupted
		}
		report, err := do(ctx, task{j, held.root, held.data, cycle, stopping.Done()})
		if stopping.Err() != nil && errors.Is(err, context.Canceled) {
			err = fmt.Errorf("tenant %s: %s %w", j, report.Step, errStepInterrupted)
		}
		report.Tenant, report.Product, report.Error = j.tenant.ID, string(j.product), message(err)
		tell(report)
		if err != nil {
			return err
		}
		cycle = layout.CycleID(report.Cycle)
	}
	return nil
}

// codeOf is why a step failed, a word of package health: the report's own, or what
// the state file says.
func (a *app) codeOf(r report) string {
	if r.Code != "" || r.Error == "" {
		return r.Code
	}
	if run := a.newestRun(r.Tenant, football.Product(r.Product), r.Step); run != nil && !run.OK {
		return run.Code
	}
	return ""
}

// held is a job's folders, opened, and its lock.
type held struct {
	data, root *durable.Disk
	lock       io.Closer
}

// hold opens the job's folders and takes its lock.
func (a *app) hold(j job) (*held, error) {
	open := durable.OpenRoot
	if a.fleeting {
		open = durable.OpenUnsynced
	}
	data, err := open(a.data)
	if err != nil {
		return nil, fmt.Errorf("data root: %w", err)
	}
	root, err := data.MakeWithin(layout.TenantProduct(j.tenant.ID, string(j.product)))
	if err != nil {
		data.Close()
		return nil, fmt.Errorf("data root: %w", err)
	}
	lock, err := root.Lock(layout.Lock)
	if err == nil {
		return &held{data, root, lock}, nil
	}
	root.Close()
	data.Close()
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("tenant %s: %w: a fetch, transform, publish, cycle or schedule works on it; try again later", j, durable.ErrLocked)
	}
	return nil, fmt.Errorf("tenant %s: data root: %w", j, err)
}

func (h *held) free() {
	h.lock.Close()
	h.root.Close()
	h.data.Close()
}
