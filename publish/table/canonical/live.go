package canonical

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Live returns the row of a fixture in play. retrieved is the time of its last retrieval. rank
// is its rank in the detail set, from 1, or 0 if it is outside.
func Live(l *football.Live, retrieved time.Time, rank int) table.LiveRow {
	row := table.LiveRow{
		FixtureID: string(l.Fixture.ID), InPlay: l.InPlay, At: ms(l.At), FreshAt: ms(l.Fixture.FetchedAt), StaleAt: msOrNone(l.StaleAt),
		ClockPeriod:    filled((*string)(&l.Clock.Phase)),
		SourceProvider: l.Fixture.Provider, ProviderFixtureID: l.Fixture.ProviderFixtureID, ProviderEventID: filled(&l.EventID),
		ProviderFetchedAt: ms(retrieved),
	}
	row.Home = field(&row.Absent, "home", l.Fixture.Home)
	row.Away = field(&row.Absent, "away", l.Fixture.Away)
	row.League = field(&row.Absent, "league", l.Fixture.League)
	if at := field(&row.Absent, "starts_at", l.Fixture.StartsAt); at != nil {
		row.StartsAt = msOrNone(*at)
	}
	row.ClockMinute = small(&row.Absent, "clock_minute", l.Clock.Minute)
	row.ClockSecond = small(&row.Absent, "clock_second", l.Clock.Second)
	row.ClockAdded = small(&row.Absent, "clock_added", l.Clock.Added)
	row.ClockRunning = field(&row.Absent, "clock_running", l.Clock.Running)
	row.ScoreHome = small(&row.Absent, "score_home", l.Score.Home)
	row.ScoreAway = small(&row.Absent, "score_away", l.Score.Away)
	if v := &l.Visual; v.State != "" {
		row.VisualState, row.VisualSide = filled((*string)(&v.State)), filled((*string)(&v.SideProven))
		row.VisualCertainty, row.VisualSince = filled((*string)(&v.Certainty)), msOrNone(v.Since)
	}
	addMomentum(&row, &l.Momentum)
	if l.Revision > 0 {
		row.TimelineRevision = number(l.Revision)
	}
	for i := range l.Withdrawn {
		row.Withdrawn = append(row.Withdrawn, withdrawn(&l.Withdrawn[i]))
	}
	if rank > 0 {
		row.DetailRank, row.SeriesMax, row.SeriesMaxMinute = number(rank), number(l.Series.Max), number(l.Series.MaxMinute)
	}
	return row
}

func addMomentum(row *table.LiveRow, m *football.Momentum) {
	if !m.Available() {
		row.UnavailableReason = filled((*string)(&m.Reason))
		return
	}
	row.MomentumHome, row.MomentumAway = number(m.Home), number(m.Away)
	row.MomentumLeader, row.MomentumStrength = filled((*string)(&m.Leader)), filled((*string)(&m.Strength))
	row.MomentumScope = filled((*string)(&m.Scope))
}

// LiveCounters appends the rows of a fixture's counters, in order. A metric sent for neither
// side has no row.
func LiveCounters(rows []table.LiveCounterRow, l *football.Live) []table.LiveCounterRow {
	for i := range l.Counters {
		c := &l.Counters[i]
		if c.Home.State() == football.Missing && c.Away.State() == football.Missing {
			continue
		}
		row := table.LiveCounterRow{FixtureID: string(l.Fixture.ID), Metric: string(c.Metric), State: string(c.State())}
		row.HomeText, row.Home = count(&row.Absent, "home", c.Home)
		row.AwayText, row.Away = count(&row.Absent, "away", c.Away)
		rows = append(rows, row)
	}
	return rows
}

// LiveTimeline appends the rows of a fixture's timeline.
func LiveTimeline(rows []table.LiveTimelineRow, l *football.Live) []table.LiveTimelineRow {
	for i, e := range l.Timeline {
		row := table.LiveTimelineRow{
			FixtureID: string(l.Fixture.ID), Ordinal: int32(i), At: ms(e.At), Minute: numberOf(e.Minute), Second: numberOf(e.Second),
			State: string(e.State), Certainty: string(e.Certainty), SideProven: string(e.SideProven), Until: ms(e.Until), ListedAt: msOrNone(e.ListedAt), EntryID: filled(&e.ID),
		}
		if e.Half != 0 {
			row.Half = number(e.Half)
		}
		row.Added = addedOf(&e)
		rows = append(rows, row)
	}
	return rows
}

func withdrawn(w *football.Withdrawal) table.WithdrawnRow {
	e := &w.Entry
	return table.WithdrawnRow{EntryID: e.ID, State: string(e.State), SideProven: string(e.SideProven), Minute: numberOf(e.Minute), Second: numberOf(e.Second),
		Added: addedOf(e), At: ms(e.At), ShownFrom: ms(w.ShownFrom), WithdrawnAt: ms(w.At), Reason: string(w.Reason), ReplacedBy: filled(&w.ReplacedBy)}
}

func addedOf(e *football.TimelineEntry) *int32 {
	if e.Added == 0 {
		return nil
	}
	return number(e.Added)
}

// LiveBuckets appends the rows of a fixture's minutes.
func LiveBuckets(rows []table.LiveBucketRow, l *football.Live) []table.LiveBucketRow {
	for i := range l.Series.Buckets {
		b := &l.Series.Buckets[i]
		row := table.LiveBucketRow{FixtureID: string(l.Fixture.ID), Minute: int32(b.Minute), Added: int32(b.Added), State: string(b.State)}
		row.Home, row.Away = points(b.State, b.Home, b.Away)
		rows = append(rows, row)
	}
	return rows
}

// LivePeriods appends the rows of a fixture's halves.
func LivePeriods(rows []table.LivePeriodRow, l *football.Live) []table.LivePeriodRow {
	for i := range l.Periods {
		p := &l.Periods[i]
		row := table.LivePeriodRow{FixtureID: string(l.Fixture.ID), Half: int32(p.Half), State: string(p.State)}
		row.Home, row.Away = points(p.State, p.Home, p.Away)
		row.Minutes, row.Known = number(p.Minutes), number(p.Known)
		if p.Known > 0 {
			row.KnownHome, row.KnownAway = number(p.KnownHome), number(p.KnownAway)
		}
		rows = append(rows, row)
	}
	return rows
}

// points returns the numbers of both sides, or nil if the state has no number.
func points(state football.BucketState, home, away int) (*int32, *int32) {
	if state != football.BucketValue && state != football.BucketZero {
		return nil, nil
	}
	return number(home), number(away)
}

// count returns the digits and the value of one side of a counter.
func count(absent *[]string, name string, f football.Field[football.Number]) (*string, *float64) {
	n := field(absent, name, f)
	if n == nil {
		return nil, nil
	}
	text, value := n.Text(), n.Float()
	return &text, &value
}

// small is like field, for a whole number.
func small(absent *[]string, name string, f football.Field[int]) *int32 {
	n := field(absent, name, f)
	if n == nil {
		return nil
	}
	return number(*n)
}

func numberOf(f football.Field[int]) *int32 {
	if n, ok := f.Get(); ok {
		return number(n)
	}
	return nil
}

func number(n int) *int32 {
	v := int32(n)
	return &v
}

// ms returns a time as in the columns: in UTC and whole milliseconds.
func ms(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func msOrNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = ms(t)
	return &t
}
