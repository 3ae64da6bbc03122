// Package livebudget measures the total cost of live intelligence: a provider with
// matches in play, the schedule of many accounts, and the API, each in its own
// process, while a client of every account polls GET /live.
package livebudget

import (
	"context"
	"errors"
	"time"

	"mkt/scripts/internal/cost"
)

// Options say what is measured.
type Options struct {
	Mkt      string        // the binary
	Accounts int           // number of accounts
	InPlay   int           // approximate number of matches in play per account
	Measured time.Duration // how long to measure
	Warm     time.Duration // how long to run before the measurement
	Poll     time.Duration // time between two requests of a client
}

// Measure starts everything, measures it and stops it.
func Measure(ctx context.Context, o Options) (_ Report, err error) {
	s, err := start(ctx, o)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f := follow(s.serve.BaseURL, s.tokens, o.Poll)
	defer f.stop()
	if err := wait(ctx, o.Warm); err != nil {
		return Report{}, err
	}
	load := cost.Load()
	f.reset()
	before, began := s.costs(), time.Now()
	if err := wait(ctx, o.Measured); err != nil {
		return Report{}, err
	}
	r := Report{options: o, took: time.Since(began), before: before, after: s.costs()}
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
