package betsapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// errShape: a place where markets are expected holds something else. Going on
// would look like the bookmaker had withdrawn them.
var errShape = errors.New("markets in an unknown shape")

// maxKept bounds the index that is kept for the next payload, in values.
const maxKept = 1 << 20

var documents = sync.Pool{New: func() any { return new(strictjson.Document) }}

func release(d *strictjson.Document) {
	if d.Size() <= maxKept {
		documents.Put(d)
	}
}

// ReadMarkets implements provider.MarketAdapter for bet365/prematch in all four
// shapes. A fixture met twice in the payload is one; one that the request did
// not ask for is left out: nobody has seen whether people play it.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := documents.Get().(*strictjson.Document)
	defer release(d)
	results, err := readResults(d, p.Body)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", endpointPrematch, err)
	}
	r := sheetReader{names: table(), fixtures: make(map[string]*offered), told: p.Trace}
	if ids := p.Query.Get(paramFixtures); ids != "" {
		r.asked = strings.Split(ids, ",")
	}
	for item := range results.Items() {
		r.item(item)
	}
	return r.sheet(p, l), nil
}

// sheetReader gathers one payload.
type sheetReader struct {
	names    *names
	asked    []string // fixtures; nil when the request is not known
	fixtures map[string]*offered
	order    []*offered
	unknown  tally
	skipped  tally
	told     *provider.Trace // of the payload
	trace    *provider.Trace // of the fixture at hand
}

// offered is everything met on one fixture.
type offered struct {
	id     string // FI
	teams  string // "Home v Away", in raw only
	groups map[string]*group
	order  []*group
	slab   []group // where groups are made
	broken bool
}

func (r *sheetReader) item(item strictjson.Value) {
	id := identifier(item.Get(keyFI))
	if id == "" {
		r.unknown.add("fixture without FI")
		return
	}
	if r.asked != nil && !slices.Contains(r.asked, id) {
		r.skipped.add("fixture not asked for")
		return
	}
	f := r.fixtures[id]
	if f == nil {
		f = &offered{id: id, groups: make(map[string]*group, slabSize*3), order: make([]*group, 0, slabSize*3)}
		r.fixtures[id] = f
		r.order = append(r.order, f)
	}
	r.trace = r.told.For(id)
	r.trace.Tell(provider.Subject{Fixture: id}, provider.FieldThing, item)
	for name, v := range item.Members() {
		if err := r.member(f, name, v); err != nil {
			f.broken = true
		}
	}
}

// member reads one member of a fixture: a section, a list of them, or a field.
func (r *sheetReader) member(f *offered, name string, v strictjson.Value) error {
	switch v.Kind() {
	case strictjson.Object:
		return r.section(f, name, v)
	case strictjson.Array:
		for block := range v.Items() {
			if block.Kind() != strictjson.Object {
				return errShape
			}
			if err := r.section(f, name, block); err != nil {
				return err
			}
		}
		return nil
	}
	if isSection(name) && !isEmpty(v) {
		return errShape
	}
	if name != keyFI && name != "event_id" {
		r.unknown.add("fixture." + name)
	}
	return nil
}

// sections are the members below which markets stand in some recording or client
// (betsapi.md, section 6.1).
var sections = []string{"main", "asian_lines", "goals", "half", "minutes", "player", "player_stats", "specials", "corners", "cards", "cards_fouls", "shots",
	"other", "others", "schedule"}

// isSection reports whether a member is one of sections. There, anything but a
// section is a change of shape, not a bookmaker who withdrew the markets.
func isSection(name string) bool { return slices.Contains(sections, name) }

// section reads one tab, or one block of "others".
func (r *sheetReader) section(f *offered, name string, v strictjson.Value) error {
	tab := tab{name: name, updated: epoch(v.Get(keyUpdatedAt))}
	for key, v := range v.Members() {
		var err error
		switch key {
		case keyMarkets:
			err = r.markets(f, tab, v)
		case keyRaw:
			err = r.raw(f, tab, v)
		case keyUpdatedAt, "key":
		default:
			r.unknown.add("section." + key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isEmpty tells whether v holds nothing: null, {} or [], which the provider's
// software writes for an empty object too.
func isEmpty(v strictjson.Value) bool {
	switch v.Kind() {
	case strictjson.Null:
		return true
	case strictjson.Object, strictjson.Array:
		return v.Len() == 0
	}
	return false
}

// sheet turns what was gathered into offers.
func (r *sheetReader) sheet(p provider.Payload, l provider.Listing) provider.Sheet {
	s := provider.Sheet{Fixtures: make([]provider.FixtureOffers, 0, len(r.order))}
	for _, f := range r.order {
		if f.broken {
			if s.Broken == nil {
				s.Broken = make(map[string]football.Reason)
			}
			s.Broken[f.id] = football.AmbiguousShape
			continue
		}
		r.trace = r.told.For(f.id)
		s.Fixtures = append(s.Fixtures, provider.FixtureOffers{Fixture: fixture(f, p, l), Offers: r.offers(f)})
	}
	s.Unknown, s.Skipped = r.unknown, r.skipped
	return s
}

// fixture joins what the listing says of a fixture. Without it, raw names the
// teams, and nothing else is known.
func fixture(f *offered, p provider.Payload, l provider.Listing) football.Fixture {
	fx := football.Fixture{Provider: Name, ProviderFixtureID: f.id, FetchedAt: p.FetchedAt}
	listed, ok := l.Fixtures[f.id]
	if !ok {
		if home, away, ok := strings.Cut(f.teams, " v "); ok && !strings.Contains(away, " v ") {
			fx.Home, fx.Away = football.Of(home), football.Of(away)
		}
		return fx
	}
	fx.Home, fx.Away, fx.League, fx.StartsAt = listed.Home, listed.Away, listed.League, listed.StartsAt
	if listed.FetchedAt.After(fx.FetchedAt) {
		fx.FetchedAt = listed.FetchedAt
	}
	return fx
}
