package betsapi

import (
	"fmt"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// item is one listed fixture.
type item struct {
	id                 string // FI
	sport              football.Field[string]
	home, away, league football.Field[string]
	status             string
	startsAt           football.Field[time.Time]
}

// itemFields are the fields of an item that have been met; others are counted.
var itemFields = map[string]bool{
	"id": true, "sport_id": true, "time": true, "time_status": true, "league": true, "home": true, "away": true, "ss": true,
	"our_event_id": true, "r_id": true, "ev_id": true, "updated_at": true, "odds_updated_at": true,
	"o_home": true, "o_away": true, "extra": true,
}

// over are the states in which a fixture has left the active surface.
var over = map[string]bool{
	statusEnded: true, statusPostponed: true, statusCancelled: true, statusWalkover: true, statusAbandoned: true,
	statusRetired: true, statusDecided: true, statusRemoved: true,
}

// frozen are the states in which prematch prices do not move any more.
var frozen = map[string]bool{statusInPlay: true, statusInterrupted: true, statusSuspended: true}

// readItem reads one item of the listing; ok is false without an id.
func readItem(v strictjson.Value, trace *provider.Trace) (i item, ok bool) {
	i.id = identifier(v.Get("id"))
	of := provider.Subject{Fixture: i.id}
	trace.Tell(of, provider.FieldThing, v)
	get := func(key, field string) strictjson.Value {
		member := v.Get(key)
		trace.Tell(of, field, named(member))
		return member
	}
	i.sport = field(v.Get("sport_id"))
	i.home, i.away = nameIn(get("home", provider.FieldHome)), nameIn(get("away", provider.FieldAway))
	i.league = nameIn(get("league", provider.FieldLeague))
	i.status = get("time_status", provider.FieldStatus).Text()
	switch t := get("time", provider.FieldStartsAt); {
	case epoch(t) > 0:
		i.startsAt = football.Of(time.Unix(epoch(t), 0).UTC())
	case t.Kind() != strictjson.Absent:
		i.startsAt = football.NullField[time.Time]()
	}
	return i, i.id != ""
}

// named is what holds the name in {id, name}, and any other value itself.
func named(v strictjson.Value) strictjson.Value {
	if v.Kind() == strictjson.Object {
		return v.Get("name")
	}
	return v
}

// nameIn is the name in {id, name}; null when either holds no text.
func nameIn(v strictjson.Value) football.Field[string] {
	v = named(v)
	if k := v.Kind(); k != strictjson.String && k != strictjson.Absent {
		return football.NullField[string]()
	}
	return field(v)
}

// ReadListing implements provider.MarketAdapter for bet365/upcoming. A fixture
// met on two pages, as happens when the list moves while it is read, is one, as
// the later page says. Items without an id are counted; when no item has one the
// list is not what it was, which is an error.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	l := provider.Listing{Fixtures: make(map[string]provider.ListedFixture)}
	r := listingReader{filtered: make(map[string]string)}
	for _, p := range pages {
		if err := r.page(&l, p); err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", endpointUpcoming, p.Number, err)
		}
	}
	var rules tally
	for _, rule := range r.filtered {
		rules.add(rule)
	}
	l.Filtered, l.Broken, l.Unknown = rules, r.broken, r.unknown
	return l, nil
}

type listingReader struct {
	doc      strictjson.Document
	filtered map[string]string // rule by fixture id
	broken   tally
	unknown  tally
}

func (r *listingReader) page(l *provider.Listing, p provider.Payload) error {
	results, err := readResults(&r.doc, p.Body)
	if err != nil {
		return err
	}
	items, read := 0, 0
	for v := range results.Items() {
		items++
		i, ok := readItem(v, p.Trace)
		if !ok {
			r.broken.add("without an id")
			continue
		}
		read++
		r.keep(l, &i, p.FetchedAt)
		for name := range v.Members() {
			if !itemFields[name] {
				r.unknown.add("item." + name)
			}
		}
		if i.startsAt.State() == football.Null {
			r.unknown.add("item.time without a time")
		}
	}
	return withoutIDs(items, read)
}

// withoutIDs is the error for a page of which no item could be read.
func withoutIDs(items, read int) error {
	if items > 0 && read == 0 {
		return fmt.Errorf("a listing of %d items, and none has an id: its shape has changed", items)
	}
	return nil
}

func (r *listingReader) keep(l *provider.Listing, i *item, fetched time.Time) {
	if rule := filterOf(i); rule != "" {
		r.filtered[i.id] = rule
		delete(l.Fixtures, i.id)
		return
	}
	delete(r.filtered, i.id)
	l.Fixtures[i.id] = provider.ListedFixture{
		ProviderID: i.id, Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt,
		Over: over[i.status], FetchedAt: fetched,
	}
}
