package explain

import (
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

type found struct {
	fixture   table.FixtureRow
	market    *table.MarketRow    // nil if the target is a fixture
	selection *table.SelectionRow // nil unless the target is a selection
	at        int                 // the selection's index in the market
}

func (e *explainer) find() (found, error) {
	var f found
	id := e.target.fixture
	if e.target.market != "" || e.target.selection != "" {
		if err := e.findMarket(&f); err != nil {
			return f, err
		}
		if f.market == nil {
			return f, e.unknown()
		}
		id = f.market.FixtureID
	}
	err := scan(e, layout.FixturesFile, func(r *table.FixtureRow) bool {
		if r.FixtureID == id {
			f.fixture = *r
		}
		return r.FixtureID >= id
	})
	if err == nil && f.fixture.FixtureID == "" {
		err = e.unknown()
	}
	return f, err
}

func (e *explainer) unknown() error {
	return fmt.Errorf("%s: %w in version %d of %s %s (%s)", e.target.text, ErrUnknown, e.commit.Version, e.Tenant, e.Product, e.commit.CycleID)
}

func (e *explainer) findMarket(f *found) error {
	t := e.target
	return scan(e, layout.MarketsFile, func(r *table.MarketRow) bool {
		if t.fixture != "" && r.FixtureID != t.fixture || t.market != "" && r.MarketID != t.market {
			return t.fixture != "" && r.FixtureID > t.fixture
		}
		if t.selection == "" {
			f.market = copyOf(r)
			return true
		}
		for i := range r.Selections {
			if r.Selections[i].SelectionID == t.selection {
				f.market, f.at = copyOf(r), i
				f.selection = &f.market.Selections[i]
				return true
			}
		}
		return false
	})
}

// copyOf copies a row, which is only valid until the next one is read. What it points to is
// never overwritten.
func copyOf(r *table.MarketRow) *table.MarketRow {
	row := *r
	row.Selections = append([]table.SelectionRow(nil), r.Selections...)
	return &row
}

// scan reads a table of the snapshot until done reports true.
func scan[T table.Row](e *explainer, name string, done func(*T) bool) error {
	for row, err := range snapshot.VerifiedRows[T](e.Root, e.commit.Dir(), e.manifest, name) {
		if err != nil {
			return err
		}
		if done(row) {
			return nil
		}
	}
	return nil
}
