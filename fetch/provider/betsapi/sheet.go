package betsapi

import (
	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// sheetReader gathers one payload.
type sheetReader struct {
	decode.Sheet
	table        *mapping.Table
	slabs        *input.Slabs
	asked        []string // fixtures; nil if the request is not known
	fixtures     map[string]*offered
	order        []*offered
	doubted      []string // fixtures whose own part of the payload is not known
	isNull       bool     // a member of the current row is null: the provider writes "" where there is nothing
	payloadTrace *provider.Trace
	trace        *provider.Trace // of the fixture at hand
}

// offered is everything read of one fixture.
type offered struct {
	decode.Wounds
	id        string // FI
	event     string // event_id; "" if it was not sent
	teams     string // "Home v Away", in raw only
	groups    map[string]*group
	order     []*group
	slab      []group // where groups are made
	twoEvents bool    // the id belongs to two events
}

// tab is the section a market is shown in.
type tab struct {
	name     string
	updated  int64 // epoch seconds, 0 if not said
	doubtful bool  // it is there twice, under one key
}

// showing is one market as one section shows it. Several sections show the same
// market, fetched at different times, and some show it without its prices.
type showing struct {
	tab
	id, name football.Field[string]
	list     strictjson.Value // its rows, read when they are needed
	raw      bool             // in the bookmaker's own shape
	doubtful bool             // it is damaged, or there twice
}

// group is every showing of one key.
type group struct {
	key      string
	shared   string         // the key as it is sent, when other groups bear it too; else ""
	entry    *mapping.Entry // nil if the table does not know the key
	showings []showing
	first    [1]showing // space for showings: most have one
}

func (f *offered) add(key string, e *mapping.Entry, s showing) {
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

// show adds one showing of a market to a fixture. A value other than a list in the place
// of its rows is counted as why.
func (r *sheetReader) show(f *offered, key string, e *mapping.Entry, s showing, why string) {
	r.Met.Markets++
	if s.list.Kind() != strictjson.Array && !decode.IsEmpty(s.list) {
		s.doubtful = true
		r.Damaged.Add(why)
	}
	if s.doubtful {
		r.Hurt.Markets++
		f.Hurt = true
	}
	f.add(key, e, s)
}

// repeats marks a row with a key twice, which makes it ambiguous.
func (r *sheetReader) repeats(row *input.Row, v strictjson.Value) {
	if v.Repeats() {
		r.Damaged.Add(rowRepeats)
		row.Trouble = football.AmbiguousShape
	}
}

// label keeps a text of a row as it is; null is none.
func (r *sheetReader) label(of provider.Subject, labels []football.Label, key string, v strictjson.Value) []football.Label {
	if v.Kind() == strictjson.Null {
		return labels
	}
	r.trace.Report(of, key, v)
	return append(labels, football.Label{Field: key, Text: decode.Clip(v)})
}
