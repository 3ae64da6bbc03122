package prematch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/transform/reading"
)

// Traced is one fixture of an archived cycle with the place of every value in the payloads.
// The code that made its rows reads it again. Its ids are made without the key: a row is found
// by its position in the provider's order.
type Traced struct {
	Fixture    football.Fixture
	Markets    []football.Market // in the provider's order
	NotOffered bool              // the provider answered without markets on it
	Listed     reading.Origin    // its place in the listing
	Offered    reading.Origin    // the place of its markets, or of the answer without any

	listing provider.Listing
}

// OwnRule returns the line that a rule names in the account's own mapping table, "" if there
// is none.
func (t *Traced) OwnRule(rule string) string {
	if t.listing.Table == nil {
		return ""
	}
	return t.listing.Table.Rule(rule)
}

// ErrNotInCycle: the cycle's payloads do not contain the fixture.
var ErrNotInCycle = errors.New("not in the payloads of the cycle")

// Trace reads one fixture of a raw cycle. Errors to branch on: [ErrNotInCycle],
// [raw.ErrCorrupt].
func Trace(ctx context.Context, a *raw.Archive, p provider.Provider, providerFixtureID string) (found Traced, err error) {
	c := &Cycle{Archive: a, Provider: func(string) (provider.Provider, bool) { return p, true }, Workers: 1, Log: slog.New(slog.DiscardHandler),
		Header: new(snapshot.Manifest), only: providerFixtureID}
	of, err := c.provider()
	if err != nil {
		return found, err
	}
	listing, err := c.readListing(&of)
	if err != nil {
		return found, fmt.Errorf("cycle %s: %w", a.Cycle().CycleID, err)
	}
	sheets, err := c.readSheets(ctx, &of, listing)
	if err != nil {
		return found, err
	}
	g := c.gather(listing.Listing, sheets)
	found.listing = listing.Listing
	found.Listed = reading.LastWith(providerFixtureID, listing.pages)
	if read, ok := g.byID[providerFixtureID]; ok {
		found.Fixture, found.Markets, found.Offered = read.fixture, read.markets, read.origin
		return found, nil
	}
	listed, ok := listing.Fixtures[providerFixtureID]
	if !ok {
		return found, ErrNotInCycle
	}
	found.Fixture, found.NotOffered = listed.Fixture, true
	if answered, ok := g.withoutMarkets[providerFixtureID]; ok { // its row has the time of that answer
		found.Fixture, found.Offered = answered.fixture, answered.origin
	}
	return found, nil
}
