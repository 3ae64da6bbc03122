package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// fixture is what deciding needs of one fixture row.
type fixture struct {
	id, providerID, provider string
	digest                   string
	startsAt                 *time.Time
	fetchedAt                time.Time
	markets                  int32
}

// inputs are what the decision is made from: three lists sorted by fixture id.
type inputs struct {
	previous  []fixture
	refreshed []fixture // and, without markets, those the provider offers none on
	listing   []table.ListingRow
	complete  bool      // the listing was read to its end
	provider  string    // whose listing it is
	at        time.Time // when the cycle was processed
}

// checkCanonical opens the cycle and holds it against this run's account, its
// own hashes, and what is published.
func (r *run) checkCanonical() error {
	var err error
	r.canonical, r.canonicalSum, err = snapshot.OpenCanonical(r.Root, r.cycle)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: run mkt transform first", ErrNoCycle)
	}
	if err != nil {
		return err
	}
	if err := r.belongs(); err != nil {
		return err
	}
	return snapshot.Verify(r.Root, layout.Cycle(layout.CanonicalDir, r.cycle), r.canonical)
}

// readInputs reads what the decision needs, every file only after its hash.
func (r *run) readInputs(ctx context.Context) (err error) {
	dir := layout.Cycle(layout.CanonicalDir, r.cycle)
	r.in = inputs{complete: r.canonical.ListingComplete, provider: r.canonical.Provider, at: *r.canonical.ProcessedAt}
	if r.in.refreshed, err = readFixtures(r.Root, dir+"/"+layout.FixturesFile, r.canonical); err != nil {
		return err
	}
	if r.in.listing, err = readListing(r.Root, dir+"/"+layout.ListingFile); err != nil {
		return err
	}
	if r.previous == nil {
		return nil
	}
	name, err := r.previousFile(ctx, layout.FixturesFile)
	if err != nil {
		return err
	}
	r.in.previous, err = readFixtures(r.Root, name, *r.previous)
	return err
}

// belongs refuses a cycle of somebody else, or one made with another id key:
// every id would change, and every fixture seem gone.
func (r *run) belongs() error {
	c := &r.canonical
	if c.ClientID != r.ClientID || c.Product != r.Product {
		return fmt.Errorf("canonical cycle is of %s %s: %w", c.ClientID, c.Product, snapshot.ErrDamaged)
	}
	if c.ProcessedAt == nil {
		return fmt.Errorf("canonical cycle has no time of processing: %w", snapshot.ErrDamaged)
	}
	if r.previous != nil && r.previous.IDKeyFingerprint != c.IDKeyFingerprint {
		return fmt.Errorf("canonical cycle was made with id key %s, what is published with %s", c.IDKeyFingerprint, r.previous.IDKeyFingerprint)
	}
	return nil
}

// readFixtures reads a file of fixtures and holds them against their manifest.
func readFixtures(f durable.FS, name string, m snapshot.Manifest) ([]fixture, error) {
	var all []fixture
	for row, err := range snapshot.Rows[table.FixtureRow](f, name) {
		if err != nil {
			return nil, err
		}
		if n := len(all); n > 0 && row.FixtureID <= all[n-1].id {
			return nil, outOfOrder(name, row.FixtureID, all[n-1].id)
		}
		all = append(all, fixture{row.FixtureID, row.ProviderFixtureID, row.SourceProvider, row.ContentDigest, row.StartsAt, row.ProviderFetchedAt, row.MarketCount})
	}
	if int64(len(all)) != m.Tables["fixtures"].Rows {
		return nil, fmt.Errorf("%s: %d fixtures, manifest says %d: %w", name, len(all), m.Tables["fixtures"].Rows, snapshot.ErrDamaged)
	}
	return all, nil
}

func readListing(f durable.FS, name string) (all []table.ListingRow, err error) {
	for row, err := range snapshot.Rows[table.ListingRow](f, name) {
		if err != nil {
			return nil, err
		}
		if n := len(all); n > 0 && row.FixtureID <= all[n-1].FixtureID {
			return nil, outOfOrder(name, row.FixtureID, all[n-1].FixtureID)
		}
		all = append(all, *row)
	}
	return all, nil
}

func outOfOrder(name, fixture, after string) error {
	return fmt.Errorf("%s: fixture %s after %s: %w", name, fixture, after, snapshot.ErrDamaged)
}
