package world

import (
	"strconv"

	"mkt/fetch/simulator/competition"
)

// IDs numbers the fixtures of a provider. Every calendar of every world has its own slice
// of each range of ids, so two accounts rarely have one id for two fixtures.
type IDs struct{ First int64 }

const (
	idStretch = 197
	calendars = 4 // of a world, at most
)

// Of returns the id of a fixture.
func (ids IDs) Of(w *World, f competition.Fixture) int64 {
	place, entry := PlaceOf(f.Number)
	return ids.First + entry*idStretch + idPlace(w, place)
}

// FixtureID returns the id of a fixture in digits.
func (ids IDs) FixtureID(w *World, f competition.Fixture) string {
	return strconv.FormatInt(ids.Of(w, f), 10)
}

// FixtureNumber is Number for an id in digits.
func (ids IDs) FixtureNumber(w *World, id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, false
	}
	return ids.Number(w, n)
}

// Number returns the number of the fixture with an id, and false for an id that no
// fixture of the world can have.
func (ids IDs) Number(w *World, id int64) (int64, bool) {
	id -= ids.First
	for place := range calendars {
		if id >= 0 && id%idStretch == idPlace(w, place) {
			return Number(place, id/idStretch), true
		}
	}
	return 0, false
}

func idPlace(w *World, calendar int) int64 {
	return int64((w.dice.Under(idStretch, 111) + 53*calendar) % idStretch)
}
