// Bench measures the costs of mkt: of a megabyte, a selection, a request and a connection. It
// measures comparable programs (DuckDB, nginx, the official Socket.IO server) beside it, in turn,
// in the same run.
//
//	make cost
//	go run ./scripts/bench -only cycle,memory
//	go run ./scripts/bench live -accounts 20 -in-play 300 -for 2m
//	go run ./scripts/bench flood -each 8s -rate 150 -pace 25
//	go run ./scripts/bench cycles
//	go run ./scripts/bench push -accounts 20 -sockets 8 -for 1m -rounds 3
//	go run ./scripts/bench bytes -details 300 -for 3m
//
// It runs the real binary, bin/mkt after make build, in processes of its own, on simulated
// providers, and prints tables for docs/benchmarks.md and docs/providers.md. A comparable program
// which is not installed is left out, and the output says how to install it. Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
)

type options struct {
	quick    bool
	mkt      *string       // the binary
	rounds   int           // rounds of everything
	fixtures int           // announced to each of two accounts
	largest  int           // announced to the account whose memory is measured
	speed    int           // factor by which the simulated hour between two cycles is faster
	seconds  time.Duration // of requests to a server, in each round
}

// group is a group of rows of the table, measured together.
type group struct {
	name    string
	measure func(context.Context, *bench) error
}

var groups = []group{
	{"cycle", measureCycle},
	{"memory", measureMemory},
	{"serve", measureServe},
	{"live", measureLive},
	{"sockets", measureSockets},
	{"realtime", measureRealtime},
}

// measurements are started by name; without one it is the table of costs.
var measurements = map[string]func(flags *flag.FlagSet, mkt *string) func(context.Context) error{
	"bytes": bytesFlags, "costs": costsFlags, "cycles": cyclesFlags, "flood": floodFlags, "live": liveFlags, "push": pushFlags,
}

func main() {
	name, args := "costs", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	begin, known := measurements[name]
	if !known {
		fmt.Fprintf(os.Stderr, "bench: there is no measurement %q; there are %s\n", name, strings.Join(slices.Sorted(maps.Keys(measurements)), ", "))
		os.Exit(2)
	}
	flags := flag.NewFlagSet("bench "+name, flag.ExitOnError)
	measure := begin(flags, flags.String("mkt", "bin/mkt", "the binary to measure"))
	_ = flags.Parse(args) // ends the process if they are wrong
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "bench %s: %v\n", name, err)
		os.Exit(1)
	}
}

// costsFlags returns the measurement of the table of costs.
func costsFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	only := flags.String("only", "", "groups to measure, separated by commas (default all): "+strings.Join(names, ", "))
	quick := flags.Bool("quick", false, "a small world and short runs: shows that everything works, not its costs")
	return func(ctx context.Context) error {
		o := options{mkt: mkt, rounds: 3, fixtures: 960, largest: 1200, speed: 40, seconds: 4 * time.Second}
		if *quick {
			o = options{quick: true, mkt: mkt, rounds: 1, fixtures: 60, largest: 80, speed: 400, seconds: 2 * time.Second}
		}
		return run(ctx, o, *only, names)
	}
}

func run(ctx context.Context, o options, only string, names []string) error {
	if only != "" {
		names = strings.Split(only, ",")
	}
	for _, name := range names {
		if !slices.ContainsFunc(groups, func(g group) bool { return g.name == name }) {
			return fmt.Errorf("-only: there is no group %q", name)
		}
	}
	b, began, load := &bench{options: o}, time.Now(), cost.Load()
	version, err := exec.CommandContext(ctx, *o.mkt, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s: %w: run \"make build\" first", *o.mkt, err)
	}
	var failed []error
	for _, g := range groups {
		if !slices.Contains(names, g.name) || ctx.Err() != nil {
			continue
		}
		b.progress("%s", g.name)
		if err := g.measure(ctx, b); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", g.name, err))
		}
	}
	conditions := fmt.Sprintf("%s, %d processors, load average %s at the start and %s at the end, %v.",
		strings.TrimSpace(string(version)), runtime.NumCPU(), load, cost.Load(), time.Since(began).Round(time.Second))
	if o.quick {
		conditions += " Quick: the figures say nothing."
	}
	b.print(conditions)
	return errors.Join(failed...)
}
