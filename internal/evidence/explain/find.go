package explain

import (
	"cmp"
	"fmt"

	"mkt/publish/snapshot"
	"mkt/publish/table"
)

type found struct {
	fixture   table.FixtureRow
	market    *table.MarketRow    // nil if the target is a fixture
	selection *table.SelectionRow // nil unless the target is a selection
	at        int                 // the selection's index in the market
}

func (e *explainer) find() (f found, err error) {
	id := e.target.fixture
	if id == "" {
		if id, err = snapshot.FixtureWith(e.Root, e.commit, e.manifest, cmp.Or(e.target.market, e.target.selection)); err != nil {
			return f, err
		}
	}
	fixture, markets, has, err := snapshot.FixtureOf(e.Root, e.commit, e.manifest, id)
	if err != nil {
		return f, err
	}
	if f.fixture = fixture; !has || !f.choose(markets, e.target) {
		return f, e.unknown()
	}
	return f, nil
}

// choose sets the market and the selection of the target, and reports whether the fixture has them.
func (f *found) choose(markets []table.MarketRow, t Target) bool {
	if t.market == "" && t.selection == "" {
		return true
	}
	for i := range markets {
		m := &markets[i]
		if t.market != "" && m.MarketID != t.market {
			continue
		}
		if f.market = m; t.selection == "" {
			return true
		}
		for k := range m.Selections {
			if m.Selections[k].SelectionID == t.selection {
				f.at, f.selection = k, &m.Selections[k]
				return true
			}
		}
	}
	return false
}

func (e *explainer) unknown() error {
	return fmt.Errorf("%s: %w in version %d of %s %s (%s)", e.target.text, ErrUnknown, e.commit.Version, e.Tenant, e.Product, e.commit.CycleID)
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
