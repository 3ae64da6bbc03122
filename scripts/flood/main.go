// Flood measures what one account's flood does to another's latency, on the real
// binary:
//
//	make build && go run ./scripts/flood
//
// It creates an installation in a temporary folder (a simulated provider, two accounts with a
// high rate limit, mkt serve). The quiet account requests pages that nobody requested
// before at a constant rate, first alone and then during several floods of the other
// account. The output is the medians and 99th percentiles with their ratios. Server and
// load share the machine, so that a ratio above 1 is partly caused by the lack of processors.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// options of the measurement.
type options struct {
	binary      string
	size        int
	each        time.Duration // of every phase
	pace        int           // requests a second of the quiet account
	connections int           // connections of the flood
	rate        int           // maximum requests a second of the flood; 0: as many as are answered
	limit       int           // requests a minute of the flood's account
}

func main() {
	var o options
	flag.StringVar(&o.binary, "mkt", "bin/mkt", "the binary")
	flag.IntVar(&o.size, "fixtures", 300, "fixtures of the provider")
	flag.DurationVar(&o.each, "each", 20*time.Second, "how long every phase takes")
	flag.IntVar(&o.pace, "pace", 50, "requests a second of the quiet account")
	flag.IntVar(&o.connections, "flood", 64, "connections of the flood")
	flag.IntVar(&o.rate, "rate", 0, "maximum requests a second of the flood (0: as many as are answered)")
	flag.IntVar(&o.limit, "limit", 60_000, "rate limit of the flood's account, requests a minute")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "flood:", err)
		os.Exit(1)
	}
}

// phase is what the other account does while the quiet one is measured.
type phase struct {
	name string
	path func(s *system, n int) string // nil for nothing
}

var phases = []phase{
	{"alone", nil},
	{"during a flood of cold pages", func(s *system, n int) string { return s.cold("flood", n) }},
	{"during a flood of one cached page", func(s *system, _ int) string { return s.cold("flood", 0) }},
	{"during a flood of filters", func(_ *system, n int) string { return fmt.Sprintf("/fixtures?limit=200&league=%d", n) }},
	{"alone again", nil},
}

func measure(ctx context.Context, o options) (err error) {
	s, err := start(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Printf("%-34s %8s %8s %8s %8s   %s\n", "the quiet account", "p50 ms", "p99 ms", "p50 ×", "p99 ×", "the flood's answers")
	var alone latencies
	for i, p := range phases {
		flooding, stop := context.WithCancel(ctx)
		flooded := make(chan map[int]int, 1)
		go func() { flooded <- s.flood(flooding, p) }()
		l, err := s.measureQuiet(ctx, i)
		stop()
		answers := <-flooded
		if err != nil {
			return err
		}
		if i == 0 {
			alone = l
		}
		fmt.Printf("%-34s %8.2f %8.2f %8.2f %8.2f   %s\n", p.name, ms(l.at(.5)), ms(l.at(.99)),
			ratio(l.at(.5), alone.at(.5)), ratio(l.at(.99), alone.at(.99)), perSecond(answers, o.each))
	}
	return nil
}
