package emulator

import (
	"slices"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

var _ simulator.Meaning = (*dialect)(nil)

// FixtureID implements simulator.Meaning.
func (*dialect) FixtureID(w *simulator.World, f simulator.Fixture) string { return fixtureID(w, f) }

// FixtureNumber implements simulator.Meaning.
func (*dialect) FixtureNumber(w *simulator.World, id string) (int64, bool) {
	return fixtureNumber(w, id)
}

// Markets implements simulator.Meaning.
func (*dialect) Markets(w *simulator.World, id string, now time.Time) []simulator.MeantMarket {
	f, ok := knownFixture(w, id, now)
	if !ok {
		return nil
	}
	v, since := pricesAt(w, f, now)
	r := newRenderer(w, f, v, since, 3)
	var all []simulator.MeantMarket
	for _, m := range r.offers {
		if m.state != unfilled {
			all = append(all, r.meant(m))
		}
	}
	return all
}

// meant returns what the newest copy of a market means.
func (s *renderer) meant(o offered) simulator.MeantMarket {
	g := &catalogue[o.index]
	newest := s.block(o.index)
	if o.state == loaded {
		newest = s.newestTab(o.index)
	}
	m := simulator.MeantMarket{Key: g.key, ID: g.id, Name: g.name, Proof: g.proof, Sections: slices.Clone(g.tabs)}
	if o.state == filled {
		m.Sections = append(m.Sections, newest.section)
	}
	slices.SortFunc(m.Sections, func(a, b string) int { return strings.Compare(a, b) })
	for _, l := range s.lay(o.index, newest) {
		if !l.isLabel {
			m.Rows = append(m.Rows, meantRow(g, l))
		}
	}
	return m
}

func (s *renderer) newestTab(index int) copyOf {
	var newest copyOf
	for at, section := range catalogue[index].tabs {
		if c := s.tab(section); !s.shell(index, at) && c.at.After(newest.at) {
			newest = c
		}
	}
	return newest
}

func meantRow(g *market, l laid) simulator.MeantRow {
	m := g.refs[l.ref].Row(l.sold)
	if g.proof == simulator.MustBeRaw {
		m = simulator.MeantRow{Side: m.Side}
	}
	m.ID, m.Decimal, m.Doubtful = l.id, l.price, l.unclear
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
