package emulator

import (
	"slices"

	"mkt/fetch/simulator"
)

var _ simulator.Meaning = (*dialect)(nil)

// Markets implements simulator.Meaning. The sections have their names in v4.
func (*dialect) Markets(w *simulator.World, o *simulator.Offering) []simulator.MeantMarket {
	r := newRenderer(w, o)
	var all []simulator.MeantMarket
	for _, m := range r.offers {
		if m.stock != simulator.Unpriced {
			all = append(all, r.meant(m))
		}
	}
	return all
}

// meant returns the meaning of the newest copy of a market.
func (s *renderer) meant(o offered) simulator.MeantMarket {
	g := &catalogue[o.index]
	m := simulator.MeantMarket{Key: g.key, ID: g.id, Name: g.name, Proof: g.proof, Sections: slices.Clone(g.tabs)}
	newest := s.newestTab(o.index)
	if o.stock == simulator.Collapsed {
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

func (s *renderer) newestTab(index int) simulator.Copy {
	var newest simulator.Copy
	for at, section := range catalogue[index].tabs {
		if c := s.tab(section); !s.shell(index, at) && c.At.After(newest.At) {
			newest = c
		}
	}
	return newest
}

func meantRow(g *market, r row) simulator.MeantRow {
	m := simulator.RowOf(g.of.Refs()[r.sold.Ref], r.sold.Selection)
	if g.proof == simulator.MustBeRaw {
		m = simulator.MeantRow{Side: m.Side}
	}
	m.ID, m.Decimal, m.Doubtful = r.id, r.price, r.unclear
	return m
}

// Playing implements simulator.Meaning.
func (*dialect) Playing(w *simulator.World, m simulator.Match) simulator.MeantMatch {
	return simulator.MeantMatch{
		ID: fixtureID(w, m.Fixture), EventID: eventID(m.Fixture), Match: m,
		WithoutID: !hasFI(m.Fixture), WithoutTimer: !hasTimer(m.Fixture), WithoutTimeline: !hasTimeline(m.Fixture),
	}
}

// hasFI reports whether the live family has the bookmaker's id.
func hasFI(f simulator.Fixture) bool { return f.Lot(80, oddNoFI) != 0 || f.Replayed() }

func hasTimer(f simulator.Fixture) bool { return f.Lot(80, oddNoTimer) != 0 || f.Replayed() }

func hasTimeline(f simulator.Fixture) bool { return f.Lot(9, oddNoEvents) != 0 || f.Replayed() }
