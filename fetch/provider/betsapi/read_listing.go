package betsapi

import (
	"fmt"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/publish/football"
)

// maxSigns bounds where in a damaged name the filter looks, in bytes.
const maxSigns = 4 << 10

// item is one listed fixture.
type item struct {
	id                 string // FI
	sport              football.Field[string]
	home, away, league football.Field[string]
	status             string
	startsAt           football.Field[time.Time]
	damaged            []string // what stands where a name should, for the filter
}

// itemFields are the fields of an item that have been seen; others are counted.
var itemFields = map[string]bool{
	"id": true, "sport_id": true, "time": true, "time_status": true, "league": true, "home": true, "away": true, "ss": true,
	"our_event_id": true, "r_id": true, "ev_id": true, "updated_at": true, "odds_updated_at": true,
	"o_home": true, "o_away": true, "extra": true,
}

// over are the states in which a fixture has left the active surface.
var over = map[string]bool{
	wire.StatusEnded: true, wire.StatusPostponed: true, wire.StatusCancelled: true, wire.StatusWalkover: true, wire.StatusAbandoned: true,
	wire.StatusRetired: true, wire.StatusDecided: true, wire.StatusRemoved: true,
}

// frozen are the states in which prematch prices do not move any more.
var frozen = map[string]bool{wire.StatusInPlay: true, wire.StatusInterrupted: true, wire.StatusSuspended: true}

// readItem reads one item of a list and counts its damaged parts. broken is why it
// cannot be used at all, "" if it can.
func readItem(v strictjson.Value, trace *provider.Trace, damaged *tally) (i item, broken string) {
	if i.id, broken = itemID(v); broken != "" {
		return i, broken
	}
	if v.Repeats() {
		damaged.add(itemRepeats)
	}
	of := provider.Subject{Fixture: i.id}
	trace.Report(of, provider.FieldThing, v)
	report := func(key, field string) {
		if trace != nil {
			trace.Report(of, field, named(v.Get(key)))
		}
	}
	i.sport = sportOf(v, damaged)
	report("home", provider.FieldHome)
	report("away", provider.FieldAway)
	report("league", provider.FieldLeague)
	i.home, i.away, i.league = i.name(v, "home", damaged), i.name(v, "away", damaged), i.name(v, "league", damaged)
	report("time_status", provider.FieldStatus)
	i.status = damaged.text(v, "time_status", itemStatus).Or("")
	report("time", provider.FieldStartsAt)
	switch t, once := v.Once("time"); {
	case once && epoch(t) > 0:
		i.startsAt = football.Of(time.Unix(epoch(t), 0).UTC())
	case t.Kind() != strictjson.Absent:
		i.startsAt = football.NullField[time.Time]()
		if once && (isWrong(t) || field(t).State() == football.Present) {
			damaged.add(itemTime)
		}
	}
	return i, ""
}

// itemID is the id of an item. broken says why there is none to be believed.
func itemID(v strictjson.Value) (id, broken string) {
	if v.Kind() != strictjson.Object {
		return "", "not an object"
	}
	member, once := v.Once("id")
	if !once {
		return "", "an id twice"
	}
	if id = identifier(member); id == "" {
		return "", "without an id"
	}
	return id, ""
}

// sportOf is the sport of an item. Of two the one that is not football counts: a
// fixture must be of football to be kept.
func sportOf(v strictjson.Value, damaged *tally) football.Field[string] {
	sport := damaged.text(v, "sport_id", itemOtherID)
	if !v.Repeats() {
		return sport
	}
	for key, member := range v.Members() {
		if key == "sport_id" && field(member).Or(wire.SportFootball) != wire.SportFootball {
			return field(member)
		}
	}
	return sport
}

// name reads the name in the member {id, name}, null if there is no text. What
// stands there instead is kept for the filter.
func (i *item) name(v strictjson.Value, key string, damaged *tally) football.Field[string] {
	member, once := v.Once(key)
	name, onceInside := member, true
	if member.Kind() == strictjson.Object {
		name, onceInside = member.Once("name")
	}
	wrong := name.Kind() != strictjson.String && name.Kind() != strictjson.Absent && name.Kind() != strictjson.Null
	if once && onceInside && !wrong {
		return field(name)
	}
	for k, m := range v.Members() {
		if k == key {
			i.damaged = append(i.damaged, head(m.Text(), maxSigns))
		}
	}
	if wrong || once {
		damaged.add(itemName)
	}
	return football.NullField[string]()
}

// named is what holds the name in {id, name}, and any other value itself.
func named(v strictjson.Value) strictjson.Value {
	if v.Kind() == strictjson.Object {
		return v.Get("name")
	}
	return v
}

// nameIn is the name in {id, name}; null if either holds no text.
func nameIn(v strictjson.Value) football.Field[string] {
	v = named(v)
	if k := v.Kind(); k != strictjson.String && k != strictjson.Absent {
		return football.NullField[string]()
	}
	return field(v)
}

// ReadListing implements provider.MarketAdapter for bet365/upcoming. A fixture that is
// on two pages, which happens if the list moves while it is read, is read from the
// later one. Items without an id are counted; when of several items none
// has one the list is not what it was, which is an error.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	l := provider.Listing{Fixtures: make(map[string]provider.ListedFixture)}
	r := listingReader{filtered: make(map[string]string)}
	for _, p := range pages {
		if err := r.page(&l, p); err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", wire.EndpointUpcoming, p.Number, err)
		}
	}
	if err := withoutIDs(r.items, r.read); err != nil {
		return provider.Listing{}, fmt.Errorf("%s: %w", wire.EndpointUpcoming, err)
	}
	var rules tally
	for _, rule := range r.filtered {
		rules.add(rule)
	}
	l.Filtered, l.Broken, l.Unknown, l.Damaged = rules, r.broken, r.unknown, r.damaged
	return l, nil
}

type listingReader struct {
	doc         strictjson.Document
	items, read int
	filtered    map[string]string // rule by fixture id
	broken      tally
	unknown     tally
	damaged     tally
}

func (r *listingReader) page(l *provider.Listing, p provider.Payload) error {
	results, err := readResults(&r.doc, p.Body)
	if err != nil {
		return err
	}
	for v := range results.Items() {
		r.items++
		i, broken := readItem(v, p.Trace, &r.damaged)
		if broken != "" {
			r.broken.add(broken)
			continue
		}
		r.read++
		r.keep(l, &i, p.FetchedAt)
		for name := range v.Members() {
			if !itemFields[name] {
				r.unknown.add("item." + name)
			}
		}
	}
	return nil
}

// withoutIDs is the error for a list of which no item could be read. A single item
// may be damaged; several are another shape.
func withoutIDs(items, read int) error {
	if items > 1 && read == 0 {
		return fmt.Errorf("a list of %d items, and none has an id: its shape has changed", items)
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
	l.Fixtures[i.id] = provider.ListedFixture{Over: over[i.status], Fixture: football.Fixture{
		Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt,
		Provider: Name, ProviderFixtureID: i.id, FetchedAt: fetched,
	}}
}
