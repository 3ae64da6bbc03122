package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"mkt/scripts/internal/installation"
)

type cyclesOptions struct {
	mkt      *string
	fixtures int
	inPlay   int
	ticks    int
}

// plan is one row of the tables. quota is the account's quota at the emulator in each window.
// Some adapters adapt the number of their requests to it.
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
	{"a feed", "feed", "20000", "1h", true},
	{"`theoddsapi`, all markets of the next day", "theoddsapi", "5000000", "24h", false},
}

// cyclesFlags returns the measurement of a cycle of each provider: the requests, bytes and seconds
// of a market cycle, and of live cycles, against the provider's emulator. It prints two tables for
// docs/providers.md.
func cyclesFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	o := &cyclesOptions{mkt: mkt} // the flags are parsed later
	flags.IntVar(&o.fixtures, "fixtures", 320, "fixtures announced; some are already in play, or over, or not listed")
	flags.IntVar(&o.inPlay, "in-play", 22, "matches in play, about; some are eSoccer")
	flags.IntVar(&o.ticks, "ticks", 15, "live cycles to measure, 8 s apart")
	return o.run
}

func (o *cyclesOptions) run(ctx context.Context) error {
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

// measure returns a row of each table, measured in a new installation.
func (o *cyclesOptions) measure(ctx context.Context, p plan) (market, live string, err error) {
	in, err := installation.New(ctx, *o.mkt)
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
	f, t, u, err := cycleOf(ctx, in, "market_engine")
	if err != nil {
		return "", "", err
	}
	market = fmt.Sprintf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f |", p.name, f.Count("listed"), t.Count("markets"), f.Count("requests"), f.Count("bytes")/1e6, f.Seconds, t.Seconds, u.Seconds)
	if p.live {
		live, err = o.play(ctx, in, p)
	}
	return market, live, err
}

func cycleOf(ctx context.Context, in *installation.Installation, product string) (fetch, transform, publish installation.Step, err error) {
	steps, _, err := in.Steps(ctx, "cycle", "--tenant", "acme", "--product", product)
	if err == nil && len(steps) != 3 {
		err = fmt.Errorf("a cycle of %s has %d steps", product, len(steps))
	}
	if err != nil {
		return fetch, transform, publish, err
	}
	return steps[0], steps[1], steps[2], nil
}

// play runs live cycles at the usual pace. It does not measure the first one, which requests
// everything.
func (o *cyclesOptions) play(ctx context.Context, in *installation.Installation, p plan) (string, error) {
	var sum struct{ playing, requests, bytes, fetch, transform, publish float64 }
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for n := range o.ticks + 1 {
		f, t, u, err := cycleOf(ctx, in, "live_intelligence")
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
			<-ticker.C
		}
	}
	n := float64(o.ticks)
	return fmt.Sprintf("| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |", p.name, sum.playing, sum.requests, sum.bytes/n/1e3, sum.fetch/n, sum.transform/n, sum.publish/n), nil
}
