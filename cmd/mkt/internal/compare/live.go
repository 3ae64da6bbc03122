package compare

import (
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/table"
)

// liveHalf is one side's two tables.
type liveHalf struct {
	rows     *cursor[table.LiveRow]
	counters *cursor[table.LiveCounterRow]
}

func openLive(s Side) (*liveHalf, error) {
	rows, err := openCursor[table.LiveRow](s, layout.LiveFile)
	if err != nil {
		return nil, err
	}
	counters, err := openCursor[table.LiveCounterRow](s, layout.LiveCountersFile)
	if err != nil {
		rows.close()
		return nil, err
	}
	h := &liveHalf{rows, counters}
	if err = rows.next(); err == nil {
		err = counters.next()
	}
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *liveHalf) close() {
	h.rows.close()
	h.counters.close()
}

func (h *liveHalf) id() string {
	if h.rows.row == nil {
		return ""
	}
	return h.rows.row.FixtureID
}

func (h *liveHalf) about(what What) Change {
	l := h.rows.row
	return about(what, &table.FixtureRow{FixtureID: l.FixtureID, Home: l.Home, Away: l.Away, League: l.League})
}

func (h *liveHalf) pass() error { return h.rows.next() }

func (h *liveHalf) fixtures() int64 { return h.rows.rows.Len() }

// countersOf are the counters of the fixture at hand.
func (h *liveHalf) countersOf(id string) (map[string]table.LiveCounterRow, []string, error) {
	counters, names := map[string]table.LiveCounterRow{}, []string{}
	for h.counters.row != nil && h.counters.row.FixtureID <= id {
		if row := *h.counters.row; row.FixtureID == id {
			counters[row.Metric] = row
			names = append(names, row.Metric)
		}
		if err := h.counters.next(); err != nil {
			return nil, nil, err
		}
	}
	return counters, names, nil
}

// live compares two live snapshots. Times, which always differ, are left out.
func (r *run) live() error { return walk(r, openLive, r.liveChanged) }

// number is a nullable column that holds one.
func number[T any](v *T, name string, notSent []string) Value {
	if v == nil {
		return column(nil, name, notSent)
	}
	return valueOf(fmt.Sprint(*v))
}

// liveChanged compares a fixture that both have.
func (r *run) liveChanged(a, b *liveHalf) error {
	la, lb := a.rows.row, b.rows.row
	base := b.about(FixtureChanged)
	for _, f := range []struct {
		name string
		of   func(*table.LiveRow) Value
	}{
		{"in_play", func(l *table.LiveRow) Value { return valueOf(fmt.Sprint(l.InPlay)) }},
		{"home", func(l *table.LiveRow) Value { return column(l.Home, "home", l.Absent) }},
		{"away", func(l *table.LiveRow) Value { return column(l.Away, "away", l.Absent) }},
		{"league", func(l *table.LiveRow) Value { return column(l.League, "league", l.Absent) }},
		{"clock_period", func(l *table.LiveRow) Value { return column(l.ClockPeriod, "clock_period", l.Absent) }},
		{"clock_minute", func(l *table.LiveRow) Value { return number(l.ClockMinute, "clock_minute", l.Absent) }},
		{"clock_running", func(l *table.LiveRow) Value { return number(l.ClockRunning, "clock_running", l.Absent) }},
		{"score_home", func(l *table.LiveRow) Value { return number(l.ScoreHome, "score_home", l.Absent) }},
		{"score_away", func(l *table.LiveRow) Value { return number(l.ScoreAway, "score_away", l.Absent) }},
		{"visual_state", func(l *table.LiveRow) Value { return column(l.VisualState, "visual_state", l.Absent) }},
		{"visual_side_proven", func(l *table.LiveRow) Value { return column(l.VisualSide, "visual_side_proven", l.Absent) }},
		{"visual_certainty", func(l *table.LiveRow) Value { return column(l.VisualCertainty, "visual_certainty", l.Absent) }},
		{"momentum_home", func(l *table.LiveRow) Value { return number(l.MomentumHome, "momentum_home", l.Absent) }},
		{"unavailable_reason", func(l *table.LiveRow) Value { return column(l.UnavailableReason, "unavailable_reason", l.Absent) }},
	} {
		if err := r.field(base, f.name, f.of(la), f.of(lb)); err != nil {
			return err
		}
	}
	return r.counters(base, a, b)
}

// counters compares them metric by metric, those that B lost last.
func (r *run) counters(base Change, a, b *liveHalf) error {
	old, names, err := a.countersOf(base.FixtureID)
	if err != nil {
		return err
	}
	now, more, err := b.countersOf(base.FixtureID)
	if err != nil {
		return err
	}
	for _, metric := range names {
		if _, has := now[metric]; !has {
			more = append(more, metric)
		}
	}
	base.What = CounterMoved
	for _, metric := range more {
		oldHome, oldAway := sidesOf(old, metric)
		home, away := sidesOf(now, metric)
		if err := r.field(base, metric+" home", oldHome, home); err != nil {
			return err
		}
		if err := r.field(base, metric+" away", oldAway, away); err != nil {
			return err
		}
	}
	return nil
}

// sidesOf are the digits of both sides; not sent when there is no row.
func sidesOf(counters map[string]table.LiveCounterRow, metric string) (home, away Value) {
	c, ok := counters[metric]
	if !ok {
		return Value{}, Value{}
	}
	return column(c.HomeText, "home", c.Absent), column(c.AwayText, "away", c.Absent)
}
