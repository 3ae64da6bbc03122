package emulator

import (
	"strconv"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

var _ meant.Dialect = dialect{}

// Markets implements meant.Dialect.
func (dialect) Markets(_ *world.World, o *bookmaker.Offering) (all []meant.Market) {
	if !o.Fixture.League.Human() {
		return nil
	}
	for _, m := range sold(o) {
		key := strconv.Itoa(m.id)
		known := meant.Market{Key: key, ID: key, Name: m.name}
		if m.unproven {
			known.Proof = meant.MayBeRaw
		}
		for _, r := range m.rows(o) {
			known.Rows = append(known.Rows, r.meant)
		}
		if len(known.Rows) > 0 {
			all = append(all, known)
		}
	}
	return all
}

// Playing implements meant.Dialect.
func (d dialect) Playing(w *world.World, m feed.Match) meant.Match {
	id := d.FixtureID(w, m.Fixture)
	return meant.Match{ID: id, EventID: id, Match: m}
}
