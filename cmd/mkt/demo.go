package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/scratch"
	"mkt/publish/retention"
)

// demoFlags of mkt demo.
type demoFlags struct {
	listen    string
	dir       string
	every     time.Duration
	liveEvery time.Duration // 0: 8 s of the simulated days
	past      time.Duration // of the simulated days
	fixtures  int
	inPlay    int
	speed     float64
	seed      uint64

	present time.Time // when the past had been played
}

func newDemo(a *app) *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole system in one process, on the provider simulator",
		Long: `Run the whole system in one process until interrupted: a simulated provider,
accounts in every state, their cycles on a schedule, and the API. Without --dir
it lives in a temporary folder that is removed at the end; with --dir what it
made stays, ready for mkt fetch, inspect and the rest.

Matches are under way and have been followed for two hours when it is ready: the
live cycles of that time are run first, on a clock that is set back. With --speed
the simulated days pass faster, and live cycles come as much more often, up to
one a second. It does not wait for the disk: a power cut may lose what it made.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address; port 0 takes a free one")
	flags.StringVar(&f.dir, "dir", "", "folder to live in, kept at the end (default: a temporary one)")
	flags.DurationVar(&f.every, "every", 30*time.Second, "time between the cycles of an account")
	flags.DurationVar(&f.liveEvery, "live-every", 0, "time between the live cycles of an account (default: 8s of the simulated days)")
	flags.DurationVar(&f.past, "past", 2*time.Hour, "for how long matches in play have been followed when it is ready; 0 for not at all")
	flags.IntVar(&f.fixtures, "fixtures", 300, "fixtures of the main account's provider")
	flags.IntVar(&f.inPlay, "in-play", 12, "matches in play at any time, of each account")
	flags.Float64Var(&f.speed, "speed", 1, "how many times faster the simulated days pass")
	flags.Uint64Var(&f.seed, "seed", 1, "same seed, same fixtures")
	listens(flags, "listen", &f.listen)
	for name, d := range map[string]*time.Duration{"every": &f.every, "live-every": &f.liveEvery} {
		bound(flags, name, "whole seconds, at least 1s", func() bool { return *d >= time.Second && *d%time.Second == 0 })
	}
	bound(flags, "past", "a duration from 0 to 24h, such as 2h", between(&f.past, 0, 24*time.Hour))
	for _, name := range []string{"listen", "every", "live-every", "past", "fixtures", "in-play", "speed", "seed"} {
		a.set.bind(flags, name, "demo."+strings.ReplaceAll(name, "-", "_"))
	}
	return cmd
}

// demoKeeps keeps a demo that runs for days from filling the disk.
var demoKeeps = retention.Policy{Snapshots: 5, SnapshotAge: time.Hour, Cycles: 5, CycleAge: time.Hour}

// demo sets the house up, runs everything in it, and stops when ctx ends.
func (a *app) demo(ctx context.Context, f demoFlags) error {
	if f.liveEvery == 0 {
		f.liveEvery = max(time.Second, f.shorten(8*time.Second).Truncate(time.Second))
	}
	if err := isFree(f.listen); err != nil { // said before the past is played
		return fmt.Errorf("demo: %w", err)
	}
	remove, err := a.demoHouse(&f)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer remove()
	accounts := demoAccounts(f)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := a.demoWorld(f)
	emulator, err := emulators.New(emulators.Default(), simulator.Options{Seed: f.seed, Speed: f.speed, Fixtures: f.fixtures, InPlay: f.inPlay,
		Now: clock.now, Quota: demoQuota, Tokens: worlds(accounts), Log: a.log})
	if err != nil {
		return usageError{fmt.Errorf("demo: %w", err)}
	}
	provider, simulating, err := simulator.Listen(ctx, emulator, "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	file, err := a.enrol(ctx, accounts, provider)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	err = a.runDemo(ctx, cancel, f, clock, accounts, file)
	cancel()
	return errors.Join(err, <-simulating)
}

// demoHouse makes the folder the demo lives in and points the settings there.
func (a *app) demoHouse(f *demoFlags) (remove func(), err error) {
	remove = func() {}
	if f.dir == "" {
		private, err := scratch.Make("", "mkt-demo-")
		if err != nil {
			return remove, err
		}
		f.dir = private.Dir
		remove = func() {
			if err := private.Remove(); err != nil {
				a.log.Warn("temporary folder not removed", "error", err)
			}
		}
	}
	if _, err := initDir(f.dir); err != nil {
		remove()
		return func() {}, err
	}
	a.data = filepath.Join(f.dir, "data")
	a.tenants = filepath.Join(f.dir, "tenants.yaml")
	a.sealKey = filepath.Join(f.dir, "seal.key")
	a.idKey = filepath.Join(f.dir, "id.key")
	return remove, nil
}

// runDemo plays the past, then serves and runs cycles until ctx ends or the
// server fails. The ready line comes when the main account's data is served.
func (a *app) runDemo(ctx context.Context, cancel context.CancelFunc, f demoFlags, clock *demoClock, accounts []demoAccount, file *tenants.File) error {
	steps, err := a.cycleSteps(transformFlags{details: liveDetails}, publishFlags{keep: demoKeeps})
	if err != nil {
		return err
	}
	if err := a.playPast(ctx, clock, f, file, steps[:2]); err != nil { // the present publishes what came of it
		return err
	}
	f.present = time.Now()
	serving, base, first := make(chan error, 1), make(chan string, 1), make(chan struct{})
	go func() {
		serving <- a.serve(ctx, serveFlags{listen: f.listen, poll: 200 * time.Millisecond}, func(l listening) { base <- l.BaseURL })
	}()
	running := make(chan error, 1)
	go func() {
		err := a.demoCycles(ctx, file, f.every, steps, func() { close(first) })
		if err != nil {
			cancel()
		}
		running <- err
	}()
	go func() {
		if err := a.announce(ctx, base, first, f, accounts); err != nil && ctx.Err() == nil {
			a.log.Error("demo", "error", err)
			cancel()
		}
	}()
	err = <-serving // when ctx ends, or when it cannot serve
	cancel()
	return errors.Join(err, <-running)
}

// demoCycles runs every account's first cycles, the main account's first, and
// then all of them on their schedules. first is called after the main account's.
func (a *app) demoCycles(ctx context.Context, file *tenants.File, every time.Duration, steps []step, first func()) error {
	table := newTimetable(a, scheduleOptions{jitter: every / 10, parallel: 2, grace: 20 * time.Second}, steps)
	if err := table.follow(file); err != nil {
		return err
	}
	var own errgroup.Group
	var rest []string
	for _, e := range entries(file) {
		if id, _, _ := strings.Cut(e.Name, "/"); id != file.Tenants[0].ID {
			rest = append(rest, e.Name)
			continue
		}
		own.Go(func() error { return table.run(ctx, e.Name) })
	}
	if err := own.Wait(); err != nil {
		return fmt.Errorf("first cycle: %w", err)
	}
	first()
	go newReloads(a).watch(ctx, file, table.follow)
	table.scheduler.Run(ctx, rest...)
	return nil
}
