package decode

import (
	"slices"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Sheet gathers the content of one payload of markets.
type Sheet struct {
	Unknown, Skipped, Damaged Counts
	Met, Hurt                 provider.Parts

	fixtures []provider.FixtureOffers
	broken   map[string]football.Reason
}

// Wounds is how the part of one fixture is damaged.
type Wounds struct {
	Lost bool // something larger than a market, or a market as a whole, could not be read
	Hurt bool // that, or a market or row
}

// Lose counts a section of a fixture that cannot be read.
func (s *Sheet) Lose(w *Wounds, why string) {
	s.Damaged.Add(why)
	s.Met.Sections++
	s.Hurt.Sections++
	w.Lost, w.Hurt = true, true
}

// Keep adds a fixture. One that has damage, and no undamaged row, is broken: otherwise it would
// look as if the bookmaker had withdrawn its markets.
func (s *Sheet) Keep(f football.Fixture, offers []input.Offer, w Wounds) {
	if w.Hurt && !slices.ContainsFunc(offers, input.Offer.IsReadable) {
		s.Break(f.ProviderFixtureID)
		return
	}
	s.fixtures = append(s.fixtures, provider.FixtureOffers{Fixture: f, Offers: offers, Partial: w.Lost})
}

// Break adds a fixture that cannot be read at all.
func (s *Sheet) Break(id string) {
	if s.broken == nil {
		s.broken = make(map[string]football.Reason)
	}
	s.broken[id] = football.AmbiguousShape
}

// Drop takes a fixture out that was added before.
func (s *Sheet) Drop(id string) {
	s.fixtures = slices.DeleteFunc(s.fixtures, func(f provider.FixtureOffers) bool { return f.Fixture.ProviderFixtureID == id })
}

// Result returns the content of the payload.
func (s *Sheet) Result() provider.Sheet {
	return provider.Sheet{Fixtures: s.fixtures, Broken: s.broken, Damaged: s.Damaged, Unknown: s.Unknown, Skipped: s.Skipped, Met: s.Met, Hurt: s.Hurt}
}
