package matchpage

import (
	"slices"

	"mkt/publish/football"
	"mkt/publish/table"
)

// counterView is a counter as two bars, face to face. The longer one fills its side.
type counterView struct {
	Name       string
	Home, Away string // as the provider wrote them, "?" if unknown
	HomeWidth  float64
	AwayWidth  float64
	HomeKnown  bool
	AwayKnown  bool
	Note       string
}

func (m *Match) counters() (all []counterView) {
	rows := slices.Clone(m.Counters)
	rank := func(metric string) int {
		if at := slices.Index(counterOrder, football.Metric(metric)); at >= 0 {
			return at
		}
		return len(counterOrder)
	}
	slices.SortStableFunc(rows, func(a, b table.LiveCounterRow) int { return rank(a.Metric) - rank(b.Metric) })
	for _, r := range rows {
		v := counterView{Name: metricName(r.Metric), Home: words(r.HomeText), Away: words(r.AwayText), HomeKnown: r.HomeText != nil, AwayKnown: r.AwayText != nil}
		home, away := numberOf(r.Home), numberOf(r.Away)
		if most := max(home, away); most > 0 {
			v.HomeWidth, v.AwayWidth = 100*max(0, home)/most, 100*max(0, away)/most
		}
		switch {
		case r.State == string(football.BucketNull):
			v.Note = "sent without a value"
		case !v.HomeKnown || !v.AwayKnown:
			v.Note = "one side is not sent"
		}
		all = append(all, v)
	}
	return all
}
