// Bench measures what mkt costs: a megabyte, a selection, a request and a connection. What
// does comparable work (DuckDB, nginx, the official Socket.IO server) is measured beside it,
// in turn, in the same run.
//
//	make cost
//	go run ./scripts/bench -only cycle,memory
//
// It runs the real binary in processes of its own, on simulated providers, and prints a
// table for docs/benchmarks.md. A neighbour that is not installed is left out, and the
// output says what to install. Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	mkt      string        // the binary
	rounds   int           // how many times everything is measured
	fixtures int           // announced to each of two accounts
	largest  int           // announced to the account whose memory is measured
	speed    int           // how many times faster the simulated hour between two cycles passes
	seconds  time.Duration // of requests to a server, in each round
}

// group is rows of the table that are measured together.
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

func main() {
	var o options
	var only string
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	flag.StringVar(&o.mkt, "mkt", "bin/mkt", "the binary to measure")
	flag.StringVar(&only, "only", "", "groups to measure, separated by commas (default all): "+strings.Join(names, ", "))
	flag.BoolVar(&o.quick, "quick", false, "a small world and short runs: shows that everything works, not what it costs")
	flag.Parse()
	o.rounds, o.fixtures, o.largest, o.speed, o.seconds = 3, 960, 1200, 40, 4*time.Second
	if o.quick {
		o.rounds, o.fixtures, o.largest, o.speed, o.seconds = 1, 60, 80, 400, 2*time.Second
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, only, names); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
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
	version, err := exec.CommandContext(ctx, o.mkt, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s: %w: run \"make build\" first", o.mkt, err)
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
