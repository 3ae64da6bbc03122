package feed

import (
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/publish/football"
)

// Damaged parts of a list or of matches in play. They contain no text of the payload.
const (
	itemRepeats = "item: a key twice"
	itemName    = "item: a name is no text"
	itemTime    = "item: a time that is not RFC 3339 with a zone"
	itemStatus  = "item: a status that is none"
)

var fixtureFields = decode.Set(api.KeyID, api.KeyHome, api.KeyAway, api.KeyLeague, api.KeyStart, api.KeyStatus)

// statuses are the states of fixtures, in lists and in play.
var statuses = map[string]input.PlayStatus{
	api.NotStarted: input.NotStarted, api.InPlay: input.InPlay, api.Halted: input.Halted, api.Over: input.Over, api.Off: input.Off,
}

// fixture is one fixture of a list or of matches in play.
type fixture struct{ decode.Item }

// fixtureID returns the id of an item, "" if it has none.
func fixtureID(v strictjson.Value) string {
	id, once := v.Once(api.KeyID)
	if !once || id.Kind() != strictjson.String || !isFixtureID(id.Text()) {
		return ""
	}
	return id.Text()
}

// readFixture reads one fixture and counts its damaged parts. broken is why it cannot be
// used at all, "" if it can.
func readFixture(v strictjson.Value, trace *provider.Trace, damaged *decode.Counts) (f fixture, broken string) {
	if f.ID = fixtureID(v); f.ID == "" {
		return f, "without an id"
	}
	if v.Repeats() {
		damaged.Add(itemRepeats)
	}
	of := provider.Subject{Fixture: f.ID}
	trace.Report(of, provider.FieldThing, v)
	for _, key := range [...]string{api.KeyHome, api.KeyAway, api.KeyLeague, api.KeyStart, api.KeyStatus} { // as fields of a trace are called
		trace.Report(of, key, v.Get(key))
	}
	name := func(key string) football.Field[string] {
		name, ok := damaged.Name(v, key, itemName)
		if !ok {
			f.Damaged = append(f.Damaged, decode.Head(v.Get(key).Text(), decode.MaxSigns))
			return football.NullField[string]()
		}
		return name
	}
	f.Home, f.Away, f.League = name(api.KeyHome), name(api.KeyAway), name(api.KeyLeague)
	f.StartsAt = readTime(v, api.KeyStart, damaged)
	status, _ := v.Once(api.KeyStatus)
	if f.State = status.Text(); status.Kind() != strictjson.String || f.State != "" && !isStatus(f.State) {
		damaged.Add(itemStatus)
	}
	return f, ""
}

func isStatus(text string) bool {
	_, is := statuses[text]
	return is
}

// readTime reads a time with its zone, in its three states, and counts one that is none.
func readTime(v strictjson.Value, key string, damaged *decode.Counts) football.Field[time.Time] {
	member, once := v.Once(key)
	switch member.Kind() {
	case strictjson.Absent:
		return football.Field[time.Time]{}
	case strictjson.String:
		t, err := time.Parse(time.RFC3339, member.Text())
		if t = t.UTC(); err == nil && once && t.Year() >= 2000 && t.Year() < 2100 {
			return football.Of(t.Truncate(time.Millisecond))
		}
	}
	if member.Kind() != strictjson.Null || !once {
		damaged.Add(itemTime)
	}
	return football.NullField[time.Time]()
}

// ReadListing implements provider.MarketAdapter. The account's mapping table is among the
// payloads if it has one.
func (a marketAdapter) ReadListing(pages []provider.Payload) (l provider.Listing, err error) {
	r := decode.NewListing()
	d := decode.Document()
	defer decode.Release(d)
	own := table()
	for _, p := range pages {
		if p.Endpoint == provider.EndpointMapping {
			if own, err = ParseTable(string(p.Body)); err != nil {
				return l, fmt.Errorf("the account's mapping table: %w", err)
			}
			continue
		}
		root, err := decode.Root(d, p)
		if err != nil {
			return l, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		for v := range root.Get(api.KeyFixtures).Items() {
			f, broken := readFixture(v, p.Trace, &r.Damaged)
			if !r.Count(broken) {
				continue
			}
			var format decode.Format
			format.Compare(v, "fixture", fixtureFields, api.KeyStatus)
			status := statuses[f.State]
			r.Keep(provider.ListedFixture{Fixture: f.Fixture(a.name, p.FetchedAt), Over: status == input.Over || status == input.Off,
				InPlay: status == input.InPlay || status == input.Halted}, f.Rule(), format)
		}
	}
	l, err = r.Result(api.EndpointFixtures)
	l.Table = own
	return l, err
}
