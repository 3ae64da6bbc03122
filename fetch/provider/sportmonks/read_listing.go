package sportmonks

import (
	"fmt"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/publish/football"
)

// item is one listed fixture.
type item struct {
	decode.Item
	withoutOdds bool // the provider says that there are none
}

// itemFields are the known members of an item; others are counted.
var itemFields = decode.Set("id", "sport_id", "league_id", "season_id", "stage_id", "group_id", "aggregate_id",
	"round_id", "state_id", "venue_id", "name", "home_score", "away_score", "starting_at",
	"result_info", "leg", "details", "length", "placeholder", "last_processed_at", "has_odds",
	"has_premium_odds", "starting_at_timestamp", "participants", "league", "state", "scores",
	"periods", "statistics", "events", "odds", "comments", "lineups", "referees", "timeline")

// over are the states in which a fixture has left the active surface.
var over = decode.Set(api.StateFullTime, api.StateAfterExtra, api.StateAfterPenalties, api.StatePostponed, api.StateCancelled,
	api.StateWalkover, api.StateAbandoned, api.StateAwarded, api.StateDeleted)

// frozen are the states in which prematch prices do not move any more.
var frozen = decode.Set(api.StateFirstHalf, api.StateHalfTime, api.StateBreak, api.StateExtraTime, api.StatePenalties,
	api.StateSuspended, api.StateInterrupted, api.StateAwaiting, api.StateExtraBreak, api.StateSecondHalf,
	api.StateExtraSecond, api.StatePenaltyBreak, api.StatePending)

// readItem reads one item and counts its damaged parts. broken is why it cannot be used
// at all, "" if it can.
func readItem(v strictjson.Value, trace *provider.Trace, damaged *decode.Counts) (i item, broken string) {
	if v.Kind() != strictjson.Object {
		return i, "not an object"
	}
	id, once := v.Once("id")
	switch i.ID = decode.ID(id); {
	case !once:
		return i, "an id twice"
	case i.ID == "":
		return i, "without an id"
	}
	if v.Repeats() {
		damaged.Add(itemRepeats)
	}
	of := provider.Subject{Fixture: i.ID}
	trace.Report(of, provider.FieldThing, v)
	i.OtherSport = damaged.IsOtherSport(v, api.SportID, itemSport)
	trace.Report(of, provider.FieldStatus, v.Get("state_id"))
	i.State = damaged.Text(v, "state_id", itemState).Or("")
	i.withoutOdds = v.Get("has_odds").Kind() == strictjson.False
	i.StartsAt = startOf(v, trace.For(i.ID), of, damaged)
	i.readTeams(v, trace.For(i.ID), of, damaged)
	league, once := v.Once("league")
	i.League = nameIn(league, once, itemLeague, damaged)
	if trace != nil {
		trace.Report(of, provider.FieldLeague, league.Get("name"))
	}
	return i, ""
}

// startOf reads the kick-off: seconds since 1970, or else the text in UTC.
func startOf(v strictjson.Value, trace *provider.Trace, of provider.Subject, damaged *decode.Counts) football.Field[time.Time] {
	stamp, once := v.Once("starting_at_timestamp")
	if at, ok := decode.Epoch(stamp); ok && once {
		trace.Report(of, provider.FieldStartsAt, stamp)
		return football.Of(at)
	}
	text, onceText := v.Once("starting_at")
	trace.Report(of, provider.FieldStartsAt, text)
	if at, err := time.Parse(api.TimeForm, text.Text()); err == nil && text.Kind() == strictjson.String && onceText && stamp.Kind() <= strictjson.Null {
		return football.Of(at)
	}
	switch {
	case stamp.Kind() == strictjson.Absent && text.Kind() == strictjson.Absent:
		return football.Field[time.Time]{}
	case stamp.Kind() > strictjson.Null || text.Kind() > strictjson.Null:
		damaged.Add(itemTime)
	}
	return football.NullField[time.Time]()
}

// readTeams reads the participants. Only their location says which side they are, and not
// the order of the list. If a side has two teams, it has no name.
func (i *item) readTeams(v strictjson.Value, trace *provider.Trace, of provider.Subject, damaged *decode.Counts) {
	list, once := v.Once("participants")
	switch list.Kind() {
	case strictjson.Absent:
		return
	case strictjson.Array:
	default:
		once = false
	}
	i.Home, i.Away = football.NullField[string](), football.NullField[string]()
	if !once {
		if list.Kind() != strictjson.Null {
			damaged.Add(itemTeams)
		}
		return
	}
	homes, aways := 0, 0
	for p := range list.Items() {
		name, onceName := p.Once("name")
		location, onceLocation := p.Get("meta").Once("location")
		if p.Kind() != strictjson.Object || !onceName || !onceLocation || location.Kind() != strictjson.String {
			damaged.Add(itemTeams)
			continue
		}
		switch location.Text() {
		case api.SideHome:
			homes++
			i.Home, i.HomeID = nameIn(p, true, itemTeams, damaged), decode.ID(p.Get("id"))
			trace.Report(of, provider.FieldHome, name)
		case api.SideAway:
			aways++
			i.Away, i.AwayID = nameIn(p, true, itemTeams, damaged), decode.ID(p.Get("id"))
			trace.Report(of, provider.FieldAway, name)
		default:
			damaged.Add(itemTeams)
		}
	}
	if homes > 1 {
		i.Home, i.HomeID = football.NullField[string](), ""
	}
	if aways > 1 {
		i.Away, i.AwayID = football.NullField[string](), ""
	}
	if homes > 1 || aways > 1 {
		damaged.Add(itemTeams)
	}
}

// nameIn reads the member name of an object: null if it is no text.
func nameIn(v strictjson.Value, once bool, kind string, damaged *decode.Counts) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	name, onceInside := v.Once("name")
	if v.Kind() == strictjson.Null {
		return football.NullField[string]()
	}
	if k := name.Kind(); v.Kind() != strictjson.Object || !once || !onceInside || k != strictjson.String && k != strictjson.Null && k != strictjson.Absent {
		damaged.Add(kind)
		return football.NullField[string]()
	}
	return decode.Field(name)
}

// ReadListing implements provider.MarketAdapter.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	r := decode.NewListing()
	var doc strictjson.Document
	for _, p := range pages {
		_, data, err := readEnvelope(&doc, p)
		if err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", api.EndpointBetween, p.Number, err)
		}
		for v := range itemsOf(data) {
			i, broken := readItem(v, p.Trace, &r.Damaged)
			if !r.Count(broken) {
				continue
			}
			r.Keep(provider.ListedFixture{Over: over[i.State], Fixture: i.Fixture(Name, p.FetchedAt)}, i.Rule(), formatOf(v))
		}
	}
	return r.Result(api.EndpointBetween)
}

// formatOf compares an item of a list with the known format.
func formatOf(v strictjson.Value) (f decode.Format) {
	f.Compare(v, "item", itemFields, "sport_id", "participants", "league", "state_id", "starting_at")
	f.CompareNamed(v.Get("league"))
	for p := range v.Get("participants").Items() {
		f.CompareNamed(p)
	}
	return f
}
