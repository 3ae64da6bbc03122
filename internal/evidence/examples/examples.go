// Package examples chooses what to show first of an account: a match in play, and a market whose prices moved.
package examples

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table"
)

// Match returns a match in play from the newest live snapshot: if possible one with a momentum, that goes on for a while
// and has something to show. It returns nil if none is in play. The match kept, "" for none, is returned as long as it is in play.
func Match(root durable.ReadFS, kept string) (*table.LiveRow, error) {
	head, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	var best *table.LiveRow
	for r, err := range snapshot.Rows[table.LiveRow](root, head.Dir()+"/"+layout.LiveFile) {
		if err != nil {
			return nil, err
		}
		if r.InPlay && (best == nil || r.FixtureID == kept || best.FixtureID != kept && liveliness(r) > liveliness(best)) {
			one := *r
			best = &one
		}
	}
	return best, nil
}

// liveliness is higher for a match with a momentum, then for one that has its details, then for one that has more than its beginning behind it and more than
// its end before it, then for one with more goals.
func liveliness(r *table.LiveRow) (n int) {
	if r.MomentumHome != nil {
		n += 10_000
	}
	if r.DetailRank != nil {
		n += 1000
	}
	if m := r.ClockMinute; m != nil && *m >= 15 && *m < 75 && r.ClockRunning != nil && *r.ClockRunning {
		n += 100
	}
	for _, goals := range []*int32{r.ScoreHome, r.ScoreAway} {
		if goals != nil {
			n += min(int(*goals), 9)
		}
	}
	return n
}

// Price is a market whose path of prices is worth a look.
type Price struct {
	Fixture table.FixtureRow
	Market  table.MarketRow
	Steps   int // publications that changed it
}

// Bounds of the search for a price: it looks at the first fixtures that do not begin soon.
const (
	soon   = 3 * time.Hour
	atMost = 8
)

// Prices returns the match result that most publications changed, among the next fixtures to begin. It returns nil if none of
// them has one. Only the fixture kept, "" for none, is looked at until it begins.
func Prices(ctx context.Context, root durable.ReadFS, now time.Time, kept string) (*Price, error) {
	head, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	m, err := snapshot.Open(root, head)
	if err != nil {
		return nil, err
	}
	var fixtures []table.FixtureRow
	for r, err := range snapshot.Rows[table.FixtureRow](root, head.Dir()+"/"+layout.FixturesFile) {
		if err != nil {
			return nil, err
		}
		if r.StartsAt == nil || !r.StartsAt.After(now) || r.MarketCount == 0 {
			continue
		}
		if r.FixtureID == kept {
			return priceOf(ctx, root, head, m, *r)
		}
		if r.StartsAt.After(now.Add(soon)) {
			fixtures = append(fixtures, *r)
		}
	}
	slices.SortFunc(fixtures, func(a, b table.FixtureRow) int {
		return cmp.Or(a.StartsAt.Compare(*b.StartsAt), cmp.Compare(a.FixtureID, b.FixtureID))
	})
	var best *Price
	for _, f := range fixtures[:min(len(fixtures), atMost)] {
		p, err := priceOf(ctx, root, head, m, f)
		if err != nil {
			return nil, err
		}
		if p != nil && (best == nil || p.Steps > best.Steps) {
			best = p
		}
	}
	return best, nil
}

func priceOf(ctx context.Context, root durable.ReadFS, head snapshot.Commit, m snapshot.Manifest, f table.FixtureRow) (*Price, error) {
	_, markets, _, err := snapshot.FixtureOf(root, head, m, f.FixtureID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(markets, func(m table.MarketRow) bool {
		return m.Market != nil && *m.Market == "MATCH_RESULT" && m.Period != nil && *m.Period == "FT" &&
			!slices.ContainsFunc(m.Selections, func(s table.SelectionRow) bool { return !s.Publishable })
	})
	if i < 0 || len(markets[i].Selections) == 0 {
		return nil, nil
	}
	rows, err := steps.Rows(ctx, root, m.Steps, f.FixtureID, markets[i].MarketID)
	if err != nil {
		return nil, err
	}
	changed := map[int64]bool{}
	for _, r := range rows {
		if r.MarketID != "" {
			changed[r.Version] = true
		}
	}
	return &Price{f, markets[i], len(changed)}, nil
}
