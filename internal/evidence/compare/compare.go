// Package compare lists the differences between two published snapshots of a product:
// fixtures, markets, selections, odds, suspensions and quality; for live data scores,
// clocks, momentum and counters.
//
// It reads both side by side in the order of their ids, with the markets of one fixture of
// each in memory, so a snapshot may have any size. It skips fixtures whose content has the
// same digest. Changes are in the order of the fixtures' ids, and the same two snapshots
// always give the same changes.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// Side is one of the two snapshots.
type Side struct {
	Root     durable.ReadFS // of the tenant and product
	Commit   snapshot.Commit
	Manifest snapshot.Manifest
}

// Open opens the snapshot of a publication. If it is not kept any more, the error is
// [ErrNotKept].
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

// ErrNotKept is the error for a publication whose snapshot was deleted by retention.
var ErrNotKept = errors.New("its snapshot is not kept any more")

// ErrProducts is the error for two snapshots of different products.
var ErrProducts = errors.New("snapshots of different products cannot be compared")

// Options are the options of a comparison.
type Options struct {
	A, B     Side
	Fixture  string // only this one; "" is all
	Progress func(done, total int64)
}

// Run compares B with A and calls to with every change. It first checks the files of both
// against their manifests. It stops at the first error of to.
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

// Summary counts the results of a comparison.
type Summary struct {
	FixturesA int          `json:"fixtures_a"`
	FixturesB int          `json:"fixtures_b"`
	Same      int          `json:"fixtures_same"`
	Changed   int          `json:"fixtures_changed"` // in both, and different
	Changes   map[What]int `json:"changes"`
	Up        int          `json:"odds_up"`
	Down      int          `json:"odds_down"`
}

// Differs reports whether there was any change.
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

	changes int // of the current fixture
	done    int64
}

// fixtures compares the tables of fixtures. base returns the beginning of a fixture's changes,
// both compares a fixture on both sides, and pass, if not nil, is called after each.
func fixtures[T table.Row](r *run, file string, base func(*T) Change, both func(base Change, a, b *T) error, pass func(diff.Pair[T])) error {
	rows := func(s Side) iter.Seq2[*T, error] { return snapshot.Rows[T](s.Root, s.Commit.Dir()+"/"+file) }
	byID := func(a, b *T) int { return cmp.Compare(base(a).FixtureID, base(b).FixtureID) }
	key := strings.TrimSuffix(file, ".parquet")
	total := max(r.A.Manifest.Tables[key].Rows, r.B.Manifest.Tables[key].Rows)
	for p, err := range diff.Pairs(rows(r.A), rows(r.B), byID) {
		if err != nil {
			return err
		}
		c := base(cmp.Or(p.New, p.Old))
		if r.Fixture == "" || r.Fixture == c.FixtureID {
			if err := fixture(r, c, p, both); err != nil {
				return err
			}
		}
		if pass != nil {
			pass(p)
		}
		if r.done++; r.Progress != nil && r.done%64 == 0 {
			r.Progress(r.done, total)
		}
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
	}
	return nil
}

func fixture[T any](r *run, c Change, p diff.Pair[T], both func(base Change, a, b *T) error) error {
	if p.Old != nil {
		r.sum.FixturesA++
	}
	if p.New != nil {
		r.sum.FixturesB++
	}
	switch {
	case p.New == nil:
		c.What = FixtureRemoved
		return r.emit(c)
	case p.Old == nil:
		c.What = FixtureAdded
		return r.emit(c)
	}
	c.What, r.changes = FixtureChanged, 0
	err := both(c, p.Old, p.New)
	if r.changes == 0 {
		r.sum.Same++
	} else {
		r.sum.Changed++
	}
	return err
}

// columns emits a change for each different column.
func columns[T any](r *run, base Change, a, b *T, names ...string) error {
	for _, name := range names {
		if err := r.field(base, name, column(a, name), column(b, name)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) field(base Change, name string, a, b Value) error {
	if a == b {
		return nil
	}
	base.Field, base.Old, base.New = name, a, b
	return r.emit(base)
}

func (r *run) emit(c Change) error {
	c.Explain = explainOf(c)
	r.sum.Changes[c.What]++
	r.changes++
	if c.What == OddsMoved && c.Percent != nil {
		if *c.Percent > 0 {
			r.sum.Up++
		} else if *c.Percent < 0 {
			r.sum.Down++
		}
	}
	return r.to(c)
}
