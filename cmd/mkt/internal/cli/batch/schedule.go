package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/sharing"
	"mkt/publish/health"
)

// ScheduleOptions are the flags of mkt schedule.
type ScheduleOptions struct {
	Jitter   time.Duration
	Parallel int
	Grace    time.Duration
	catchUp  bool
	admin    daemon.AdminFlags
	log      logFlags

	transform TransformFlags
	publish   PublishFlags
}

func newSchedule(g *Group) *cobra.Command {
	var o ScheduleOptions
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run the cycles of all tenants until stopped",
		Long: `Run the cycles of all tenants on their cron expressions (schedule in
tenants.yaml; default: market_engine @hourly, live_intelligence @every 8s),
until stopped. Changes of tenants.yaml take effect while it runs. An @every is
due at the multiples of its duration on the clock, in UTC, whenever the
process began.

If the provider's quota does not carry an account's schedule, what is left of it
is spread over the time until it is renewed: live cycles run less often, down to
one every 30 seconds, and then market cycles, down to one a day. That is logged,
and mkt provider status shows it.

A tick is skipped, logged and counted if a run of the same tenant and product
is under way, here or started by hand. Market cycles do not delay live ones.

If there is a key of the transparency log, the newest publications are added to
the log every minute, as mkt log does. Cycles do not wait for it.

On Ctrl-C or SIGTERM running steps finish, for at most --grace, no further step
begins, and the exit code is 0. A second one ends the process at once.`,
		Example:     `  mkt schedule --admin 127.0.0.1:9082`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.schedule(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.Jitter, "jitter", 30*time.Second, "longest wait before a run, which spreads the tenants; at most a tenth of the cadence")
	flags.IntVar(&o.Parallel, "parallel", 4, "cycles that run at once; of live ones four times as many")
	flags.DurationVar(&o.Grace, "grace", time.Minute, "how long a running step may go on after Ctrl-C or SIGTERM")
	flags.BoolVar(&o.catchUp, "catch-up", true, "run overdue cycles at the start, unless they are due within a minute anyway")
	cli.Bound(flags, "parallel", mostParallel, cli.Between(&o.Parallel, 1, 256))
	for name, d := range map[string]*time.Duration{"jitter": &o.Jitter, "grace": &o.Grace} {
		cli.Bound(flags, name, "a duration from 0 to 24h, such as 30s", cli.Between(d, 0, 24*time.Hour))
	}
	g.Settings.Bind(flags, "jitter", "schedule.jitter")
	g.Settings.Bind(flags, "parallel", "schedule.parallel")
	g.Settings.Bind(flags, "grace", "schedule.grace")
	g.Settings.Bind(flags, "catch-up", "schedule.catch_up")
	o.admin.Flags(g.Env, cmd, "schedule")
	o.log.flags(g, cmd)
	g.leases.Flag(g.Settings, cmd)
	g.Keys.SealFlag(g.Settings, cmd)
	o.transform.flags(g, cmd)
	o.transform.memoryFlag(g, cmd)
	publishing.RetentionFlags(g.Settings, cmd, &o.publish.Keep)
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
	adminServer, closeAdmin, err := o.admin.Open(g.Env)
	if err != nil {
		return err
	}
	defer closeAdmin()
	closeLeases, err := g.leases.Connect(g.Env, g.Keys.ID, "mkt schedule")
	if err != nil {
		return err
	}
	defer closeLeases()
	defer t.share.Join(ctx, g.leases.Conn)()
	g.leases.Member = t.share.Member()
	if err := t.SetTenants(f); err != nil {
		return err
	}
	edits, l := daemon.NewReloads(g.Env), &logRuns{group: g, logFlags: o.log}
	if adminServer != nil {
		adminServer.Metrics.MustRegister(append(edits.Collectors(), t.collectors()...)...)
		adminServer.Metrics.MustRegister(l)
		if s, err := g.Store(ctx); err == nil {
			adminServer.Metrics.MustRegister(daemon.StoreCollectors(s)...)
		}
		adminServer.ReadyWhen(func() error { return t.scheduling(ctx) })
	}
	t.paceAll()
	var overdue []string
	if o.catchUp && t.share.Member() == nil { // a worker runs overdue entries when it gets their accounts
		overdue = t.share.Overdue()
	}
	g.Log.Info("schedule started", "jobs", len(sharing.Entries(f)), "overdue", len(overdue))
	if g.leases.Set() && !g.HasStore() {
		g.Log.Warn("this machine runs all accounts by itself: machines that share them through redis need a store")
	}
	if adminServer != nil {
		g.printScheduling(adminServer.URL())
	}
	go edits.Watch(ctx, f, t.SetTenants)
	logged := l.start(ctx)
	t.RunAll(ctx, overdue...)
	logged()
	g.Log.Info("schedule stopped", "ticks_skipped", t.Scheduler.Skipped())
	return nil
}

// errStopping is the answer of /readyz once no further cycle begins.
var errStopping = errors.New("stopping: steps under way are being finished")

func (t *timetable) scheduling(ctx context.Context) error {
	if ctx.Err() != nil {
		return errStopping
	}
	if m := t.share.Member(); m != nil {
		return m.Trouble()
	}
	return nil
}

func (g *Group) printScheduling(adminURL string) {
	if g.ForScripts() {
		g.Encode(daemon.Ready{Event: "ready", AdminURL: adminURL})
		return
	}
	fmt.Fprintf(g.Out, "mkt schedule runs; metrics at %s/metrics\n", adminURL)
}

// LastFetch returns when the newest fetch began, the zero time if there is none or it cannot
// be read: one run too many does no harm.
func (g *Group) LastFetch(j Job) time.Time {
	run := cyclestate.NewestRun(g.Data, j.Tenant.ID, j.Product, health.StepFetch)
	if run == nil {
		return time.Time{}
	}
	return run.StartedAt
}
