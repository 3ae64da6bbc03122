package compare

import (
	"cmp"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// live compares two live snapshots. It leaves out times, which always differ.
func (r *run) live() error {
	a, err := countersOf(r.A)
	if err != nil {
		return err
	}
	b, err := countersOf(r.B)
	if err != nil {
		return err
	}
	base := func(l *table.LiveRow) Change { return about(l.FixtureID, l.Home, l.Away, l.League) }
	return fixtures(r, layout.LiveFile, base, func(base Change, rowA, rowB *table.LiveRow) error {
		err := columns(r, base, rowA, rowB, "in_play", "home", "away", "league", "clock_period", "clock_minute", "clock_running", "score_home", "score_away",
			"visual_state", "visual_side_proven", "visual_certainty", "momentum_home", "unavailable_reason")
		if err != nil {
			return err
		}
		return r.counters(base, a[rowA.FixtureID], b[rowB.FixtureID])
	}, nil)
}

func countersOf(s Side) (map[string][]table.LiveCounterRow, error) {
	all := map[string][]table.LiveCounterRow{}
	for row, err := range snapshot.Rows[table.LiveCounterRow](s.Root, s.Commit.Dir()+"/"+layout.LiveCountersFile) {
		if err != nil {
			return nil, err
		}
		all[row.FixtureID] = append(all[row.FixtureID], *row)
	}
	return all, nil
}

// counters compares the counters of a fixture by the provider's digits.
func (r *run) counters(base Change, a, b []table.LiveCounterRow) error {
	base.What = CounterMoved
	byMetric := func(a, b *table.LiveCounterRow) int { return cmp.Compare(a.Metric, b.Metric) }
	none := &table.LiveCounterRow{Absent: []string{"home", "away"}}
	for p := range diff.Pairs(diff.Each(a), diff.Each(b), byMetric) {
		old, now := cmp.Or(p.Old, none), cmp.Or(p.New, none)
		metric := cmp.Or(old.Metric, now.Metric)
		for _, side := range []string{"home", "away"} {
			if err := r.field(base, metric+" "+side, column(old, side+"_text"), column(now, side+"_text")); err != nil {
				return err
			}
		}
	}
	return nil
}
