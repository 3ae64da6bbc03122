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
	"os/signal"
	"time"

	"mkt/scripts/internal/livebudget"
)

func main() {
	var o livebudget.Options
	flag.StringVar(&o.Mkt, "mkt", "bin/mkt", "the binary to measure")
	flag.IntVar(&o.Accounts, "accounts", 20, "accounts")
	flag.IntVar(&o.InPlay, "in-play", 300, "approximate number of matches in play per account")
	flag.DurationVar(&o.Measured, "for", 2*time.Minute, "how long to measure")
	flag.DurationVar(&o.Warm, "warm", 40*time.Second, "how long to run before the measurement")
	flag.DurationVar(&o.Poll, "poll", 200*time.Millisecond, "time between two requests of a client")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := livebudget.Measure(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "livebudget:", err)
		os.Exit(1)
	}
	fmt.Print(report)
}
