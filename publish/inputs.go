package publish

import (
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// fixture is the part of a fixture row needed for the decision.
type fixture struct {
	id, providerID, provider string
	digest                   string
	startsAt                 *time.Time
	fetchedAt                time.Time
	markets                  int32
	home, away, league       *string
	answer                   *string // SHA-256 of the answer with its markets, if recorded
}

// inputs are the plan's inputs: three lists sorted by fixture id.
type inputs struct {
	previous  []fixture
	refreshed []fixture // also those without markets, if the provider offers none on them
	listing   []table.ListingRow
	complete  bool            // the listing was read to its end
	provider  string          // of the listing
	at        time.Time       // when the cycle was processed
	losses    []snapshot.Loss // of the last day
	// otherPrices reports whether the previous dataset has the prices of another
	// bookmaker of the same provider.
	otherPrices bool
	// redated reports whether a fixture of previous has another fetchedAt than its row: see redate.
	redated bool
}

// readInputs reads the inputs; every file is verified before it is read.
func readInputs(f durable.ReadFS, base *Base, canonical *snapshot.Manifest) (in inputs, err error) {
	dir := layout.Cycle(layout.CanonicalDir, canonical.CycleID)
	in = inputs{complete: canonical.ListingComplete, provider: canonical.Provider, at: *canonical.ProcessedAt}
	if in.refreshed, err = readFixtures(f, dir+"/"+layout.FixturesFile, canonical); err != nil {
		return in, err
	}
	if in.listing, err = readListing(f, dir+"/"+layout.ListingFile); err != nil || base.Manifest == nil {
		return in, err
	}
	before := base.Manifest.Bookmaker
	in.otherPrices = before != "" && canonical.Bookmaker != "" && before != canonical.Bookmaker
	name, err := base.file(f, layout.FixturesFile)
	if err != nil {
		return in, err
	}
	if in.previous, err = readFixtures(f, name, base.Manifest); err != nil {
		return in, err
	}
	for _, l := range base.Manifest.Losses {
		if since := in.at.Sub(l.At); since.Abs() < holdTime && in.provider == base.Manifest.Provider {
			in.losses = append(in.losses, l)
		}
	}
	in.redate(base.Commit.PublishedAt)
	return in, nil
}

// redate changes times of retrieval that are to come: the clock was ahead, and was set back. Nobody knows when
// that was. But they were before this cycle, and at least as long before as at the previous publication.
func (in *inputs) redate(published time.Time) {
	for i := range in.previous {
		if f := &in.previous[i]; f.fetchedAt.After(in.at) {
			f.fetchedAt, in.redated = in.at.Add(-max(0, published.Sub(f.fetchedAt))), true
		}
	}
}

// readFixtures reads a file of fixtures. They must be sorted, and as many as its manifest says.
func readFixtures(f durable.ReadFS, name string, m *snapshot.Manifest) ([]fixture, error) {
	var all []fixture
	for row, err := range snapshot.Rows[table.FixtureRow](f, name) {
		if err != nil {
			return nil, err
		}
		if n := len(all); n > 0 && row.FixtureID <= all[n-1].id {
			return nil, outOfOrder(name, row.FixtureID, all[n-1].id)
		}
		all = append(all, fixture{row.FixtureID, row.ProviderFixtureID, row.SourceProvider, row.ContentDigest, row.StartsAt, row.ProviderFetchedAt, row.MarketCount, row.Home, row.Away, row.League, row.AnswerSHA256})
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
