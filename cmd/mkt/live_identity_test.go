package main

import (
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/simulator"
	"mkt/publish/football"
)

func (s *liveSystem) markets() {
	s.Helper()
	s.must(s.cycle(s.acme(), football.MarketEngine, s.steps[0], s.steps[1], s.unchecked))
}

// listedFixtures returns the fixtures with markets by the provider's id, once the newest cycle is
// served.
func (s *liveSystem) listedFixtures() map[string]string {
	s.Helper()
	s.servedIn("/fixtures")
	var page livePage
	s.ask("/fixtures?limit=200", &page)
	ids := map[string]string{}
	for _, f := range page.Data {
		ids[f.Provenance.ProviderFixtureID] = f.FixtureID
	}
	return ids
}

// A fixture has the same id in both products, whichever saw it first.
func TestFixtureHasOneID(t *testing.T) {
	s := newLiveSystem(t, time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), simulator.Options{Seed: 7, Fixtures: 60, InPlay: 30})
	s.markets()
	markets := s.listedFixtures()
	s.now = s.now.Add(30 * time.Minute)
	s.play(2 * time.Minute)
	s.served()
	both, alone := 0, 0
	for _, f := range s.list() {
		provider := f.Provenance.ProviderFixtureID
		other, listed := markets[provider]
		switch {
		case strings.HasPrefix(provider, input.ByEvent):
			alone++ // its live record has no id of the bookmaker's fixture
		case listed && other != f.FixtureID:
			t.Errorf("%s is %s in play and %s among the markets", provider, f.FixtureID, other)
		case listed:
			both++
		}
	}
	if both < 3 {
		t.Errorf("%d fixtures are in play and among the %d with markets; %d are known by their live record", both, len(markets), alone)
	}
}
