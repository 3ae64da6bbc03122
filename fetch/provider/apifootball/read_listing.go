package apifootball

import (
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/publish/football"
)

var (
	itemFields    = decode.Set("fixture", "league", "teams", "goals", "score", "events", "lineups", "statistics", "players")
	fixtureFields = decode.Set("id", "referee", "timezone", "date", "timestamp", "periods", "venue", "status")
)

// over are the states in which a fixture has left the active surface.
var over = decode.Set(api.StatusFullTime, api.StatusAfterExtra, api.StatusAfterPens, api.StatusPostponed, api.StatusCancelled, api.StatusAbandoned,
	api.StatusAwarded, api.StatusWalkover)

// readItem reads one item of a list and counts its damaged parts. broken is why it cannot
// be used at all, "" if it can.
func readItem(v strictjson.Value, trace *provider.Trace, damaged *decode.Counts) (i decode.Item, broken string) {
	fixture, onceFixture := v.Once("fixture")
	id, once := fixture.Once("id")
	switch {
	case v.Kind() != strictjson.Object || fixture.Kind() != strictjson.Object:
		return i, "not an object"
	case !once || !onceFixture:
		return i, "an id twice"
	}
	if i.ID = identifier(id); i.ID == "" {
		return i, "without an id"
	}
	if v.Repeats() || fixture.Repeats() {
		damaged.Add(itemRepeats)
	}
	of := provider.Subject{Fixture: i.ID}
	trace.Report(of, provider.FieldThing, v)
	teams := v.Get("teams")
	i.Home, i.HomeID = nameOf(&i, teams.Get("home"), damaged), identifier(teams.Get("home").Get("id"))
	i.Away, i.AwayID = nameOf(&i, teams.Get("away"), damaged), identifier(teams.Get("away").Get("id"))
	i.League = nameOf(&i, v.Get("league"), damaged)
	if trace != nil {
		trace.Report(of, provider.FieldHome, teams.Get("home").Get("name"))
		trace.Report(of, provider.FieldAway, teams.Get("away").Get("name"))
		trace.Report(of, provider.FieldLeague, v.Get("league").Get("name"))
		trace.Report(of, provider.FieldStatus, fixture.Get("status").Get("short"))
		trace.Report(of, provider.FieldStartsAt, fixture.Get("timestamp"))
	}
	i.State = damaged.Text(fixture.Get("status"), "short", itemStatus).Or("")
	i.StartsAt = startOf(fixture, damaged)
	return i, ""
}

// startOf reads the kick-off: timestamp is independent of the time zone of the date.
func startOf(fixture strictjson.Value, damaged *decode.Counts) football.Field[time.Time] {
	const earliest, latest = 900_000_000, 9_999_999_999
	v, once := fixture.Once("timestamp")
	seconds, ok := decode.Whole(v, latest)
	switch {
	case once && ok && seconds >= earliest:
		return football.Of(time.Unix(int64(seconds), 0).UTC())
	case v.Kind() == strictjson.Absent:
		return football.Field[time.Time]{}
	case v.Kind() != strictjson.Null:
		damaged.Add(itemTime)
	}
	return football.NullField[time.Time]()
}

// nameOf reads the name in {id, name}; null if it is no text. The value in its place is kept
// for the filter.
func nameOf(i *decode.Item, v strictjson.Value, damaged *decode.Counts) football.Field[string] {
	name, once := v.Once("name")
	switch {
	case v.Kind() == strictjson.Object && once && name.Kind() == strictjson.String, v.Kind() == strictjson.Absent, v.Kind() == strictjson.Null,
		v.Kind() == strictjson.Object && once && (name.Kind() == strictjson.Null || name.Kind() == strictjson.Absent):
		return decode.Field(name)
	}
	damaged.Add(itemName)
	i.Damaged = append(i.Damaged, decode.Head(v.Text(), decode.MaxSigns))
	return football.NullField[string]()
}

// ReadListing implements provider.MarketAdapter for the lists of several days. A fixture
// on the lists of two days was moved.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	r := decode.NewListing()
	var doc strictjson.Document
	for _, p := range pages {
		envelope, items, err := readEnvelope(&doc, p)
		if err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", api.EndpointFixtures, p.Number, err)
		}
		if _, ok := readPaging(envelope); !ok {
			r.AddDamage(pagingBroken)
		}
		for v := range items.Items() {
			i, broken := readItem(v, p.Trace, &r.Damaged)
			if !r.Count(broken) {
				continue
			}
			r.Keep(provider.ListedFixture{Over: over[i.State], InPlay: inPlay[i.State], Fixture: i.Fixture(Name, p.FetchedAt)}, i.Rule(), formatOf(v))
		}
	}
	return r.Result(api.EndpointFixtures)
}

// formatOf compares an item of a list with the known format.
func formatOf(v strictjson.Value) (f decode.Format) {
	fixture, teams := v.Get("fixture"), v.Get("teams")
	f.Compare(v, "item", itemFields, "league", "teams")
	f.Compare(fixture, "fixture", fixtureFields, "timestamp", "status")
	f.CompareNamed(v.Get("league"))
	f.CompareNamed(teams.Get("home"))
	f.CompareNamed(teams.Get("away"))
	f.Changed = f.Changed || teams.Len() > 0 && decode.LacksAny(teams, "home", "away") || fixture.Get("status").Len() > 0 && decode.LacksAny(fixture.Get("status"), "short")
	f.Null = f.Null || decode.HasNull(teams, "home", "away") || decode.HasNull(fixture.Get("status"), "short")
	return f
}

// playStatuses are the states of fixture.status.short.
//
// Source: provider notes, section 3.
var playStatuses = map[string]input.PlayStatus{
	api.StatusToBeFixed: input.NotStarted, api.StatusNotStarted: input.NotStarted,
	api.StatusFirstHalf: input.InPlay, api.StatusHalfTime: input.InPlay, api.StatusSecondHalf: input.InPlay, api.StatusExtraTime: input.InPlay,
	api.StatusBreak: input.InPlay, api.StatusShootout: input.InPlay, api.StatusLive: input.InPlay,
	api.StatusSuspended: input.Halted, api.StatusInterrupted: input.Halted,
	api.StatusFullTime: input.Over, api.StatusAfterExtra: input.Over, api.StatusAfterPens: input.Over,
	api.StatusPostponed: input.Off, api.StatusCancelled: input.Off, api.StatusAbandoned: input.Off, api.StatusAwarded: input.Off, api.StatusWalkover: input.Off,
}

// inPlay are the states in which a match is in play or halted.
var inPlay = func() map[string]bool {
	states := make(map[string]bool)
	for code, status := range playStatuses {
		states[code] = status == input.InPlay || status == input.Halted
	}
	return states
}()
