package betsapi

import (
	"slices"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// statements takes a market apart whose rows name a market each, as "specials"
// do: rows with a name of the table become offers of their own, with the key
// they have where the bookmaker sells them apart. The other rows keep the key
// and stay RAW. All are appended to offers.
func (r *sheetReader) statements(offers []input.Offer, f *offered, o input.Offer) []input.Offer {
	var named []input.Offer
	var left []input.Row
	for _, row := range o.Rows {
		name := row.Label("name")
		e := r.table.ByRow[normalName(name)]
		if e == nil || f.groups[e.Key] != nil || !r.holds(e, o.ProviderIDs) {
			left = append(left, row)
			continue
		}
		i := slices.IndexFunc(named, func(n input.Offer) bool { return n.Key == e.Key })
		if i < 0 {
			i = len(named)
			named = append(named, input.Offer{Key: e.Key, ProviderIDs: o.ProviderIDs, KnownID: e.KnownID(o.ProviderIDs), Name: football.Of(name),
				Sections: o.Sections, Reading: e.Reading})
		}
		named[i].Rows = append(named[i].Rows, row)
	}
	offers = append(offers, named...)
	if len(named) > 0 && len(left) == 0 {
		return offers
	}
	o.Rows = left
	return append(offers, o)
}

// holds reports whether a row's line of the table holds for a market with ids.
func (r *sheetReader) holds(e *mapping.Entry, ids []string) bool {
	return len(ids) == 1 && slices.Contains(e.IDs, ids[0])
}
