package betsapi

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

// tab is the section a market is shown in.
type tab struct {
	name    string
	updated int64 // epoch seconds, 0 when not said
}

// showing is one market as one section shows it. Several sections show the same
// market, fetched at different times, and some show it without its prices.
type showing struct {
	tab
	id, name football.Field[string]
	rows     []football.OfferRow
	strange  bool // it holds something that is not understood
}

// group is every showing of one key.
type group struct {
	key      string
	entry    *entry // nil when the table does not know the key
	showings []showing
	doubtful bool // bears an id that is not the key's, beside one that is
}

func (f *offered) add(key string, e *entry, s showing) {
	g := f.groups[key]
	if g == nil {
		g = &group{key: key, entry: e}
		f.groups[key] = g
		f.order = append(f.order, g)
	}
	g.showings = append(g.showings, s)
}

// offers makes the fixture's offers, in the order their keys were met.
func (r *sheetReader) offers(f *offered) []football.Offer {
	offers := make([]football.Offer, 0, len(f.order))
	for _, g := range f.order {
		for _, g := range g.apart() {
			offers = append(offers, r.offer(f, g)...)
		}
	}
	return offers
}

func (r *sheetReader) offer(f *offered, g *group) []football.Offer {
	o := football.Offer{Key: g.key, ProviderIDs: g.ids(), Name: g.name(), Sections: g.sections(), Rows: g.rows()}
	id := ""
	if len(o.ProviderIDs) > 0 {
		id = o.ProviderIDs[0]
	}
	o.Reading, o.RawReason = r.names.read(g.entry, id)
	switch {
	case g.doubtful && g.entry != nil:
		o.Reading, o.RawReason = nil, football.ConditionFailed
	case slices.ContainsFunc(g.showings, func(s showing) bool { return s.strange }):
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	case o.RawReason == football.MixedMarket:
		return r.statements(f, o)
	}
	return []football.Offer{o}
}

// apart tells markets of one key apart that bear different ids: a key is proven
// for its own ids only. Showings without an id stay with the key.
func (g *group) apart() []*group {
	ids := g.ids()
	if len(ids) < 2 {
		return []*group{g}
	}
	own := &group{key: g.key, entry: g.entry}
	groups := []*group{own}
	byID := make(map[string]*group)
	for _, s := range g.showings {
		id := s.id.Or("")
		if id == "" || g.entry != nil && slices.Contains(g.entry.ids, id) {
			own.showings = append(own.showings, s)
			continue
		}
		other := byID[id]
		if other == nil {
			other = &group{key: g.key + "#" + id, entry: g.entry, doubtful: true}
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

// name is the first name that was sent.
func (g *group) name() football.Field[string] {
	name := g.showings[0].name
	for i := range g.showings {
		if g.showings[i].name.State() > name.State() {
			name = g.showings[i].name
		}
	}
	return name
}

// sections are the tabs in the order met, each once.
func (g *group) sections() []string {
	var sections []string
	for i := range g.showings {
		if s := g.showings[i].tab.name; !slices.Contains(sections, s) {
			sections = append(sections, s)
		}
	}
	return sections
}

// rows merges the showings: the newest one that has rows is the market, with
// its prices and in its order. A row that only an older showing has is kept
// behind them, and marked: the newest would show it if it still stood.
func (g *group) rows() []football.OfferRow {
	var filled []*showing
	for i := range g.showings {
		if len(g.showings[i].rows) > 0 {
			filled = append(filled, &g.showings[i])
		}
	}
	if len(filled) == 0 {
		return nil
	}
	slices.SortStableFunc(filled, func(a, b *showing) int { return int(b.updated - a.updated) })
	rows := filled[0].rows
	for _, older := range filled[1:] {
		if sameIDs(rows, older.rows) {
			continue
		}
		for _, row := range missing(rows, older.rows) {
			if older.updated < filled[0].updated && row.Trouble == "" {
				row.Trouble = football.Superseded
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func sameIDs(a, b []football.OfferRow) bool {
	return slices.EqualFunc(a, b, func(a, b football.OfferRow) bool {
		id, ok := a.ID.Get()
		return ok && b.ID.Or("") == id
	})
}

// missing returns the rows of from that have are without: by id, and where a row
// has none (v1) by its texts. A row that occurs twice is two rows.
func missing(have, from []football.OfferRow) []football.OfferRow {
	left := make(map[string]int, len(have))
	for i := range have {
		left[rowKey(&have[i])]++
	}
	var rows []football.OfferRow
	for i := range from {
		k := rowKey(&from[i])
		if left[k]--; left[k] < 0 {
			rows = append(rows, from[i])
		}
	}
	return rows
}

func rowKey(row *football.OfferRow) string {
	if id, ok := row.ID.Get(); ok {
		return id
	}
	var b strings.Builder
	for _, l := range row.Labels {
		b.WriteString("\x00" + l.Field + "\x00" + l.Text)
	}
	return b.String()
}
