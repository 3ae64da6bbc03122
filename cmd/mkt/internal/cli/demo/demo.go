package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/browser"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/cli/serving"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/evidence/doctor"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/schedule/sharing"
	"mkt/internal/scratch"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/serve/account"
)

type demoFlags struct {
	listen    string
	console   string
	dir       string
	every     time.Duration
	liveEvery time.Duration // 0: 8 s of the simulated days
	past      time.Duration // of the simulated days
	fixtures  int
	inPlay    int
	speed     float64
	seed      uint64

	log       commitlog.Files
	now       time.Time // when the demo was started
	begins    time.Time // when its past does
	temporary bool      // the folder is removed at the end
}

func newDemo(g *Group) *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole system in one process, on emulated providers",
		Long: `Run the whole system in one process until interrupted: emulated providers,
accounts in every state and one on each provider, their cycles on a schedule,
the API, and the transparency log with a witness. Without --dir it uses a
temporary folder that is removed at the end; with --dir everything stays, ready
for mkt fetch, inspect and the other commands.

Console and API answer within seconds, with the main account. They begin two
hours ago, on a clock that is set back: the cycles of that time run one after
the other, and the other accounts join. Then the clock is the real one, and
matches in play have been followed since they began. With --speed the simulated
days pass faster, and live cycles run that much more often, up to one a second.
It does not wait for the disk: a power failure may lose its data.

With --output json it prints a line when the main account is served ("open"),
and a line with the same members when the data of all accounts is ("ready").
Addresses, tokens and lines to paste are in demo.env in the folder, too.`,
		Example: `  mkt demo
  mkt demo --dir /tmp/mkt --speed 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.demo(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8180", "listen on this address; port 0 takes a free port")
	flags.StringVar(&f.console, "console", "127.0.0.1:8190", "serve the console on this address; port 0 takes a free port")
	flags.StringVar(&f.dir, "dir", "", "write all files to this folder, new, empty or of an earlier demo, and keep them at the end (default: a temporary one)")
	flags.DurationVar(&f.every, "every", 30*time.Second, "run a cycle of each account this often")
	flags.DurationVar(&f.liveEvery, "live-every", 0, "run a live cycle of each account this often (default: 8s of the simulated days)")
	flags.DurationVar(&f.past, "past", 2*time.Hour, "begin with this much history of matches in play")
	flags.IntVar(&f.fixtures, "fixtures", 300, "announce this many fixtures at the main account's provider")
	flags.IntVar(&f.inPlay, "in-play", 12, "keep this many matches of each account in play")
	flags.Float64Var(&f.speed, "speed", 1, "run the simulated days this many times as fast as real time")
	flags.Uint64Var(&f.seed, "seed", 1, "generate the fixtures from this seed")
	cli.Listens(flags, "listen", &f.listen)
	cli.Listens(flags, "console", &f.console)
	cli.Bound(flags, "console", "a loopback address, because it has no password: from another machine, ssh -L 8190:127.0.0.1:8190 HOST forwards it",
		func() bool { return browser.IsLoopback(f.console) })
	for name, d := range map[string]*time.Duration{"every": &f.every, "live-every": &f.liveEvery} {
		cli.Bound(flags, name, "whole seconds, at least 1s", func() bool { return *d >= time.Second && *d%time.Second == 0 })
	}
	boundWorld(flags, &f.fixtures, &f.speed)
	cli.Bound(flags, "past", "a duration from 0 to 24h, such as 2h", cli.Between(&f.past, 0, 24*time.Hour))
	for _, name := range []string{"listen", "console", "every", "live-every", "past", "fixtures", "in-play", "speed", "seed"} {
		g.Settings.Bind(flags, name, "demo."+strings.ReplaceAll(name, "-", "_"))
	}
	return cmd
}

// Retention keeps a demo of several days from filling the disk.
var Retention = retention.Policy{Snapshots: 5, SnapshotAge: time.Hour, Cycles: 5, CycleAge: time.Hour}

// demo makes accounts and data, runs everything, and stops when ctx ends.
func (g *Group) demo(ctx context.Context, f demoFlags) error {
	if !signal.Ignored(syscall.SIGHUP) { // the terminal is closed: SIGHUP comes from it, and from its shell
		closed, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
		ctx = closed
	}
	if f.liveEvery == 0 {
		f.liveEvery = f.wholeSeconds(8 * time.Second)
	}
	if err := cli.CheckFree(cli.Address{Flag: "listen", Value: f.listen}, cli.Address{Flag: "console", Value: f.console}); err != nil {
		return err
	}
	remove, err := g.folder(&f)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer remove()
	if err := g.MakeFiles(f.dir); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	g.starting = g.NewBar("mkt demo starts", "cycles of the past")
	defer g.starting.Done()
	f.now = g.Now()
	accounts := demoAccounts(f, f.now)
	var continued bool
	if f.begins, continued = g.begins(f, &accounts[0].Tenant); !continued {
		accounts[0].world.Opening = opening
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := g.SetClock(f.begins)
	stopped, err := g.emulate(ctx, f, clock, accounts)
	if err != nil {
		return err
	}
	file, err := g.Enrol(ctx, accounts, "")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	witnessed, err := g.makeLog(ctx, &f)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	stopped = append(stopped, witnessed)
	err = g.runDemo(ctx, cancel, f, clock, accounts, file)
	cancel()
	for _, done := range stopped {
		err = errors.Join(err, <-done)
	}
	return err
}

// emulate starts the emulator of every provider until ctx ends, and tells the accounts where
// theirs is. Each of the channels gets one value when an emulator has stopped.
func (g *Group) emulate(ctx context.Context, f demoFlags, clock *Clock, accounts []Account) (stopped []<-chan error, err error) {
	for _, name := range emulators.Names() {
		p, _ := all.Lookup(name)
		renewed := p.Budget.QuotaWindow()
		emulator, err := emulators.New(name, simulator.Options{Seed: f.seed, Speed: f.speed, Fixtures: f.fixtures, InPlay: f.inPlay,
			Now: clock.Now, Quota: Quota * int(renewed/time.Hour), QuotaWindow: min(renewed, 24*time.Hour), Tokens: worlds(accounts, name), Log: g.Log})
		if err != nil {
			return nil, terminal.Usagef("demo: %w", err)
		}
		baseURL, done, err := simulator.Listen(ctx, emulator, "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		stopped = append(stopped, done)
		for i := range accounts {
			if accounts[i].providerName() == name {
				accounts[i].baseURL = baseURL
			}
		}
	}
	return stopped, nil
}

// folder makes the folder of the demo, which no other one has until remove is called. envFile is its first file, so that
// a folder of a demo is known.
func (g *Group) folder(f *demoFlags) (remove func(), err error) {
	if f.dir != "" {
		if err := mayUse(f.dir); err != nil {
			return nil, err
		}
		root, err := durable.OpenRoot(f.dir)
		if err != nil {
			return nil, fmt.Errorf("--dir %s: %w", f.dir, err)
		}
		lock, err := root.Lock(lockFile)
		if errors.Is(err, durable.ErrLocked) {
			err = fmt.Errorf("--dir %s: %w: another mkt demo has it", f.dir, durable.ErrLocked)
		}
		if err != nil {
			return nil, errors.Join(err, root.Close())
		}
		remove = func() { lock.Close(); root.Close() }
		mark, err := os.OpenFile(filepath.Join(f.dir, envFile), os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			remove()
			return nil, err
		}
		return remove, mark.Close()
	}
	private, err := scratch.Make("", "mkt-demo-")
	if err != nil {
		return nil, err
	}
	f.dir, f.temporary = private.Dir, true
	return func() {
		if err := private.Remove(); err != nil {
			g.Log.Warn("the temporary folder was not removed", "error", err)
		}
	}, nil
}

// lockFile is locked as long as a demo has the folder.
const lockFile = "lock"

// mayUse returns an error for a folder with anything but an earlier demo: its accounts and their data may be real.
func mayUse(dir string) error {
	entries, err := os.ReadDir(dir)
	isOf := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return terminal.Usagef("--dir %s: not a folder: name another", dir)
	case err != nil:
		return fmt.Errorf("--dir %s: %w", dir, err)
	case len(entries) == 0, isOf(envFile), len(entries) == 1 && isOf(lockFile):
		return nil
	}
	return terminal.Usagef("--dir %s: it is not empty, and no mkt demo made it: name an empty or a new folder", dir)
}

// cycleSteps are the steps of a cycle. After prices the transparency log has every publication. The cycles of the past are kept as long as a match of it
// can be in play.
func (g *Group) cycleSteps(f demoFlags) ([]batch.Step, error) {
	const match = 3 * time.Hour // with extra time and penalties
	live := Retention
	live.CycleAge = max(live.CycleAge, match, f.past)
	steps, err := g.Batch.CycleSteps(batch.TransformFlags{Details: batch.LiveDetails}, batch.PublishFlags{Keep: Retention})
	if err != nil {
		return nil, err
	}
	ofLive, err := g.Batch.CycleSteps(batch.TransformFlags{Details: batch.LiveDetails}, batch.PublishFlags{Keep: live})
	if err != nil {
		return nil, err
	}
	last := len(steps) - 1
	publish := steps[last]
	steps[last] = func(ctx context.Context, t batch.Task) (batch.Report, error) {
		if t.Product == football.LiveIntelligence {
			return ofLive[last](ctx, t)
		}
		report, err := publish(ctx, t)
		if err == nil {
			g.addToLog(ctx, f.log)
		}
		return report, err
	}
	return steps, nil
}

// runDemo serves, and runs the cycles of the past and then those of the present, until ctx ends or something fails.
func (g *Group) runDemo(ctx context.Context, cancel context.CancelFunc, f demoFlags, clock *Clock, accounts []Account, file *accounts.File) error {
	steps, err := g.cycleSteps(f)
	if err != nil {
		return err
	}
	settings, err := filepath.Abs(filepath.Join(f.dir, "mkt.yaml"))
	if err != nil {
		return err
	}
	command := terminal.Self() + " --config " + terminal.Quote(settings)
	at, shown := newMilestones(), &chooser{data: g.Data, account: accounts[0].Tenant.ID, log: f.log, now: clock.real}
	stopped, base, pages := make(chan error, 2), make(chan string, 1), make(chan string, 1)
	go func() {
		o := browser.Flags{Listen: f.console, Log: f.log, Doctor: doctor.Options{Command: command}, Examples: shown.links, Notice: func() string { return at.notice(clock) }}
		stopped <- g.Browser.Serve(ctx, o, func(url string) error {
			pages <- url
			return nil
		})
	}()
	go func() {
		if !reached(ctx, at.open) {
			stopped <- nil
			return
		}
		stopped <- g.Serving.Serve(ctx, serving.Flags{Listen: f.listen, Poll: poll, Extensions: account.Extensions()}, func(l daemon.Ready) { base <- l.BaseURL })
	}()
	running := make(chan error, 1)
	go func() {
		err := g.playPast(ctx, clock, f, file, steps, func() { close(at.open) })
		if err == nil {
			err = g.demoCycles(ctx, f, accounts[0], file, steps, func() { close(at.present) })
		}
		if ctx.Err() != nil {
			err = nil // a cycle was interrupted
		}
		if err != nil {
			cancel()
		}
		running <- err
	}()
	go func() {
		if err := g.announce(ctx, base, pages, at, f, shown, accounts); err != nil && ctx.Err() == nil {
			g.Log.Error("demo", "error", err)
			cancel()
		}
	}()
	err = <-stopped // ctx ended, or serving failed
	cancel()
	if terminal.OnTerminal(g.Errs) {
		fmt.Fprintln(g.Errs, "mkt demo stops.")
	}
	return errors.Join(err, <-stopped, <-running)
}

// addToLog adds the newest publications to the transparency log.
func (g *Group) addToLog(ctx context.Context, files commitlog.Files) {
	g.logging.Lock()
	defer g.logging.Unlock()
	if _, err := g.Batch.RunLog(ctx, files, logWait); err != nil && ctx.Err() == nil {
		g.Log.Error("the transparency log", "error", err)
	}
}

// demoGrace is how long a running step may go on after the stop. Nothing is lost by a cycle of a
// demo that does not end.
const demoGrace = 2 * time.Second

// demoCycles runs every account's first cycles of the present, the main account's first, then all of them on their schedules. present is called when the
// main account has its own.
func (g *Group) demoCycles(ctx context.Context, f demoFlags, first Account, file *accounts.File, steps []batch.Step, present func()) error {
	table := batch.NewTimetable(g.Batch, batch.ScheduleOptions{Jitter: f.every / 10, Parallel: 2, Grace: demoGrace}, steps)
	if err := table.SetTenants(file); err != nil {
		return err
	}
	var own errgroup.Group
	var rest []string
	for _, e := range sharing.Entries(file) {
		id, p := sharing.Parse(e.Name)
		if id != first.Tenant.ID {
			rest = append(rest, e.Name)
			continue
		}
		// The hours of the past, if there were any, had a slower schedule. The console would measure them by the new one.
		past := dataset.Dataset{Data: g.Data, Tenant: id, Product: p}.Dir()
		if f.begins.Before(f.now.Truncate(time.Second)) {
			if err := os.Remove(filepath.Join(past, layout.StateDir, "publish.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		own.Go(func() error { return table.Run(ctx, e.Name) })
	}
	if err := own.Wait(); err != nil {
		return fmt.Errorf("first cycle: %w", err)
	}
	file, err := g.reschedule(ctx, first.Tenant.ID, f.schedule(false))
	if err == nil {
		err = table.SetTenants(file)
	}
	if err != nil {
		return err
	}
	present()
	go daemon.NewReloads(g.Env).Watch(ctx, file, table.SetTenants)
	table.RunAll(ctx, rest...)
	return nil
}
