// Cyclecost measures what a cycle costs with each provider: the requests, bytes and seconds
// of a market cycle, and of live cycles, against the provider's emulator. Every command
// that a person would call runs in a process of its own.
//
//	go build -o bin/mkt ./cmd/mkt && go run ./scripts/cyclecost
//
// It prints two tables for docs/providers.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"mkt/scripts/internal/installation"
)

type options struct {
	mkt      string
	fixtures int
	inPlay   int
	ticks    int
}

// plan is one row of the tables. quota is what the emulator gives an account in each
// window, by which some adapters decide what they ask for.
type plan struct {
	name, provider string
	quota, window  string
	live           bool
}

var plans = []plan{
	{"`betsapi`", "betsapi", "3600", "1h", true},
	{"`sportmonks`", "sportmonks", "5000", "1h", true},
	{"`apifootball`", "apifootball", "75000", "24h", true},
	{"`theoddsapi`, featured markets", "theoddsapi", "100000", "24h", false},
	{"`theoddsapi`, all markets of the next day", "theoddsapi", "5000000", "24h", false},
}

func main() {
	var o options
	flag.StringVar(&o.mkt, "mkt", "bin/mkt", "the binary to measure")
	flag.IntVar(&o.fixtures, "fixtures", 320, "fixtures announced; some are already in play, or over, or not listed")
	flag.IntVar(&o.inPlay, "in-play", 22, "matches in play, about; some are eSoccer")
	flag.IntVar(&o.ticks, "ticks", 15, "live cycles to measure, 8 s apart")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "cyclecost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	var lives []string
	fmt.Println("| market cycle | fixtures | markets | requests | MB | fetch, s | transform, s | publish, s |\n|---|---|---|---|---|---|---|---|")
	for _, p := range plans {
		market, live, err := o.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.provider, err)
		}
		fmt.Println(market)
		if p.live {
			lives = append(lives, live)
		}
	}
	fmt.Printf("\n| live cycle | in play | requests in %d cycles | KB a cycle | fetch, s | transform, s | publish, s |\n|---|---|---|---|---|---|---|\n", o.ticks)
	for _, row := range lives {
		fmt.Println(row)
	}
	return nil
}

// measure returns a row of each table, of an installation of its own.
func (o options) measure(ctx context.Context, p plan) (market, live string, err error) {
	in, err := installation.New(ctx, o.mkt)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	emulator, err := in.Listen("simulate", "--provider", p.provider, "--fixtures", fmt.Sprint(o.fixtures),
		"--in-play", fmt.Sprint(o.inPlay), "--quota", p.quota, "--quota-window", p.window)
	if err != nil {
		return "", "", err
	}
	products := []string{"market_engine"}
	if p.live {
		products = append(products, "live_intelligence")
	}
	if _, err := in.AddTenant(ctx, "acme", emulator, products...); err != nil {
		return "", "", err
	}
	f, t, u, err := cycle(ctx, in, "market_engine")
	if err != nil {
		return "", "", err
	}
	market = fmt.Sprintf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f |", p.name, f.Count("listed"), t.Count("markets"), f.Count("requests"), f.Count("bytes")/1e6, f.Seconds, t.Seconds, u.Seconds)
	if p.live {
		live, err = o.play(ctx, in, p)
	}
	return market, live, err
}

func cycle(ctx context.Context, in *installation.Installation, product string) (fetch, transform, publish installation.Step, err error) {
	steps, _, err := in.Steps(ctx, "cycle", "--tenant", "acme", "--product", product)
	if err == nil && len(steps) != 3 {
		err = fmt.Errorf("a cycle of %s has %d steps", product, len(steps))
	}
	if err != nil {
		return fetch, transform, publish, err
	}
	return steps[0], steps[1], steps[2], nil
}

// play runs live cycles at the usual pace. The first one, which asks for everything, is
// not measured.
func (o options) play(ctx context.Context, in *installation.Installation, p plan) (string, error) {
	var sum struct{ playing, requests, bytes, fetch, transform, publish float64 }
	tick := time.NewTicker(8 * time.Second)
	defer tick.Stop()
	for n := range o.ticks + 1 {
		f, t, u, err := cycle(ctx, in, "live_intelligence")
		if err != nil {
			return "", err
		}
		if n > 0 {
			sum.playing = t.Count("in_play")
			sum.requests += f.Count("requests")
			sum.bytes += f.Count("bytes")
			sum.fetch, sum.transform, sum.publish = sum.fetch+f.Seconds, sum.transform+t.Seconds, sum.publish+u.Seconds
		}
		if n < o.ticks {
			<-tick.C
		}
	}
	n := float64(o.ticks)
	return fmt.Sprintf("| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |", p.name, sum.playing, sum.requests, sum.bytes/n/1e3, sum.fetch/n, sum.transform/n, sum.publish/n), nil
}
