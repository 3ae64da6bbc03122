package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
)

// ScheduleOptions of mkt schedule.
type ScheduleOptions struct {
	Jitter   time.Duration
	Parallel int
	Grace    time.Duration
	catchUp  bool
	admin    daemon.AdminFlags

	transform TransformFlags
	publish   PublishFlags
}

func newSchedule(g *Group) *cobra.Command {
	var o ScheduleOptions
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run the cycles of all tenants on their cron expressions, until stopped",
		Long: `Run the cycles of all tenants on their cron expressions (schedule in
tenants.yaml; default: market_engine @hourly, live_intelligence @every 8s),
until stopped. Changes of tenants.yaml are followed. An @every is due at the
multiples of its duration on the clock, in UTC, whenever the process began. A tick that comes while a
run of the same tenant and product is under way, here or started by hand, is
skipped, logged and counted; market cycles do not hold up live ones. On SIGTERM
running steps finish, no further step begins, and the exit code is 0.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.schedule(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.Jitter, "jitter", 30*time.Second, "longest wait before a run, by which tenants are spread; never more than a tenth of the cadence")
	flags.IntVar(&o.Parallel, "parallel", 4, "cycles under way at once; of live ones four times as many")
	flags.DurationVar(&o.Grace, "grace", time.Minute, "how long a running step may go on after SIGTERM")
	flags.BoolVar(&o.catchUp, "catch-up", true, "run at the start what is overdue, unless it is due within a minute anyway")
	cli.Bound(flags, "parallel", mostParallel, cli.Between(&o.Parallel, 1, 256))
	for name, d := range map[string]*time.Duration{"jitter": &o.Jitter, "grace": &o.Grace} {
		cli.Bound(flags, name, "a duration from 0 to 24h, such as 30s", cli.Between(d, 0, 24*time.Hour))
	}
	g.Settings.Bind(flags, "jitter", "schedule.jitter")
	g.Settings.Bind(flags, "parallel", "schedule.parallel")
	g.Settings.Bind(flags, "grace", "schedule.grace")
	g.Settings.Bind(flags, "catch-up", "schedule.catch_up")
	o.admin.Flags(g.Env, cmd, "schedule")
	g.Keys.SealFlag(g.Settings, cmd)
	o.transform.flags(g, cmd)
	o.transform.memoryFlag(g, cmd)
	o.publish.retention(g, cmd)
	return cmd
}

func (g *Group) schedule(ctx context.Context, o ScheduleOptions) error {
	if err := o.admin.Check(); err != nil {
		return err
	}
	f, err := g.LoadTenants()
	if err != nil {
		return err
	}
	steps, err := g.CycleSteps(o.transform, o.publish)
	if err != nil {
		return err
	}
	t := NewTimetable(g, o, steps)
	if err := t.SetTenants(f); err != nil {
		return err
	}
	door, closeDoor, err := o.admin.Open(g.Env)
	if err != nil {
		return err
	}
	defer closeDoor()
	edits := daemon.NewReloads(g.Env)
	if door != nil {
		door.Metrics.MustRegister(append(edits.Collectors(), t.collectors()...)...)
		door.ReadyWhen(func() error { return scheduling(ctx) })
	}
	var overdue []string
	if o.catchUp {
		overdue = g.overdue(f)
	}
	g.Log.Info("schedule started", "jobs", len(Entries(f)), "overdue", len(overdue))
	if door != nil {
		g.printScheduling(door.URL())
	}
	go edits.Watch(ctx, f, t.SetTenants)
	t.Scheduler.Run(ctx, overdue...)
	g.Log.Info("schedule stopped", "ticks_skipped", t.Scheduler.Skipped())
	return nil
}

// errStopping is what /readyz says once no further cycle begins.
var errStopping = errors.New("stopping: steps under way are being finished")

func scheduling(ctx context.Context) error {
	if ctx.Err() != nil {
		return errStopping
	}
	return nil
}

func (g *Group) printScheduling(adminURL string) {
	if g.ForScripts() {
		json.NewEncoder(g.Out).Encode(daemon.Ready{Event: "ready", AdminURL: adminURL})
		return
	}
	fmt.Fprintf(g.Out, "mkt schedule runs; metrics at %s/metrics\n", adminURL)
}
