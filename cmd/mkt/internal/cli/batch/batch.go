package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/fetch/raw"
	"mkt/internal/accounts"
	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Step runs one stage. It returns a report, also with an error; the next step works on the
// cycle in the report.
type Step func(context.Context, Task) (Report, error)

// Task is the input of a step: the job, its folder, opened and locked, and the cycle, ""
// if the stage is to choose one.
type Task struct {
	Job
	Root  durable.FS
	Data  durable.FS // data root
	Cycle layout.CycleID

	store *store.Dataset // nil without an object store, and while it is away
	ship  publish.Store  // nil without an object store

	received *raw.Received   // the answers of a live cycle, from fetch to transform; nil for other products, whose answers are large
	stopping <-chan struct{} // closed when no further step may begin
}

// newStage returns a command that runs steps for the selected jobs. asks is true if the
// steps send requests to the provider.
func (g *Group) newStage(name, short, example string, asks bool, prepare func() ([]Step, error)) *cobra.Command {
	s := Selection{asks: asks}
	cmd := &cobra.Command{
		Use: name + " --tenant ID | --all", Short: short, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.runAll(cmd, &s, prepare) },
	}
	s.flags(g, cmd)
	g.leases.Flag(g.Settings, cmd)
	return cmd
}

// runAll runs the steps for every selected job. A job that fails does not stop the
// others. prepare loads the keys before anything runs.
func (g *Group) runAll(cmd *cobra.Command, s *Selection, prepare func() ([]Step, error)) error {
	if err := s.check(); err != nil {
		return err
	}
	f, err := g.LoadTenants()
	if err != nil {
		return err
	}
	jobs, pass, err := s.Jobs(f, g.Now())
	if err != nil {
		return err
	}
	if len(f.Tenants) == 0 && terminal.OnTerminal(g.Out) && !g.JSON() {
		printable.Fprintf(g.Out, "%s has no tenants yet: mkt tenant add ID --product market_engine adds one\n", f.Name)
	}
	steps, err := prepare()
	if err != nil {
		return err
	}
	jobs, pass = s.postpone(g, jobs, pass)
	for _, p := range pass {
		g.printPassed(p)
	}
	closeLeases, err := g.leases.Connect(g.Env, g.Keys.ID, cmd.CommandPath())
	if err != nil {
		return err
	}
	defer closeLeases()
	g.bars = true
	return g.runJobs(cmd.Context(), s, jobs, steps)
}

// runJobs runs the jobs, a few at a time: most of a cycle is waiting for a provider, and a
// provider that hangs must not delay the others.
func (g *Group) runJobs(ctx context.Context, s *Selection, jobs []Job, steps []Step) error {
	failed := cli.Failures{Of: len(jobs)}
	var over *terminal.Bar
	if len(jobs) > 1 {
		over = g.NewBar("all", "runs")
		over.Set(0, len(jobs))
		defer over.Done()
	}
	var begun, ended atomic.Int64
	var all errgroup.Group // the errors are in failed
	all.SetLimit(s.parallel)
	for _, j := range jobs {
		all.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			begun.Add(1)
			switch err := g.RunJob(ctx, ctx, j, layout.CycleID(s.cycle), steps, g.printReport); {
			case errors.Is(err, accounts.ErrDeleted):
				g.printPassed(passed{j.Tenant.ID, string(j.Product) + ": " + accounts.ErrDeleted.Error()})
			case err != nil:
				failed.Add(g.Env, err)
			}
			over.Set(int(ended.Add(1)), len(jobs))
			return nil
		})
	}
	_ = all.Wait()
	if int(begun.Load()) < len(jobs) {
		return errors.Join(cli.ErrInterrupted, failed.Err())
	}
	return failed.Err()
}

const errStepInterrupted = cli.Interrupted("nothing was published; run it again")

// RunJob runs the steps for one job under its lock, passes the report of each to record, and
// logs one line about all of them. Once stopping is done no further step begins, and a
// fetch waiting for its provider ends; ctx ends any step under way. A job that cannot
// begin is reported too: a script must see every job.
func (g *Group) RunJob(ctx, stopping context.Context, j Job, cycle layout.CycleID, steps []Step, record func(Report)) error {
	line := cycleLine{now: g.Now, began: g.Now()}
	err := g.runSteps(ctx, stopping, j, cycle, steps, func(r Report) {
		line.add(r)
		record(r)
	})
	line.log(g.Log.With("tenant", j.Tenant.ID, "product", j.Product), g.codeOf(line.last()), err)
	return err
}

func (g *Group) runSteps(ctx, stopping context.Context, j Job, cycle layout.CycleID, steps []Step, record func(Report)) (err error) {
	unable := func(err error) error {
		r := Report{Tenant: j.Tenant.ID, Product: string(j.Product), Step: "lock", Cycle: string(cycle), Error: terminal.Message(err)}
		// The step stays "lock" only for a run under way: it alone is a reason to skip a task.
		switch failed := (*publish.StoreError)(nil); {
		case errors.As(err, &failed):
			if r.Step, r.Code = "store", string(health.CodeStorage); errors.Is(err, snapshot.ErrStoreLacks) {
				r.Code = string(health.CodeStoreLacks)
			}
		case errors.As(err, new(*cluster.AwayError)), errors.As(err, new(*cluster.ClockError)):
			r.Step = "lease"
		case errors.Is(err, accounts.ErrDeleted):
			return err // the caller says that it is skipped
		}
		record(r)
		return err
	}
	ctx, release, err := g.leases.Claim(ctx, j.Tenant.ID, j.Product)
	if err != nil {
		return unable(err)
	}
	defer release()
	open, err := g.openJob(ctx, j)
	if err != nil {
		return unable(err)
	}
	defer open.free()
	defer func() { err = g.endJob(ctx, open, stopping.Err() != nil, err) }()
	var received *raw.Received
	if j.Product == football.LiveIntelligence {
		received = new(raw.Received)
		defer received.Release()
	}
	for _, do := range steps {
		if stopping.Err() != nil {
			return cli.ErrInterrupted
		}
		report, err := do(ctx, Task{j, open.root, open.data, cycle, open.dataset(), open.ship(), received, stopping.Done()})
		switch lost := errors.Is(context.Cause(ctx), cluster.ErrLost); {
		case lost && err != nil:
			err = fmt.Errorf("tenant %s: %s: %w", j, report.Step, cluster.ErrLost)
		case stopping.Err() != nil && errors.Is(err, context.Canceled):
			err = fmt.Errorf("tenant %s: %s %w", j, report.Step, errStepInterrupted)
		}
		report.Tenant, report.Product, report.Error = j.Tenant.ID, string(j.Product), terminal.Message(err)
		record(report)
		if err != nil {
			return err
		}
		g.announceReport(report)
		cycle = layout.CycleID(report.Cycle)
	}
	return nil
}

// announceReport announces the version in the report of a publication.
func (g *Group) announceReport(r Report) {
	if version, ok := r.Counts["version"].(uint64); ok && r.Step == "publish" {
		g.leases.Announce(r.Tenant, football.Product(r.Product), version)
	}
}

// codeOf returns the reason of a failed step, a code of package health, from the report or else
// from the state file.
func (g *Group) codeOf(r Report) string {
	if r.Code != "" || r.Error == "" {
		return r.Code
	}
	if run := cyclestate.NewestRun(g.Data, r.Tenant, football.Product(r.Product), r.Step); run != nil && !run.OK {
		return string(run.Code)
	}
	return ""
}

type openedJob struct {
	data, root *durable.Disk
	attached   *store.Attached // nil without an object store
	lock       io.Closer
}

// dataset returns the job's dataset in the object store; nil without one, and while it is away.
func (o *openedJob) dataset() *store.Dataset {
	if o.attached == nil {
		return nil
	}
	return o.attached.Dataset
}

// ship returns where publications are shipped to; nil without an object store.
func (o *openedJob) ship() publish.Store {
	if o.attached == nil {
		return nil
	}
	return o.attached
}

// openJob opens and locks the folder of a job. With an object store, it then has the newest
// publication of the store.
func (g *Group) openJob(ctx context.Context, j Job) (*openedJob, error) {
	o, err := g.lockJob(j)
	if err != nil || !g.HasStore() {
		return o, err
	}
	began := g.Now()
	if o.attached, err = g.runs().Begin(ctx, o.data, o.root, j.Tenant.ID, j.Product); err != nil {
		err = &publish.StoreError{Err: err}
		publish.Record(ctx, publish.Options{ClientID: j.Tenant.ID, Product: j.Product, Root: o.root, Now: g.Now, Log: g.Log}, began, publish.Summary{}, err)
		err = g.endJob(ctx, o, false, err)
		o.free()
		return nil, fmt.Errorf("tenant %s: %w", j, err)
	}
	return o, nil
}

func (g *Group) lockJob(j Job) (*openedJob, error) {
	open := durable.OpenRoot
	if g.Unsynced {
		open = durable.OpenUnsynced
	}
	data, err := open(g.Data)
	if err != nil {
		return nil, fmt.Errorf("data root: %w", err)
	}
	root, lock, err := g.Accounts.OpenFolder(g.Tenants, data, j.Tenant.ID, layout.TenantProduct(j.Tenant.ID, string(j.Product)))
	if err == nil {
		return &openedJob{data: data, root: root, lock: lock}, nil
	}
	data.Close()
	switch {
	case errors.Is(err, accounts.ErrDeleted):
		return nil, err
	case errors.Is(err, durable.ErrLocked):
		return nil, fmt.Errorf("tenant %s: %w: a fetch, transform, publish, cycle or schedule works on it; try again later", j, durable.ErrLocked)
	}
	return nil, fmt.Errorf("tenant %s: data root: %w", j, err)
}

func (h *openedJob) free() {
	h.lock.Close()
	h.root.Close()
	h.data.Close()
}

func newCycle(g *Group) *cobra.Command {
	var tf TransformFlags
	var pf PublishFlags
	cmd := g.newStage("cycle", "Fetch, transform and publish: for cron and systemd timers",
		"  mkt cycle --tenant acme\n  mkt cycle --all --parallel 8", true,
		func() ([]Step, error) { return g.CycleSteps(tf, pf) })
	g.Keys.SealFlag(g.Settings, cmd)
	tf.flags(g, cmd)
	tf.memoryFlag(g, cmd)
	pf.flags(g, cmd)
	return cmd
}

// CycleSteps returns the three stages in order, with the keys they need.
func (g *Group) CycleSteps(tf TransformFlags, pf PublishFlags) ([]Step, error) {
	fetch, err := g.FetchStep()
	if err != nil {
		return nil, err
	}
	memory := tf.memories()
	transform, err := g.transformStep(tf, memory)
	if err != nil {
		return nil, err
	}
	p := &pruning{group: g, keep: publishing.Retained(pf.Keep)}
	return []Step{p.after(fetch), p.after(transform), p.after(memory.publishing(g.publishStep(pf)))}, nil
}
