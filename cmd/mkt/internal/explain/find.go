package explain

import (
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// found is what the snapshot has of the target.
type found struct {
	fixture   table.FixtureRow
	market    *table.MarketRow    // nil when a fixture is asked for
	selection *table.SelectionRow // nil unless one is asked for
	at        int                 // its place in the market
}

// find looks the target up in the snapshot's tables.
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

// findMarket finds the row of a market, or the one that has a selection.
func (e *explainer) findMarket(f *found) error {
	t := e.target
	return scan(e, layout.MarketsFile, func(r *table.MarketRow) bool {
		if t.fixture != "" && r.FixtureID != t.fixture || t.market != "" && r.MarketID != t.market {
			return t.fixture != "" && r.FixtureID > t.fixture
		}
		if t.selection == "" {
			f.market = keep(r)
			return true
		}
		for i := range r.Selections {
			if r.Selections[i].SelectionID == t.selection {
				f.market, f.at = keep(r), i
				f.selection = &f.market.Selections[i]
				return true
			}
		}
		return false
	})
}

// keep copies a row, which is only valid until the next. What it points to is the
// row's own.
func keep(r *table.MarketRow) *table.MarketRow {
	row := *r
	row.Selections = append([]table.SelectionRow(nil), r.Selections...)
	return &row
}

// scan reads a table of the snapshot until done says that it is enough.
func scan[T table.Row](e *explainer, name string, done func(*T) bool) error {
	if err := e.verify(name); err != nil {
		return err
	}
	for row, err := range snapshot.Rows[T](e.Root, e.commit.Dir()+"/"+name) {
		if err != nil {
			return err
		}
		if done(row) {
			return nil
		}
	}
	return nil
}
