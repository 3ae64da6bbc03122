package live

import (
	"errors"
	"fmt"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/inplay"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/football"
	"mkt/publish/table"
)

// findLive returns the fixture with a name or id, of one tenant or ("") of the first that has
// it. If none has it, tenants whose data cannot be read are errors.
func (g *Group) findLive(tenant, name string) (*liveView, error) {
	datasets, err := cli.Datasets(g.Data, cli.Filter{Tenant: tenant, Product: string(football.LiveIntelligence)})
	if err != nil {
		return nil, err
	}
	var tenants []string
	var unread []error
	for _, p := range datasets {
		found, err := liveOf(p, name)
		switch {
		case err != nil:
			unread = append(unread, fmt.Errorf("live data of %s: %w", p.Tenant, err))
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, cli.Usagef("%q may be %s: give more of the name, or the id", name, candidates(found))
		}
		tenants = append(tenants, p.Tenant)
	}
	if len(unread) > 0 {
		return nil, errors.Join(unread...)
	}
	return nil, fmt.Errorf("no fixture %q in the newest live snapshot of %s", name, cli.Several(tenants))
}

func candidates(found []*liveView) string {
	var names []string
	for _, f := range found {
		names = append(names, plain.Text(f.named())+" ("+f.FixtureID+")")
	}
	return cli.Several(names)
}

// liveOf returns the matching fixtures of a tenant's newest live snapshot, with their details
// if there is only one.
func liveOf(p cli.Dataset, name string) ([]*liveView, error) {
	root, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s, err := inplay.Read(root)
	if err != nil || s == nil {
		return nil, err
	}
	var list []*liveView
	for i := range s.Rows {
		if v := viewOfLive(p, s, &s.Rows[i]); v.matches(name) {
			list = append(list, v)
		}
	}
	if len(list) != 1 {
		return list, nil
	}
	return list, list[0].readDetails(s)
}

func viewOfLive(p cli.Dataset, s *inplay.Snapshot, r *table.LiveRow) *liveView {
	return &liveView{
		Tenant: p.Tenant, Cycle: string(s.Commit.CycleID), FixtureID: r.FixtureID, Home: r.Home, Away: r.Away, League: r.League, InPlay: r.InPlay, FreshAt: r.FreshAt, StaleAt: r.StaleAt,
		Period: r.ClockPeriod, Minute: r.ClockMinute, Second: r.ClockSecond, Added: r.ClockAdded, Running: r.ClockRunning, ScoreHome: r.ScoreHome, ScoreAway: r.ScoreAway,
		State: r.VisualState, MomentumHome: r.MomentumHome, Leader: r.MomentumLeader, Strength: r.MomentumStrength, Reason: r.UnavailableReason, Detailed: r.DetailRank != nil,
		Buckets: []liveBucket{}, Timeline: []liveEntry{},
		place: p, row: r,
	}
}

func (f *liveView) readDetails(s *inplay.Snapshot) error {
	m, err := s.Match(f.row)
	if err != nil {
		return err
	}
	f.published = m
	f.Men = redCardSharesOf(m.Counters)
	for _, r := range m.Buckets {
		f.Buckets = append(f.Buckets, liveBucket{r.Minute, r.Added, r.State, r.Home, r.Away})
	}
	for _, r := range m.Timeline {
		f.Timeline = append(f.Timeline, liveEntry{r.At, r.Minute, r.Second, r.State, r.Certainty, r.SideProven, r.Until})
	}
	return nil
}
