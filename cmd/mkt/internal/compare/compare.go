// Package compare tells what differs between two published snapshots of a product:
// fixtures, markets, selections, odds, suspensions, quality; of live data scores,
// clocks, momentum and counters.
//
// Both are read side by side in the order of their ids, one fixture of each in
// memory at a time, so that size does not matter. Fixtures whose content has the
// same digest are passed over unread. Changes come in the order of the fixtures'
// ids, and the same two snapshots always give the same changes.
package compare

import (
	"context"
	"errors"
	"fmt"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Side is one of the two snapshots.
type Side struct {
	Root     durable.ReadFS // of the tenant and product
	Commit   snapshot.Commit
	Manifest snapshot.Manifest
}

// Open opens the snapshot of a publication. One whose snapshot is not kept any
// more is ErrNotKept.
func Open(root durable.ReadFS, c snapshot.Commit) (Side, error) {
	kept, err := snapshot.IsKept(root, c)
	if err == nil && !kept {
		err = ErrNotKept
	}
	if err != nil {
		return Side{}, fmt.Errorf("version %d, %s: %w", c.Version, c.CycleID, err)
	}
	m, err := snapshot.Open(root, c)
	return Side{root, c, m}, err
}

// ErrNotKept: the publication's snapshot is not there any more.
var ErrNotKept = errors.New("its snapshot is not kept any more")

// ErrProducts: the two are of different products.
var ErrProducts = errors.New("snapshots of different products cannot be compared")

// Options of a comparison.
type Options struct {
	A, B     Side
	Fixture  string // only this one; "" is all
	Progress func(done, total int64)
}

// Run compares B with A and gives every change to the function, whose error ends
// it. The files of both are held against their manifests first.
func Run(ctx context.Context, o Options, to func(Change) error) (Summary, error) {
	if o.A.Manifest.Product != o.B.Manifest.Product {
		return Summary{}, ErrProducts
	}
	for _, s := range []Side{o.A, o.B} {
		if err := snapshot.Verify(s.Root, s.Commit.Dir(), s.Manifest); err != nil {
			return Summary{}, err
		}
	}
	r := &run{Options: o, ctx: ctx, to: to, sum: Summary{Changes: map[What]int{}}}
	compare := r.markets
	if o.A.Manifest.Product == football.LiveIntelligence {
		compare = r.live
	}
	err := compare()
	return r.sum, err
}

// Summary is what a comparison came to.
type Summary struct {
	FixturesA int          `json:"fixtures_a"`
	FixturesB int          `json:"fixtures_b"`
	Same      int          `json:"fixtures_same"`
	Changed   int          `json:"fixtures_changed"` // in both, and not the same
	Changes   map[What]int `json:"changes"`
	Up        int          `json:"odds_up"`
	Down      int          `json:"odds_down"`
}

// Differs tells whether there was any change.
func (s *Summary) Differs() bool {
	for _, n := range s.Changes {
		if n > 0 {
			return true
		}
	}
	return false
}

type run struct {
	Options
	ctx context.Context
	to  func(Change) error
	sum Summary

	current int // changes of the fixture at hand
	done    int64
}

// emit counts a change and passes it on.
func (r *run) emit(c Change) error {
	c.Explain = explainOf(c)
	r.sum.Changes[c.What]++
	r.current++
	if c.What == OddsMoved && c.Percent != nil {
		if *c.Percent > 0 {
			r.sum.Up++
		} else if *c.Percent < 0 {
			r.sum.Down++
		}
	}
	return r.to(c)
}

// count closes a fixture that both snapshots have.
func (r *run) count() {
	if r.current == 0 {
		r.sum.Same++
	} else {
		r.sum.Changed++
	}
}

// step tells how far it is, and whether to go on.
func (r *run) step(total int64) error {
	r.done++
	if r.Progress != nil && r.done%64 == 0 {
		r.Progress(r.done, total)
	}
	return r.ctx.Err()
}
