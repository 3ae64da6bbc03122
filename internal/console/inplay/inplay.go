// Package inplay reads the matches of the newest live snapshot of an account, and traces
// one match through the kept raw cycles.
package inplay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/tracking"
)

// Snapshot is the newest live snapshot of an account.
type Snapshot struct {
	Commit   snapshot.Commit
	Manifest snapshot.Manifest
	Rows     []table.LiveRow

	root durable.ReadFS
}

// Read reads the newest snapshot of a dataset, whose files it verifies first. It returns
// nil if nothing was published yet. The snapshot is valid as long as root is open.
func Read(root durable.ReadFS) (*Snapshot, error) {
	c, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	return ReadOf(root, c)
}

// ReadOf is [Read] for the snapshot of a publication, which may be an older one.
func ReadOf(root durable.ReadFS, c snapshot.Commit) (*Snapshot, error) {
	m, err := snapshot.Open(root, c)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Verify(root, c.Dir(), m); err != nil {
		return nil, err
	}
	s := &Snapshot{Commit: c, Manifest: m, root: root}
	return s, rowsOf(root, c.Dir()+"/"+layout.LiveFile, &s.Rows, func(*table.LiveRow) bool { return true })
}

// Row returns a match of the snapshot; nil if there is none.
func (s *Snapshot) Row(fixture string) *table.LiveRow {
	if at := slices.IndexFunc(s.Rows, func(r table.LiveRow) bool { return r.FixtureID == fixture }); at >= 0 {
		return &s.Rows[at]
	}
	return nil
}

// Match returns a match of the snapshot with its minutes, periods, timeline and counters.
func (s *Snapshot) Match(r *table.LiveRow) (*matchpage.Match, error) {
	m := &matchpage.Match{Row: *r, Commit: s.Commit, Manifest: s.Manifest}
	dir, id := s.Commit.Dir()+"/", r.FixtureID
	return m, errors.Join(
		rowsOf(s.root, dir+layout.LiveBucketsFile, &m.Buckets, func(r *table.LiveBucketRow) bool { return r.FixtureID == id }),
		rowsOf(s.root, dir+layout.LiveTimelineFile, &m.Timeline, func(r *table.LiveTimelineRow) bool { return r.FixtureID == id }),
		rowsOf(s.root, dir+layout.LivePeriodsFile, &m.Periods, func(r *table.LivePeriodRow) bool { return r.FixtureID == id }),
		rowsOf(s.root, dir+layout.LiveCountersFile, &m.Counters, func(r *table.LiveCounterRow) bool { return r.FixtureID == id }))
}

func rowsOf[T table.Row](root durable.ReadFS, name string, list *[]T, wanted func(*T) bool) error {
	for r, err := range snapshot.Rows[T](root, name) {
		if err != nil {
			return err
		}
		if wanted(r) {
			*list = append(*list, *r)
		}
	}
	return nil
}

// longestMatch is how long ago a match in play may have begun, including breaks, extra time and
// an interruption.
const longestMatch = 6 * time.Hour

// Trace is the past of a match from its raw cycles, up to one of them. It can be continued when
// there are more.
type Trace struct {
	Past    []football.Live // cycle by cycle, oldest first
	Damaged int             // the number of unreadable cycles

	to    time.Time // when the last cycle began; zero before the first trace
	state *tracking.State
}

// Extend returns the trace with the cycles up to the match's snapshot. It leaves t unchanged.
func (t Trace) Extend(ctx context.Context, dataset dataset.Dataset, m *matchpage.Match, progress func(done, total int)) (Trace, error) {
	end, _, err := layout.ParseCycleID(string(m.Commit.CycleID))
	if err != nil {
		return t, err
	}
	from := firstSeenAfter(m, end)
	if !t.to.IsZero() {
		from = t.to.Add(time.Second)
	}
	if from.After(end) {
		return t, nil
	}
	root, err := dataset.Open()
	if err != nil {
		return t, err
	}
	defer root.Close()
	o := tracking.TraceOptions{Root: root, Fixture: m.Row.ProviderFixtureID, Source: m.Row.SourceProvider,
		From: from, To: end, Start: t.state, Progress: progress}
	if m.Row.ProviderEventID != nil {
		o.Event = *m.Row.ProviderEventID
	}
	next := Trace{Past: t.Past[:len(t.Past):len(t.Past)], state: t.state, to: end}
	damaged, err := tracking.Trace(ctx, o, func(s *tracking.Step) {
		next.Past = append(next.Past, s.After.Brief())
		state := s.State()
		next.state = &state
	})
	if err != nil {
		return t, fmt.Errorf("trace %s: %w", m.Row.FixtureID, err)
	}
	next.Damaged = t.Damaged + damaged
	return next, nil
}

// firstSeenAfter returns a time before which the match was not seen: a minute before the
// first entry of its timeline, or an hour before its announced kick-off.
func firstSeenAfter(m *matchpage.Match, end time.Time) time.Time {
	begin := end.Add(-longestMatch)
	var met time.Time
	switch starts := m.Row.StartsAt; {
	case len(m.Timeline) > 0:
		met = m.Timeline[0].At.Add(-time.Minute)
	case starts != nil:
		met = starts.Add(-time.Hour)
	}
	if met.After(begin) && met.Before(end) {
		return met
	}
	return begin
}
