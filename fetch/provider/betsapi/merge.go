package betsapi

import (
	"cmp"
	"slices"
	"strings"

	"mkt/fetch/internal/strictjson"
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
	list     strictjson.Value // its rows, read when they are needed
	raw      bool             // in the bookmaker's own shape
	strange  bool             // it holds something that is not understood
}

// group is every showing of one key.
type group struct {
	key      string
	entry    *entry // nil when the table does not know the key
	showings []showing
	first    [1]showing // room for showings: most have one
	doubtful bool       // bears an id that is not the key's, beside one that is
}

func (f *offered) add(key string, e *entry, s showing) {
	g := f.groups[key]
	if g == nil {
		if len(f.slab) == cap(f.slab) {
			f.slab = make([]group, 0, slabSize)
		}
		f.slab = append(f.slab, group{key: key, entry: e})
		g = &f.slab[len(f.slab)-1]
		g.showings = g.first[:0]
		f.groups[key] = g
		f.order = append(f.order, g)
	}
	g.showings = append(g.showings, s)
}

// slabSize is how many groups are made at once: a fixture has 40 to 140.
const slabSize = 32

// offers makes the fixture's offers, in the order their keys were met.
func (r *sheetReader) offers(f *offered) []football.Offer {
	offers := make([]football.Offer, 0, len(f.order)+8)
	for _, g := range f.order {
		if !g.manyIDs() {
			offers = r.appendOffer(offers, f, g)
			continue
		}
		for _, g := range g.apart(f.groups) {
			offers = r.appendOffer(offers, f, g)
		}
	}
	return offers
}

func (r *sheetReader) appendOffer(offers []football.Offer, f *offered, g *group) []football.Offer {
	o := football.Offer{Key: g.key, ProviderIDs: g.ids(), Name: g.name(), Sections: g.sections(), Rows: r.merged(g)}
	id := ""
	if len(o.ProviderIDs) > 0 {
		id = o.ProviderIDs[0]
	}
	o.Reading, o.RawReason = r.names.read(g.entry, id)
	switch {
	case g.doubtful && g.entry != nil:
		o.Reading, o.RawReason = nil, football.ConditionFailed
	case slices.ContainsFunc(g.showings, func(s showing) bool { return s.strange || g.contradicts(r.names, s) }):
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	case o.RawReason == football.MixedMarket:
		return r.statements(offers, f, o)
	}
	return append(offers, o)
}

// contradicts reports whether a showing's name is another market's than the
// table's line says: by the provider's rule a key is made of the name, so that a
// market of the key both_teams_to_score that is named "Both Teams to Score in
// 1st Half" is one of two markets. A market without a name contradicts nothing.
func (g *group) contradicts(t *names, s showing) bool {
	name := normalName(s.name.Or(""))
	if g.entry == nil || name == "" || makeKey(name) == g.entry.key {
		return false
	}
	e := t.byName[name] // in raw, some names are not those that the key is made of
	return e == nil || e.key != g.entry.key
}

// manyIDs tells whether the showings bear different market ids.
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

// apart tells markets of one key apart that bear different ids: a key is proven
// for its own ids only. Showings without an id stay with the key. The others'
// keys are none of those taken.
func (g *group) apart(taken map[string]*group) []*group {
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
// age it is the first in alphabetical order, so that the order of the tabs
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

// merged joins the showings: the newest one that has rows is the market, with
// its prices and in its order. A row that only an older showing has is kept
// behind them, and marked: the newest would show it if it still stood.
func (r *sheetReader) merged(g *group) []football.OfferRow {
	var few [4]*showing
	filled := few[:0]
	for i := range g.showings {
		if s := &g.showings[i]; s.list.Kind() == strictjson.Array && s.list.Len() > 0 {
			filled = append(filled, s)
		}
	}
	if len(filled) > 1 {
		slices.SortStableFunc(filled, func(a, b *showing) int { return int(b.updated - a.updated) })
	}
	var rows []football.OfferRow
	var newest *showing
	for _, s := range filled {
		if newest != nil && s.list.Text() == newest.list.Text() {
			continue // to the byte the same
		}
		more := r.rows(s)
		if newest == nil {
			rows = more
			if len(rows) > 0 {
				newest = s
			}
			continue
		}
		for _, row := range missing(rows, more) {
			if s.updated < newest.updated && row.Trouble == "" {
				row.Trouble = football.Superseded
			}
			rows = append(rows, row)
		}
	}
	return rows
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
