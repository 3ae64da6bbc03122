package live

import (
	"errors"
	"fmt"

	"mkt/internal/console/inplay"
	"mkt/internal/dataset"
	"mkt/internal/evidence/examples"
	"mkt/internal/evidence/find"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/table"
)

// findLive returns the fixture with a name or id, of one tenant, or for "" of the first tenant with
// it. If none has it, tenants with unreadable data are errors.
func (g *Group) findLive(tenant, name string) (*liveView, error) {
	datasets, err := dataset.List(g.Data, dataset.Filter{Tenant: tenant, Product: string(football.LiveIntelligence)})
	if err != nil {
		return nil, err
	}
	if datasets, err = find.Having(datasets, name); err != nil {
		return nil, err
	}
	var tenants []string
	var unread []error
	for _, p := range datasets {
		found, err := liveOf(p, name)
		switch {
		case errors.As(err, new(find.Several)):
			return nil, err
		case err != nil:
			unread = append(unread, fmt.Errorf("live data of %s: %w", p.Tenant, err))
		case found != nil:
			return found, nil
		}
		tenants = append(tenants, p.Tenant)
	}
	if len(unread) > 0 {
		return nil, errors.Join(unread...)
	}
	return nil, fmt.Errorf("newest live snapshot of %s: %q: %w", terminal.Several(tenants), name, find.ErrUnknown)
}

// anyInPlay returns the id of a match in play of one tenant, or for "" of the first tenant with one.
func (g *Group) anyInPlay(tenant string) (string, error) {
	datasets, err := dataset.List(g.Data, dataset.Filter{Tenant: tenant, Product: string(football.LiveIntelligence)})
	if err != nil {
		return "", err
	}
	for _, d := range datasets {
		root, err := d.Open()
		if err != nil {
			return "", err
		}
		m, err := examples.Match(root, "")
		if err = errors.Join(err, root.Close()); err != nil {
			return "", fmt.Errorf("live data of %s: %w", d.Tenant, err)
		}
		if m != nil {
			return m.FixtureID, nil
		}
	}
	return "", errors.New("no match is in play: mkt live list shows what was, or will be")
}

// liveOf returns the fixture named by a text in a tenant's newest live snapshot, with its
// details; nil if there is none.
func liveOf(p dataset.Dataset, text string) (*liveView, error) {
	wanted, err := find.Named(p, text)
	if errors.Is(err, find.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var view *liveView
	err = eachRow(p, func(s *inplay.Snapshot, r *table.LiveRow) error {
		if r.FixtureID != wanted.ID {
			return nil
		}
		view = viewOfLive(p, s, r)
		return view.readDetails(s)
	})
	return view, err
}

// eachRow calls do for every fixture of the newest live snapshot, while its files are open.
func eachRow(d dataset.Dataset, do func(*inplay.Snapshot, *table.LiveRow) error) error {
	root, err := d.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	s, err := inplay.Read(root)
	if err != nil || s == nil {
		return err
	}
	for i := range s.Rows {
		if err := do(s, &s.Rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func viewOfLive(p dataset.Dataset, s *inplay.Snapshot, r *table.LiveRow) *liveView {
	return &liveView{
		Tenant: p.Tenant, Cycle: string(s.Commit.CycleID), FixtureID: r.FixtureID, Home: r.Home, Away: r.Away, League: r.League, InPlay: r.InPlay, FreshAt: r.FreshAt, StaleAt: r.StaleAt,
		Period: r.ClockPeriod, Minute: r.ClockMinute, Second: r.ClockSecond, Added: r.ClockAdded, Running: r.ClockRunning, ScoreHome: r.ScoreHome, ScoreAway: r.ScoreAway,
		State: r.VisualState, MomentumHome: r.MomentumHome, Leader: r.MomentumLeader, Strength: r.MomentumStrength, Reason: r.UnavailableReason, Detailed: r.DetailRank != nil,
		Buckets: []liveBucket{}, Revision: r.TimelineRevision, Timeline: []liveEntry{}, Withdrawn: []liveWithdrawn{},
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
		f.Timeline = append(f.Timeline, liveEntry{r.At, r.Minute, r.Second, r.State, r.Certainty, r.SideProven, r.Until, r.EntryID})
	}
	for _, r := range f.row.Withdrawn {
		f.Withdrawn = append(f.Withdrawn, liveWithdrawn{r.EntryID, r.State, r.SideProven, r.Minute, r.Second, r.At, r.ShownFrom, r.WithdrawnAt, r.Reason, r.ReplacedBy})
	}
	return nil
}
