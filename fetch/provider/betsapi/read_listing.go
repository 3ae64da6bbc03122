package betsapi

import (
	"fmt"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/publish/football"
)

// itemFields are the fields of an item seen so far; others are counted.
var itemFields = decode.Set("id", "sport_id", "time", "time_status", "league", "home", "away", "ss",
	"our_event_id", "r_id", "ev_id", "updated_at", "odds_updated_at",
	"o_home", "o_away", "extra")

// over are the states in which a fixture has left the active surface.
var over = decode.Set(api.StatusEnded, api.StatusPostponed, api.StatusCancelled, api.StatusWalkover, api.StatusAbandoned,
	api.StatusRetired, api.StatusDecided, api.StatusRemoved)

// frozen are the states in which prematch prices do not move any more.
var frozen = decode.Set(api.StatusInPlay, api.StatusInterrupted, api.StatusSuspended)

// readItem reads one item of a list and counts its damaged parts. broken is why it
// cannot be used at all, "" if it can.
func readItem(v strictjson.Value, trace *provider.Trace, damaged *decode.Counts) (i decode.Item, broken string) {
	if i.ID, broken = itemID(v); broken != "" {
		return i, broken
	}
	if v.Repeats() {
		damaged.Add(itemRepeats)
	}
	of := provider.Subject{Fixture: i.ID}
	trace.Report(of, provider.FieldThing, v)
	report := func(key, field string) {
		if trace != nil {
			trace.Report(of, field, named(v.Get(key)))
		}
	}
	i.OtherSport = damaged.IsOtherSport(v, api.SportFootball, itemOtherID)
	report("home", provider.FieldHome)
	report("away", provider.FieldAway)
	report("league", provider.FieldLeague)
	i.Home, i.Away, i.League = nameOf(&i, v, "home", damaged), nameOf(&i, v, "away", damaged), nameOf(&i, v, "league", damaged)
	report("time_status", provider.FieldStatus)
	i.State = damaged.Text(v, "time_status", itemStatus).Or("")
	report("time", provider.FieldStartsAt)
	t, once := v.Once("time")
	at, isTime := decode.Epoch(t)
	switch {
	case once && isTime:
		i.StartsAt = football.Of(at)
	case t.Kind() != strictjson.Absent:
		i.StartsAt = football.NullField[time.Time]()
		if once && (decode.IsWrong(t) || decode.Field(t).State() == football.Present) {
			damaged.Add(itemTime)
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
	if id = decode.ID(member); id == "" {
		return "", "without an id"
	}
	return id, ""
}

// nameOf reads the name in the member {id, name}, null if there is no text. Another value
// in its place is kept for the filter.
func nameOf(i *decode.Item, v strictjson.Value, key string, damaged *decode.Counts) football.Field[string] {
	member, once := v.Once(key)
	name, onceInside := member, true
	if member.Kind() == strictjson.Object {
		name, onceInside = member.Once("name")
	}
	wrong := name.Kind() != strictjson.String && name.Kind() != strictjson.Absent && name.Kind() != strictjson.Null
	if once && onceInside && !wrong {
		return decode.Field(name)
	}
	for k, m := range v.Members() {
		if k == key {
			i.Damaged = append(i.Damaged, decode.Head(m.Text(), decode.MaxSigns))
		}
	}
	if wrong || once {
		damaged.Add(itemName)
	}
	return football.NullField[string]()
}

// named is the value of the name in {id, name}, and any other value itself.
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
	return decode.Field(v)
}

// ReadListing implements provider.MarketAdapter for bet365/upcoming.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	r := decode.NewListing()
	var doc strictjson.Document
	for _, p := range pages {
		_, results, err := readEnvelope(&doc, p)
		if err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", api.EndpointUpcoming, p.Number, err)
		}
		for v := range results.Items() {
			i, broken := readItem(v, p.Trace, &r.Damaged)
			if !r.Count(broken) {
				continue
			}
			r.Keep(provider.ListedFixture{Over: over[i.State], Fixture: i.Fixture(Name, p.FetchedAt)}, i.Rule(), formatOf(v, itemFields))
		}
	}
	return r.Result(api.EndpointUpcoming)
}

// formatOf compares an item of a list with the known format.
func formatOf(v strictjson.Value, known map[string]bool) (f decode.Format) {
	f.Compare(v, "item", known, "league", "home", "away", "time", "time_status")
	for _, key := range []string{"league", "home", "away"} {
		f.CompareNamed(v.Get(key))
	}
	return f
}
