package publish

import (
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

// openCycle opens the canonical cycle and checks that it is the account's, that its
// files are what was sealed, and that it can follow what is published.
func (d *Draft) openCycle() (err error) {
	d.canonical, d.canonicalSum, err = snapshot.OpenCanonical(d.Root, d.Cycle)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: run mkt transform first", ErrNoCycle)
	}
	if err != nil {
		return err
	}
	if err := d.belongs(); err != nil {
		return err
	}
	return snapshot.Verify(d.Root, layout.Cycle(layout.CanonicalDir, d.Cycle), d.canonical)
}

// belongs refuses a cycle of another account or product, and one made with another id
// key: every id would change, and every fixture would seem to be gone.
func (d *Draft) belongs() error {
	c := &d.canonical
	if c.ClientID != d.ClientID || c.Product != d.Product {
		return fmt.Errorf("canonical cycle is of %s %s: %w", c.ClientID, c.Product, snapshot.ErrDamaged)
	}
	if c.ProcessedAt == nil {
		return fmt.Errorf("canonical cycle has no time of processing: %w", snapshot.ErrDamaged)
	}
	if m := d.base.Manifest; m != nil && m.IDKeyFingerprint != c.IDKeyFingerprint {
		return fmt.Errorf("canonical cycle was made with id key %s, what is published with %s", c.IDKeyFingerprint, m.IDKeyFingerprint)
	}
	return nil
}

// readInputs reads what the decision needs, every file only after its hash was checked.
func readInputs(f durable.ReadFS, base *Base, canonical *snapshot.Manifest) (in inputs, err error) {
	dir := layout.Cycle(layout.CanonicalDir, canonical.CycleID)
	in = inputs{complete: canonical.ListingComplete, provider: canonical.Provider, at: *canonical.ProcessedAt}
	if in.refreshed, err = readFixtures(f, dir+"/"+layout.FixturesFile, canonical); err != nil {
		return in, err
	}
	if in.listing, err = readListing(f, dir+"/"+layout.ListingFile); err != nil || base.Manifest == nil {
		return in, err
	}
	name, err := base.file(f, layout.FixturesFile)
	if err != nil {
		return in, err
	}
	in.previous, err = readFixtures(f, name, base.Manifest)
	return in, err
}

// readFixtures reads a file of fixtures, which must be sorted and as many as its
// manifest says.
func readFixtures(f durable.ReadFS, name string, m *snapshot.Manifest) ([]fixture, error) {
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

func readListing(f durable.ReadFS, name string) (all []table.ListingRow, err error) {
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
