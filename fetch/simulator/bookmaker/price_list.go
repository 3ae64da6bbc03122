package bookmaker

import (
	"time"

	"mkt/fetch/simulator/competition"
)

// PriceList is every market on a fixture at one version of the prices. It is not safe for
// concurrent use.
type PriceList struct {
	Fixture competition.Fixture
	Version int64     // of the prices, incremented at each move
	Since   time.Time // when the prices last moved
	basis   *basis
}

// Version returns the version of a fixture's prices, and since when it is valid. Each
// fixture has its own interval, from 7 to 20 minutes.
func Version(f competition.Fixture, now time.Time) (int64, time.Time) {
	pace := time.Duration(7+f.Lot(14, 31)) * time.Minute
	phase := time.Duration(f.Lot(20*60, 32)) * time.Second
	since := now.Sub(competition.Epoch) + phase
	v := int64(since / pace)
	return v, competition.Epoch.Add(time.Duration(v)*pace - phase)
}

// NewPriceList returns a fixture's prices at a version.
func NewPriceList(f competition.Fixture, version int64, since time.Time) *PriceList {
	return &PriceList{Fixture: f, Version: version, Since: since, basis: newBasis(f, version)}
}

// Market prices one market. It is empty if the fixture's numbers leave nothing to offer,
// and for an unknown Ref.
func (s *PriceList) Market(r Ref) Market {
	m := Market{Ref: r}
	if price, ok := pricers[r.Market]; ok {
		price(s.basis, &m)
	}
	return m
}
