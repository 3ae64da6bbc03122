package betsapi

import (
	"cmp"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// offers makes the fixture's offers, in the order of their keys in the payload.
func (r *sheetReader) offers(f *offered) []input.Offer {
	offers := make([]input.Offer, 0, len(f.order)+8)
	for _, g := range f.order {
		if !g.manyIDs() {
			offers = r.appendOffer(offers, f, g)
			continue
		}
		for _, g := range g.separate(f.groups) {
			offers = r.appendOffer(offers, f, g)
		}
	}
	return offers
}

func (r *sheetReader) appendOffer(offers []input.Offer, f *offered, g *group) []input.Offer {
	rows, whole := r.merged(f, g)
	o := input.Offer{Key: g.key, SharedKey: g.shared, ProviderIDs: g.ids(), Name: g.name(), Sections: g.sections(), Rows: rows}
	id := ""
	if len(o.ProviderIDs) > 0 {
		id = o.ProviderIDs[0]
	}
	entry := entryOf(r.table, g.entry, rows)
	o.KnownID = entry.KnownID(o.ProviderIDs)
	o.Reading, o.RawReason = r.table.Read(entry, id)
	switch {
	case !whole || slices.ContainsFunc(g.showings, func(s showing) bool { return g.contradicts(r.table, s) }):
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	case o.RawReason == football.MixedMarket:
		return r.statements(offers, f, o)
	}
	return append(offers, o)
}

// contradicts reports whether a showing's name belongs to another market than the
// table's line. By the provider's rule a key is made of the name: a market of the key
// both_teams_to_score with the name "Both Teams to Score in 1st Half" is one of two
// markets. A market without a name contradicts nothing.
func (g *group) contradicts(t *mapping.Table, s showing) bool {
	name := normalName(s.name.Or(""))
	if g.entry == nil || name == "" || makeKey(name) == g.entry.Key {
		return false
	}
	e := t.ByName[name] // in raw, some names are not those that the key is made of
	return e == nil || e.Key != g.entry.Key
}

// manyIDs reports whether the showings bear different market ids.
func (g *group) manyIDs() bool {
	first := ""
	for i := range g.showings {
		id := g.showings[i].id.Or("")
		if first == "" {
			first = id
		}
		if id != "" && id != first {
			return true
		}
	}
	return false
}

// separate splits markets of one key that have different ids. Showings without an id
// stay with the key's own id. Each is then read, and named, as if the others were not
// there, since which of them are there differs from day to day; their keys are made
// distinct from each other and from all others.
func (g *group) separate(taken map[string]*group) []*group {
	own := &group{key: g.key, entry: g.entry}
	groups := []*group{own}
	byID := make(map[string]*group)
	for _, s := range g.showings {
		id := s.id.Or("")
		if id == "" || g.entry != nil && slices.Contains(g.entry.IDs, id) {
			own.showings = append(own.showings, s)
			continue
		}
		other := byID[id]
		if other == nil {
			other = &group{key: g.key + "#" + id, shared: g.key, entry: g.entry}
			for taken[other.key] != nil {
				other.key += "#"
			}
			byID[id] = other
			groups = append(groups, other)
		}
		other.showings = append(other.showings, s)
	}
	if len(own.showings) == 0 {
		return groups[1:]
	}
	return groups
}

// ids are the market ids, sorted, each once.
func (g *group) ids() []string {
	var ids []string
	for i := range g.showings {
		if id, ok := g.showings[i].id.Get(); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// name is the name in the newest showing that has one. Of several names of one
// age it is the first in alphabetical order, so the order of the tabs
// decides nothing.
func (g *group) name() football.Field[string] {
	best := &g.showings[0]
	for i := range g.showings {
		s := &g.showings[i]
		if c := cmp.Or(cmp.Compare(s.name.State(), best.name.State()), cmp.Compare(s.updated, best.updated),
			strings.Compare(best.name.Or(""), s.name.Or(""))); c > 0 {
			best = s
		}
	}
	return best.name
}

// sections are the tabs in the order of the payload, each once.
func (g *group) sections() []string {
	var sections []string
	for i := range g.showings {
		if s := g.showings[i].tab.name; !slices.Contains(sections, s) {
			sections = append(sections, s)
		}
	}
	return sections
}

// merged joins the showings. The newest one with rows is the market, with
// its prices and in its order. A row of an older showing alone is kept
// behind them, and marked: the newest would show it if it still stood. The same applies to
// a row of a doubtful showing alone. When every showing is doubtful, whole is false and all
// their rows are kept, also two different ones with one id.
func (r *sheetReader) merged(f *offered, g *group) (rows []input.Row, whole bool) {
	var few [4]*showing
	filled := few[:0]
	whole = true
	for i := range g.showings {
		if s := &g.showings[i]; !decode.IsEmpty(s.list) {
			filled = append(filled, s)
			whole = whole && !s.doubtful
		}
	}
	if len(filled) > 1 {
		slices.SortStableFunc(filled, compareShowings)
	}
	sameRow := rowKey
	if whole = whole || !filled[0].doubtful; !whole {
		sameRow = wholeRowKey
	}
	var newest *showing
	for _, s := range filled {
		if newest != nil && (s.list.Raw() == newest.list.Raw() || whole && s.list.Kind() != strictjson.Array) {
			continue // to the byte the same, or nothing beside rows that are whole
		}
		more := r.rows(f, s)
		if newest == nil {
			rows = more
			if len(rows) > 0 {
				newest = s
			}
			continue
		}
		for _, row := range missing(rows, more, sameRow) {
			switch {
			case row.Trouble != "":
			case s.doubtful && whole:
				row.Trouble = football.AmbiguousShape
			case s.updated < newest.updated:
				row.Trouble = football.Superseded
			}
			rows = append(rows, row)
		}
	}
	return rows, whole
}

// compareShowings puts doubtful showings last, and else the newest first. The text
// decides between two that are doubtful: which comes first says nothing.
func compareShowings(a, b *showing) int {
	switch {
	case a.doubtful != b.doubtful && a.doubtful:
		return 1
	case a.doubtful != b.doubtful:
		return -1
	case a.doubtful:
		return cmp.Or(cmp.Compare(b.updated, a.updated), strings.Compare(a.list.Raw(), b.list.Raw()))
	}
	return cmp.Compare(b.updated, a.updated)
}

// missing returns the rows of from that are not in have, by key. A row that occurs
// twice is two rows.
func missing(have, from []input.Row, key func(*input.Row) string) []input.Row {
	left := make(map[string]int, len(have))
	for i := range have {
		left[key(&have[i])]++
	}
	var rows []input.Row
	for i := range from {
		k := key(&from[i])
		if left[k]--; left[k] < 0 {
			rows = append(rows, from[i])
		}
	}
	return rows
}

// rowKey identifies a row by its id, or by its texts if it has none (v1).
func rowKey(row *input.Row) string {
	if id, ok := row.ID.Get(); ok {
		return id
	}
	return textsKey(row)
}

// wholeRowKey identifies a row by all of its content.
func wholeRowKey(row *input.Row) string {
	return row.ID.Or("") + "\x00" + row.Decimal.Or("") + "\x00" + row.Fractional.Or("") + textsKey(row)
}

func textsKey(row *input.Row) string {
	var b strings.Builder
	for _, l := range row.Labels {
		b.WriteString("\x00" + l.Field + "\x00" + l.Text)
	}
	return b.String()
}
