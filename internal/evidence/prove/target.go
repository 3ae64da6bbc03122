package prove

import (
	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/find"
	"mkt/internal/receipts/receipt"
	"mkt/internal/terminal"
	"mkt/publish/football"
)

// IsFixture reports whether an id is that of a fixture alone.
func IsFixture(id string) bool {
	target, err := explain.ParseTarget(id)
	fixture, market, selection := target.IDs()
	return err == nil && !target.IsLive() && fixture != "" && market == "" && selection == ""
}

// MakeOf is [Make] for what a person calls a price or a match: its id, or the names of the teams. The
// fields of w that say which price are set.
func MakeOf(d dataset.Dataset, id string, w Wanted) (*receipt.Receipt, *receipt.Result, error) {
	id, _, err := find.ID(d, id)
	if err != nil {
		return nil, nil, err
	}
	w.Dataset = d
	if d.Product == football.LiveIntelligence {
		if !IsFixture(id) {
			return nil, nil, terminal.Usagef("%q: of live intelligence, want a fixture: fx_…, or teams' names", id)
		}
		w.Fixture, w.Payload = id, false
		return Make(w)
	}
	if target, err := explain.ParseTarget(id); err != nil || target.IsLive() {
		return nil, nil, terminal.Usagef("%q: want the id of a selection, sl_… or fx_…/mk_…/sl_…", id)
	} else {
		fixture, market, selection := target.IDs()
		if selection == "" {
			return nil, nil, terminal.Usagef("%s: want one selection, such as sl_… or fx_…/mk_…/sl_…; mkt inspect shows their ids", id)
		}
		w.Fixture, w.Market, w.Selection = fixture, market, selection
		return Make(w)
	}
}
