// Package markets loads the fixtures and markets of a snapshot, and answers queries from them.
package markets

import (
	"time"

	"mkt/serve/internal/reader/engine"
)

// Tables has the fixtures and markets of one snapshot. Safe for concurrent use.
type Tables struct {
	index  *index
	engine *engine.Engine
}

// MarketCount returns the number of markets.
func (t *Tables) MarketCount() int { return t.index.allMarkets() }

// IndexBytes returns how much memory the index needs.
func (t *Tables) IndexBytes() int { return t.index.bytes() }

// FixtureCount returns the number of fixtures.
func (t *Tables) FixtureCount() int { return t.index.fixtures() }

// Fixture is a fixture of a snapshot.
type Fixture struct {
	n         int
	ID        string
	Markets   int       // number of its markets
	FetchedAt time.Time // when it was retrieved from the provider
}

// Find returns the fixture with that id.
func (t *Tables) Find(id string) (Fixture, bool) {
	n, ok := t.index.find(id)
	if !ok {
		return Fixture{}, false
	}
	from, to := t.index.markets(n)
	return Fixture{n: n, ID: t.index.id(n), Markets: to - from, FetchedAt: t.index.fetchedAt(n)}, true
}
