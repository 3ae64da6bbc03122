// Livebudget measures the total cost of live intelligence: a provider with
// matches in play, the schedule of many accounts, and the API, each in its own
// process, while a client of every account polls GET /live.
//
//	go build -o bin/mkt ./cmd/mkt && go run ./scripts/livebudget -accounts 20 -in-play 300 -for 2m
//
// It prints a table for docs/benchmarks.md. Linux only: processor time is read
// from /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"mkt/scripts/internal/cost"
)

type options struct {
	mkt      string
	accounts int
	inPlay   int
	measured time.Duration
	warm     time.Duration
	poll     time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.mkt, "mkt", "bin/mkt", "the binary to measure")
	flag.IntVar(&o.accounts, "accounts", 20, "accounts")
	flag.IntVar(&o.inPlay, "in-play", 300, "approximate number of matches in play per account")
	flag.DurationVar(&o.measured, "for", 2*time.Minute, "how long to measure")
	flag.DurationVar(&o.warm, "warm", 40*time.Second, "how long to run before the measurement")
	flag.DurationVar(&o.poll, "poll", 200*time.Millisecond, "time between two requests of a client")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "livebudget:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	s, err := start(context.Background(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	f := follow(s.serve.BaseURL, s.tokens, o.poll)
	time.Sleep(o.warm)
	load := cost.Load()
	f.reset()
	before, began := s.costs(), time.Now()
	time.Sleep(o.measured)
	took, after := time.Since(began), s.costs()
	seen := f.stop()
	skipped, failed, err := s.problems()
	if err != nil {
		return err
	}
	report{o: o, took: took, before: before, after: after, seen: seen, skipped: skipped, failed: failed,
		load: [2]string{load, cost.Load()}}.print()
	return nil
}
