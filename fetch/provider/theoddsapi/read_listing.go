package theoddsapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/publish/football"
)

// The members of each part of an answer that are known; others are counted.
var (
	sportFields     = decode.Set(api.KeyKey, api.KeyGroup, "title", "description", api.KeyActive, api.KeyOutrights)
	eventFields     = decode.Set(api.KeyID, api.KeySport, api.KeyLeague, api.KeyStart, api.KeyHome, api.KeyAway, api.KeyBookmakers)
	bookmakerFields = decode.Set(api.KeyKey, api.KeyMarkets, "title", "last_update", "link", "sid")
	marketFields    = decode.Set(api.KeyKey, api.KeyOutcomes, "last_update", "link", "sid")
)

// event is one fixture, in a list of fixtures or in an answer about prices.
type event struct {
	decode.Item
	path string // the key of the competition whose list it was in
}

// readList parses an archived answer that is a list. It is an error if the bytes do not
// parse or are no list.
func readList(d *strictjson.Document, p provider.Payload) (strictjson.Value, error) {
	root, err := decode.Root(d, p)
	if err == nil && root.Kind() != strictjson.Array {
		return strictjson.Value{}, fmt.Errorf("the answer is no list")
	}
	return root, err
}

// readSport reads one competition. isFootball reports whether it is a competition of
// football that is active and has fixtures: nothing is requested of others. It is not ok
// if the item cannot be read.
func readSport(v strictjson.Value) (key string, isFootball, ok bool) {
	member, once := v.Once(api.KeyKey)
	key = member.Text()
	if v.Repeats() && !once || member.Kind() != strictjson.String {
		return "", false, false
	}
	group, active, outrights := v.Get(api.KeyGroup), v.Get(api.KeyActive), v.Get(api.KeyOutrights)
	if !strings.HasPrefix(key, api.PrefixSoccer) {
		return key, false, true
	}
	if !isKey(key) || !isFlag(active) || !isFlag(outrights) || group.Kind() != strictjson.String && group.Kind() != strictjson.Absent {
		return key, false, false
	}
	isFootball = (group.Kind() == strictjson.Absent || group.Text() == api.GroupSoccer) &&
		active.Kind() != strictjson.False && outrights.Kind() != strictjson.True
	return key, isFootball, true
}

// isFlag reports whether a value is true, false or absent.
func isFlag(v strictjson.Value) bool {
	k := v.Kind()
	return k == strictjson.True || k == strictjson.False || k == strictjson.Absent
}

// eventID returns the id of an event; broken is why it has none.
func eventID(v strictjson.Value) (id, broken string) {
	if v.Kind() != strictjson.Object {
		return "", "not an object"
	}
	member, once := v.Once(api.KeyID)
	if !once {
		return "", "an id twice"
	}
	if id = member.Text(); member.Kind() != strictjson.String || !isID(id) {
		return "", "without an id"
	}
	return id, ""
}

// isID reports whether a text can be a fixture's id. Recorded ones are 32 hexadecimal
// digits.
func isID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// readEvent reads one fixture and counts its damaged parts. broken is why it cannot be
// used at all, "" if it can.
func readEvent(v strictjson.Value, trace *provider.Trace, damaged *decode.Counts) (e event, broken string) {
	if e.ID, broken = eventID(v); broken != "" {
		return e, broken
	}
	if v.Repeats() {
		damaged.Add(eventRepeats)
	}
	of := provider.Subject{Fixture: e.ID}
	trace.Report(of, provider.FieldThing, v)
	trace.Report(of, provider.FieldHome, v.Get(api.KeyHome))
	trace.Report(of, provider.FieldAway, v.Get(api.KeyAway))
	trace.Report(of, provider.FieldLeague, v.Get(api.KeyLeague))
	trace.Report(of, provider.FieldStartsAt, v.Get(api.KeyStart))
	sport, isText := damaged.Name(v, api.KeySport, eventSport)
	e.OtherSport = isText && !strings.HasPrefix(sport.Or(api.PrefixSoccer), api.PrefixSoccer)
	e.Home, e.Away = damaged.Text(v, api.KeyHome, eventName), damaged.Text(v, api.KeyAway, eventName)
	e.League = damaged.Text(v, api.KeyLeague, eventName)
	switch t, once := v.Once(api.KeyStart); {
	case t.Kind() == strictjson.Absent:
	case once && !timeOf(t).IsZero():
		e.StartsAt = football.Of(timeOf(t))
	default:
		e.StartsAt = football.NullField[time.Time]()
		if once && (decode.IsWrong(t) || decode.Field(t).State() == football.Present) {
			damaged.Add(eventTime)
		}
	}
	return e, ""
}

// timeOf reads a time in ISO 8601 or in seconds since 1970; zero if it is not in this
// century.
func timeOf(v strictjson.Value) time.Time {
	var t time.Time
	switch v.Kind() {
	case strictjson.String:
		t, _ = time.Parse(time.RFC3339, v.Text())
	case strictjson.Number:
		if seconds, err := strconv.ParseInt(v.Text(), 10, 64); err == nil && seconds < 1<<33 {
			t = time.Unix(seconds, 0)
		}
	}
	if y := t.UTC().Year(); y < 2000 || y > 2100 {
		return time.Time{}
	}
	return t.UTC()
}

// ReadListing implements provider.MarketAdapter for the competitions and their
// fixtures.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	r := decode.NewListing()
	var doc strictjson.Document
	for _, p := range pages {
		list, err := readList(&doc, p)
		if err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		for v := range list.Items() {
			if p.Endpoint == api.EndpointSports {
				if _, _, ok := readSport(v); !ok {
					r.Count(sportNoShape)
				}
				r.Unknown.AddUnknown(v, "competition", sportFields)
				continue
			}
			e, broken := readEvent(v, p.Trace, &r.Damaged)
			if !r.Count(broken) {
				continue
			}
			var format decode.Format
			format.Compare(v, "fixture", eventFields, api.KeySport, api.KeyLeague, api.KeyStart, api.KeyHome, api.KeyAway)
			r.Keep(provider.ListedFixture{Fixture: e.Fixture(Name, p.FetchedAt)}, e.Rule(), format)
		}
	}
	return r.Result(api.EndpointEvents)
}

// adapter is the provider's market adapter. It has no state.
type adapter struct{ decode.MarketEndpoints }
