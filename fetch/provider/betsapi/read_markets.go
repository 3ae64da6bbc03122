package betsapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/publish/football"
)

// ReadMarkets implements [provider.MarketAdapter] for bet365/prematch in all four
// shapes. A fixture that occurs twice in the payload is one, unless it is there as two
// events. A fixture nobody requested is left out: it has not been filtered.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	_, results, err := readEnvelope(d, p)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", api.EndpointPrematch, err)
	}
	r := sheetReader{table: table(), slabs: cmp.Or(p.Slabs, new(input.Slabs)), fixtures: make(map[string]*offered), payloadTrace: p.Trace}
	if ids := p.Query.Get(api.ParamFixtures); ids != "" {
		r.asked = strings.Split(ids, ",")
	}
	for item := range results.Items() {
		r.item(item)
	}
	return r.sheet(p, l), nil
}

func (r *sheetReader) item(item strictjson.Value) {
	ids := idsOf(item)
	switch {
	case item.Kind() != strictjson.Object:
		r.Damaged.Add(fixtureNoObject)
		return
	case len(ids) == 0:
		r.Damaged.Add(fixtureNoID)
		return
	case len(ids) > 1:
		r.Damaged.Add(fixtureIDTwice)
		r.doubted = append(r.doubted, ids...)
		return
	}
	id := ids[0]
	if r.asked != nil && !slices.Contains(r.asked, id) {
		r.Skipped.Add("fixture not asked for")
		return
	}
	f := r.fixtures[id]
	if f == nil {
		f = &offered{id: id, groups: make(map[string]*group, slabSize*3), order: make([]*group, 0, slabSize*3)}
		r.fixtures[id] = f
		r.order = append(r.order, f)
	}
	if item.Repeats() {
		r.Damaged.Add(fixtureRepeats)
	}
	event := decode.ID(item.Get("event_id"))
	if f.event != "" && event != "" && f.event != event { // which of the two is meant is not known
		r.Damaged.Add(fixtureEvents)
		f.twoEvents = true
	}
	f.event = cmp.Or(f.event, event)
	r.trace = r.payloadTrace.For(id)
	r.trace.Report(provider.Subject{Fixture: id}, provider.FieldThing, item)
	for name, v := range item.Members() {
		if name != api.KeyFI && name != "event_id" {
			r.member(f, tab{name: name, doubtful: isTwice(item, name)}, v)
		}
	}
}

// member reads one member of a fixture: a section, a list of them, or a field.
func (r *sheetReader) member(f *offered, tab tab, v strictjson.Value) {
	switch v.Kind() {
	case strictjson.Object:
		r.section(f, tab, v)
		return
	case strictjson.Array:
		if r.blocks(f, tab, v) {
			return
		}
	}
	switch {
	case isSection(tab.name) && !decode.IsEmpty(v):
		r.Lose(&f.Wounds, sectionNoShape)
	case v.Kind() != strictjson.Array || v.Len() > 0:
		r.Unknown.Add("fixture." + tab.name)
	}
}

// blocks reads a list of sections. It reports whether v is one: a list under
// another name that holds no object is an unknown field.
func (r *sheetReader) blocks(f *offered, tab tab, v strictjson.Value) bool {
	sections := isSection(tab.name)
	for block := range v.Items() {
		sections = sections || block.Kind() == strictjson.Object
	}
	if !sections {
		return false
	}
	for block := range v.Items() {
		if block.Kind() != strictjson.Object {
			r.Lose(&f.Wounds, sectionNoShape)
			continue
		}
		r.section(f, tab, block)
	}
	return true
}

// sections are the members below which markets stand in some recording or client
// (betsapi.md, section 6.1).
var sections = []string{"main", "asian_lines", "goals", "half", "minutes", "player", "player_stats", "specials", "corners", "cards", "cards_fouls", "shots",
	"other", "others", "schedule", "10minutes"}

// isSection reports whether a member is one of sections. There, anything but a
// section is damage, not a bookmaker who withdrew the markets.
func isSection(name string) bool { return slices.Contains(sections, name) }

// section reads one tab, or one block of "others".
func (r *sheetReader) section(f *offered, tab tab, v strictjson.Value) {
	r.Met.Sections++
	if v.Repeats() {
		r.Damaged.Add(sectionRepeats)
		r.Hurt.Sections++
	}
	updated, once := v.Once(api.KeyUpdatedAt)
	if once {
		if at, ok := decode.Epoch(updated); ok {
			tab.updated = at.Unix()
		} else if decode.IsWrong(updated) || decode.Field(updated).State() == football.Present {
			r.Damaged.Add(sectionTime)
		}
	}
	empty, renamed := true, false
	for key, part := range v.Members() {
		at := tab
		at.doubtful = tab.doubtful || isTwice(v, key)
		switch key {
		case api.KeyMarkets:
			empty = false
			r.markets(f, at, part)
		case api.KeyRaw:
			empty = false
			r.raw(f, at, part)
		case api.KeyUpdatedAt, "key":
		default:
			renamed = true
			r.Unknown.Add("section." + key)
		}
	}
	if empty && renamed && isSection(tab.name) {
		r.Lose(&f.Wounds, sectionRenamed)
	}
}

// sheet turns the gathered markets into offers.
func (r *sheetReader) sheet(p provider.Payload, l provider.Listing) provider.Sheet {
	for _, f := range r.order {
		r.trace = r.payloadTrace.For(f.id)
		if offers := r.offers(f); f.twoEvents {
			r.Break(f.id)
		} else {
			r.Keep(fixture(f, p, l), offers, f.Wounds)
		}
	}
	for _, id := range r.doubted {
		r.Break(id)
	}
	return r.Result()
}

// fixture adds the fixture of the listing. Without it only the names of the
// teams may be known, from raw.
func fixture(f *offered, p provider.Payload, l provider.Listing) football.Fixture {
	fx, listed := l.Joined(Name, f.id, p.FetchedAt)
	if home, away, ok := strings.Cut(f.teams, " v "); !listed && ok && !strings.Contains(away, " v ") {
		fx.Home, fx.Away = football.Of(home), football.Of(away)
	}
	return fx
}
