package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// scheduleOptions of mkt schedule.
type scheduleOptions struct {
	jitter   time.Duration
	parallel int
	grace    time.Duration
	catchUp  bool
	admin    adminFlags

	transform transformFlags
	publish   publishFlags
}

func newSchedule(a *app) *cobra.Command {
	var o scheduleOptions
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
		Annotations: map[string]string{longRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.schedule(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.jitter, "jitter", 30*time.Second, "longest wait before a run, by which tenants are spread; never more than a tenth of the cadence")
	flags.IntVar(&o.parallel, "parallel", 4, "cycles under way at once; of live ones four times as many")
	flags.DurationVar(&o.grace, "grace", time.Minute, "how long a running step may go on after SIGTERM")
	flags.BoolVar(&o.catchUp, "catch-up", true, "run at the start what is overdue, unless it is due within a minute anyway")
	bound(flags, "parallel", mostParallel, between(&o.parallel, 1, 256))
	for name, d := range map[string]*time.Duration{"jitter": &o.jitter, "grace": &o.grace} {
		bound(flags, name, "a duration from 0 to 24h, such as 30s", between(d, 0, 24*time.Hour))
	}
	a.set.bind(flags, "jitter", "schedule.jitter")
	a.set.bind(flags, "parallel", "schedule.parallel")
	a.set.bind(flags, "grace", "schedule.grace")
	a.set.bind(flags, "catch-up", "schedule.catch_up")
	o.admin.flags(a, cmd, "schedule")
	a.keys.sealFlag(a.set, cmd)
	o.transform.flags(a, cmd)
	o.transform.memoryFlag(a, cmd)
	o.publish.retention(a, cmd)
	return cmd
}

func (a *app) schedule(ctx context.Context, o scheduleOptions) error {
	if err := o.admin.check(); err != nil {
		return err
	}
	f, err := a.loadTenants()
	if err != nil {
		return err
	}
	steps, err := a.cycleSteps(o.transform, o.publish)
	if err != nil {
		return err
	}
	t := newTimetable(a, o, steps)
	if err := t.follow(f); err != nil {
		return err
	}
	door, closeDoor, err := o.admin.open(a)
	if err != nil {
		return err
	}
	defer closeDoor()
	edits := newReloads(a)
	if door != nil {
		door.Metrics.MustRegister(append(edits.collectors(), t.collectors()...)...)
		door.ReadyWhen(func() error { return scheduling(ctx) })
	}
	var overdue []string
	if o.catchUp {
		overdue = a.overdue(f)
	}
	a.log.Info("schedule started", "jobs", len(entries(f)), "overdue", len(overdue))
	if door != nil {
		a.printScheduling(door.URL())
	}
	go edits.watch(ctx, f, t.follow)
	t.scheduler.Run(ctx, overdue...)
	a.log.Info("schedule stopped", "ticks_skipped", t.scheduler.Skipped())
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

func (a *app) printScheduling(adminURL string) {
	if a.forScripts() {
		json.NewEncoder(a.out).Encode(listening{Event: "ready", AdminURL: adminURL})
		return
	}
	fmt.Fprintf(a.out, "mkt schedule runs; metrics at %s/metrics\n", adminURL)
}
