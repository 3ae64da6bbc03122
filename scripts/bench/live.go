package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
	"mkt/scripts/internal/installation"
)

type liveOptions struct {
	mkt      *string
	accounts int
	inPlay   int           // approximate number of matches in play per account
	details  int           // matches per account with full detail; 0 is the program's default
	measured time.Duration // how long to measure
	warm     time.Duration // how long to run before the measurement
	poll     time.Duration // time between two requests of a client
}

// liveFlags returns the measurement of live intelligence as a whole: a provider with matches in play,
// the schedule of many accounts, and the API, each in its own process, while a client of every account
// polls GET /live.
func liveFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	o := liveOptions{mkt: mkt}
	flags.IntVar(&o.accounts, "accounts", 20, "accounts")
	flags.IntVar(&o.inPlay, "in-play", 300, "approximate number of matches in play per account")
	flags.DurationVar(&o.measured, "for", 2*time.Minute, "how long to measure")
	flags.DurationVar(&o.warm, "warm", 40*time.Second, "how long to run before the measurement")
	flags.DurationVar(&o.poll, "poll", 200*time.Millisecond, "time between two requests of a client")
	return func(ctx context.Context) error {
		r, err := o.measure(ctx)
		if err == nil {
			fmt.Print(r)
		}
		return err
	}
}

// measure starts everything, measures it and stops it.
func (o liveOptions) measure(ctx context.Context) (_ liveReport, err error) {
	s, err := o.start(ctx)
	if err != nil {
		return liveReport{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f := follow(s.serve.BaseURL, s.tokens, o.poll)
	defer f.stop()
	if err := wait(ctx, o.warm); err != nil {
		return liveReport{}, err
	}
	load := cost.Load()
	f.reset()
	before, began := s.costs(), time.Now()
	if err := wait(ctx, o.measured); err != nil {
		return liveReport{}, err
	}
	r := liveReport{liveOptions: o, took: time.Since(began), before: before, after: s.costs()}
	r.seen, r.load = f.stop(), [2]string{load, cost.Load()}
	r.skipped, r.failed, err = s.problems()
	return r, err
}

// wait sleeps unless the context ends first.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// liveSystem is an installation with its accounts, and the measured processes.
type liveSystem struct {
	*installation.Installation
	tokens                    []string
	simulate, schedule, serve *installation.Process
}

// start adds the accounts and starts everything.
func (o liveOptions) start(ctx context.Context) (_ *liveSystem, err error) {
	in, err := installation.New(ctx, *o.mkt)
	if err != nil {
		return nil, err
	}
	s := &liveSystem{Installation: in}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	if s.simulate, err = in.Listen("simulate", "--in-play", strconv.Itoa(o.inPlay), "--fixtures", "50", "--quota", "100000000"); err != nil {
		return nil, err
	}
	for i := range o.accounts {
		token, err := in.AddTenant(ctx, fmt.Sprintf("account-%02d", i), s.simulate, "live_intelligence")
		if err != nil {
			return nil, err
		}
		s.tokens = append(s.tokens, token)
	}
	if s.serve, err = in.Listen("serve", "--log-format", "json", "--log-level", "info"); err != nil {
		return nil, err
	}
	schedule := []string{"schedule", "--log-format", "json", "--log-level", "info"}
	if o.details > 0 {
		schedule = append(schedule, "--live-details", strconv.Itoa(o.details))
	}
	s.schedule, err = in.Start(schedule...)
	return s, err
}

// problems counts the skipped ticks and the failed runs in the log of the schedule.
func (s *liveSystem) problems() (skipped, failed int, err error) {
	log, err := os.ReadFile(s.LogFile("schedule"))
	return strings.Count(string(log), "tick skipped"), strings.Count(string(log), `"cycle failed"`), err
}

func (s *liveSystem) costs() map[string]cost.Cost {
	return map[string]cost.Cost{"simulate": cost.Of(s.simulate.Process.Pid), "schedule": cost.Of(s.schedule.Process.Pid), "serve": cost.Of(s.serve.Process.Pid)}
}

// liveReport contains the results.
type liveReport struct {
	liveOptions
	took          time.Duration
	before, after map[string]cost.Cost
	seen          sightings
	skipped       int
	failed        int
	load          [2]string
}

// tick is the interval of the schedule.
const tick = 8 * time.Second

func (r liveReport) ticks() float64 { return r.took.Seconds() / tick.Seconds() }

// tickOf returns the processor time of a process in a tick, in seconds: "schedule", "serve"
// or "simulate".
func (r liveReport) tickOf(process string) float64 {
	return (r.after[process].Seconds - r.before[process].Seconds) / r.ticks()
}

// publications returns the numbers of publications seen and due.
func (r liveReport) publications() (seen, due int) {
	return len(r.seen.delays), int(r.ticks() * float64(r.accounts))
}

// refused returns the number of refused requests.
func (r liveReport) refused() (all int) {
	for _, n := range r.seen.errors {
		all += n
	}
	return all
}

// String formats the report as a table for docs/benchmarks.md.
func (r liveReport) String() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("%d accounts with %d fixtures in play each, %v, load %s before and %s after\n", r.accounts, r.seen.listed, r.took.Round(time.Second), r.load[0], r.load[1])
	line("| what | measured |\n|---|---|")
	for _, name := range []string{"schedule", "serve", "simulate"} {
		line("| `%s`, a tick | %.2f s of processor time, %d MB resident |", name, r.tickOf(name), r.after[name].Megabytes)
	}
	line("| of the 16 s of two cores a tick | %.0f %% |", 100*(r.tickOf("schedule")+r.tickOf("serve"))/16)
	seen, due := r.publications()
	line("| publications, of %d due | %d |", due, seen)
	line("| between two publications of an account | %s |", spread(r.seen.steps))
	line("| from publication to the first answer that contains it, polling every %v | %s |", r.poll, spread(r.seen.delays))
	line("| an answer of 200 fixtures that is new | %s |", spread(r.seen.answers))
	line("| ticks skipped, runs failed, requests refused | %d, %d, %d |", r.skipped, r.failed, r.refused())
	for err, n := range r.seen.errors {
		line("%d times: %s", n, err)
	}
	return out.String()
}

// spread formats the median, the 95th percentile and the maximum.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("half below %v, 95 %% below %v, at most %v", rounded(at(all, 0.5)), rounded(at(all, 0.95)), rounded(at(all, 1)))
}

// at returns a quantile, and 0 if there is nothing.
func at(all []time.Duration, quantile float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[int(quantile*float64(len(all)-1))]
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
