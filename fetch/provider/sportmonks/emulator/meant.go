package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/simulator"
)

var _ simulator.Meaning = dialect{}

// FixtureID implements simulator.Meaning.
func (dialect) FixtureID(w *simulator.World, f simulator.Fixture) string {
	return fixtureIDs.Text(w, f)
}

// FixtureNumber implements simulator.Meaning.
func (dialect) FixtureNumber(w *simulator.World, id string) (int64, bool) {
	return fixtureIDs.NumberOf(w, id)
}

// Markets implements simulator.Meaning.
func (dialect) Markets(w *simulator.World, id string, now time.Time) (all []simulator.MeantMarket) {
	number, ok := fixtureIDs.NumberOf(w, id)
	if !ok {
		return nil
	}
	o, ok := w.Offering(number, now)
	if !ok || !o.Fixture.League.Human() {
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
