package emulator

import (
	"strconv"

	"mkt/fetch/simulator"
)

var _ simulator.Meaning = dialect{}

// Markets implements simulator.Meaning.
func (dialect) Markets(_ *simulator.World, o *simulator.Offering) (all []simulator.MeantMarket) {
	if !o.Fixture.League.Human() {
		return nil
	}
	for _, m := range sold(o) {
		key := strconv.Itoa(m.id)
		meant := simulator.MeantMarket{Key: key, ID: key, Name: m.name}
		if m.unproven {
			meant.Proof = simulator.MayBeRaw
		}
		for _, r := range m.rows(o) {
			meant.Rows = append(meant.Rows, r.meant)
		}
		if len(meant.Rows) > 0 {
			all = append(all, meant)
		}
	}
	return all
}

// Playing implements simulator.Meaning.
func (d dialect) Playing(w *simulator.World, m simulator.Match) simulator.MeantMatch {
	id := d.FixtureID(w, m.Fixture)
	return simulator.MeantMatch{ID: id, EventID: id, Match: m}
}
