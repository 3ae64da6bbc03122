package tracking

import (
	"cmp"
	"context"
	"slices"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/identity"
	"mkt/transform/output"
)

// arrange turns the tracked fixtures into rows.
func (c *Cycle) arrange(tracks []*track) {
	minter := identity.NewMinter(c.Key, c.Archive.Cycle().Provider)
	all := make([]*shown, len(tracks))
	for i, t := range tracks {
		all[i] = &shown{track: t, Live: t.state.Brief()}
	}
	detailed := slices.Clone(all)
	slices.SortFunc(detailed, byInterest)
	for i, f := range detailed[:min(c.Details, len(detailed))] {
		f.rank, f.Live = i+1, f.state.Live()
	}
	for _, f := range all {
		if c.Header.PreviousUnpublished {
			f.shown = f.shown.Undo()
		}
		f.told = f.shown.Add(&f.Live, f.before, f.state, f.rank > 0)
		f.Live.Fixture.ID = minter.Fixture(f.state.FixtureID()).FixtureID()
		f.Live.Fixture.Provider = c.Archive.Cycle().Provider
		c.Totals.Fixtures++
		if f.InPlay {
			c.Counts.InPlay++
		}
		if f.Momentum.Available() {
			c.Counts.Momentum++
		}
	}
	slices.SortFunc(all, func(a, b *shown) int { return cmp.Compare(a.Fixture.ID, b.Fixture.ID) })
	c.rows.grow(all)
	for _, f := range all {
		c.rows.add(f)
	}
}

// Write writes the tables of the cycle into its canonical folder.
func (c *Cycle) Write(ctx context.Context, f *output.Folder) error {
	l, m := &c.rows, c.Header
	if c.Before == nil || c.Before.FixturesRoot != "" { // an older version did not write it
		m.FixturesRoot = snapshot.FixturesRoot(l.entries)
	}
	for _, count := range c.Counts.Named(c.Totals) {
		m.Counters[count.Key] = count.Value.Int64()
	}
	for _, write := range []func() error{
		func() error { return writeRows(ctx, f, m, layout.LiveFile, "live", l.fixtures) },
		func() error { return writeRows(ctx, f, m, layout.LiveCountersFile, "live_counters", l.counters) },
		func() error { return writeRows(ctx, f, m, layout.LiveTimelineFile, "live_timeline", l.timeline) },
		func() error { return writeRows(ctx, f, m, layout.LiveBucketsFile, "live_buckets", l.buckets) },
		func() error { return writeRows(ctx, f, m, layout.LivePeriodsFile, "live_periods", l.periods) },
		func() error { return writeRows(ctx, f, m, layout.LiveStatesFile, statesTable, l.states) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func writeRows[T table.Row](ctx context.Context, f *output.Folder, m *snapshot.Manifest, name, key string, rows []T) error {
	return output.Write(ctx, f, m, name, key, func(w *table.Writer[T]) error { return w.Write(rows...) })
}

// Keep keeps the states for the next cycle, once the canonical cycle is in its place.
func (c *Cycle) Keep() {
	c.States.keep(c.Header.ClientID, c.Header, c.rows.states)
}
