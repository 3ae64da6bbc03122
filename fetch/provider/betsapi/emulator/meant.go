package emulator

import (
	"slices"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

var _ meant.Dialect = (*dialect)(nil)

// Markets implements meant.Dialect. The sections have their names in v4.
func (*dialect) Markets(w *world.World, o *bookmaker.Offering) []meant.Market {
	r := newRenderer(w, o)
	var all []meant.Market
	for _, m := range r.offers {
		if m.stock != bookmaker.Unpriced {
			all = append(all, r.meant(m))
		}
	}
	return all
}

// meant returns the meaning of the newest copy of a market.
func (s *renderer) meant(o offered) meant.Market {
	g := &catalogue[o.index]
	m := meant.Market{Key: g.key, ID: g.id, Name: g.name, Proof: g.proof, Sections: slices.Clone(g.tabs)}
	newest := s.newestTab(o.index)
	if o.stock == bookmaker.Collapsed {
		newest = s.MarketCopy(g.of)
		m.Sections = append(m.Sections, "others")
	}
	slices.Sort(m.Sections)
	for _, r := range s.rows(o.index, newest) {
		if !r.isLabel {
			m.Rows = append(m.Rows, meantRow(g, r))
		}
	}
	return m
}

func (s *renderer) newestTab(index int) bookmaker.Copy {
	var newest bookmaker.Copy
	for at, section := range catalogue[index].tabs {
		if c := s.tab(section); !s.shell(index, at) && c.At.After(newest.At) {
			newest = c
		}
	}
	return newest
}

func meantRow(g *market, r row) meant.Row {
	m := meant.RowOf(g.of.Refs()[r.sold.Ref], r.sold.Selection)
	if g.proof == meant.MustBeRaw {
		m = meant.Row{Side: m.Side}
	}
	m.ID, m.Decimal, m.Doubtful = r.id, r.price, r.unclear
	return m
}

// Playing implements meant.Dialect.
func (*dialect) Playing(w *world.World, m feed.Match) meant.Match {
	return meant.Match{
		ID: fixtureID(w, m.Fixture), EventID: eventID(m.Fixture), Match: m,
		WithoutID: !hasFI(m.Fixture), WithoutTimer: !hasTimer(m.Fixture), WithoutTimeline: !hasTimeline(m.Fixture),
	}
}

// hasFI reports whether the live family has the bookmaker's id.
func hasFI(f competition.Fixture) bool { return f.Lot(80, oddNoFI) != 0 || f.Replayed() }

func hasTimer(f competition.Fixture) bool { return f.Lot(80, oddNoTimer) != 0 || f.Replayed() }

func hasTimeline(f competition.Fixture) bool { return f.Lot(9, oddNoEvents) != 0 || f.Replayed() }
