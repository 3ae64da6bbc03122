package main

import (
	"errors"
	"fmt"

	"mkt/cmd/mkt/internal/matchpage"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// findLive is the fixture that a person asks for, of one tenant or ("") of the
// first that has it. Tenants whose data cannot be read are told when no other has it.
func (a *app) findLive(tenant, name string) (*liveView, error) {
	places, err := placesOf(a.data, wanted{tenant, string(football.LiveIntelligence)})
	if err != nil {
		return nil, err
	}
	var tenants []string
	var unread []error
	for _, p := range places {
		found, err := liveOf(p, name)
		switch {
		case err != nil:
			unread = append(unread, fmt.Errorf("live data of %s: %w", p.tenant, err))
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, usagef("%q may be %s: give more of the name, or the id", name, candidates(found))
		}
		tenants = append(tenants, p.tenant)
	}
	if len(unread) > 0 {
		return nil, errors.Join(unread...)
	}
	return nil, fmt.Errorf("no fixture %q in the newest live snapshot of %s", name, several(tenants))
}

func candidates(found []*liveView) string {
	var names []string
	for _, f := range found {
		names = append(names, plain.Text(f.named())+" ("+f.FixtureID+")")
	}
	return several(names)
}

// liveOf are the fixtures of a tenant's newest live snapshot that may be meant;
// a single one comes with its details.
func liveOf(p place, name string) ([]*liveView, error) {
	root, err := p.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	c, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	m, err := snapshot.Open(root, c)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Verify(root, c.Dir(), m); err != nil {
		return nil, err
	}
	var list []*liveView
	for r, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
		if err != nil {
			return nil, err
		}
		v := viewOfLive(p.tenant, string(c.CycleID), r)
		if v.answersTo(name) {
			v.place, v.published = p, matchpage.Match{Row: *r, Commit: c, Manifest: m}
			list = append(list, v)
		}
	}
	if len(list) != 1 {
		return list, nil
	}
	return list, list[0].readDetails(root, c.Dir())
}

func viewOfLive(tenant, cycle string, r *table.LiveRow) *liveView {
	return &liveView{
		Tenant: tenant, Cycle: cycle, FixtureID: r.FixtureID, Home: r.Home, Away: r.Away, League: r.League, InPlay: r.InPlay, FreshAt: r.FreshAt, StaleAt: r.StaleAt,
		Period: r.ClockPeriod, Minute: r.ClockMinute, Second: r.ClockSecond, Added: r.ClockAdded, Running: r.ClockRunning, ScoreHome: r.ScoreHome, ScoreAway: r.ScoreAway,
		State: r.VisualState, MomentumHome: r.MomentumHome, Leader: r.MomentumLeader, Strength: r.MomentumStrength, Reason: r.UnavailableReason, Detailed: r.DetailRank != nil,
		Buckets: []liveBucket{}, Timeline: []liveEntry{},
	}
}

// readDetails reads what other tables have of the fixture.
func (f *liveView) readDetails(root durable.ReadFS, dir string) error {
	m := &f.published
	err := errors.Join(
		rowsOf(root, dir+"/"+layout.LiveBucketsFile, &m.Buckets, func(r *table.LiveBucketRow) bool { return r.FixtureID == f.FixtureID }),
		rowsOf(root, dir+"/"+layout.LiveTimelineFile, &m.Timeline, func(r *table.LiveTimelineRow) bool { return r.FixtureID == f.FixtureID }),
		rowsOf(root, dir+"/"+layout.LivePeriodsFile, &m.Periods, func(r *table.LivePeriodRow) bool { return r.FixtureID == f.FixtureID }),
		rowsOf(root, dir+"/"+layout.LiveCountersFile, &m.Counters, func(r *table.LiveCounterRow) bool { return r.FixtureID == f.FixtureID }))
	f.Men = menOf(m.Counters)
	for _, r := range m.Buckets {
		f.Buckets = append(f.Buckets, liveBucket{r.Minute, r.Added, r.State, r.Home, r.Away})
	}
	for _, r := range m.Timeline {
		f.Timeline = append(f.Timeline, liveEntry{r.At, r.Minute, r.Second, r.State, r.Certainty, r.SideProven, r.Until})
	}
	return err
}

// rowsOf collects the rows of a table that are wanted.
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
