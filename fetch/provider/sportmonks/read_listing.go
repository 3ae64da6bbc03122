package sportmonks

import (
	"fmt"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
	"mkt/publish/football"
)

// item is one fixture as a list shows it.
type item struct {
	id                 string
	sport              football.Field[string]
	home, away, league football.Field[string]
	homeID, awayID     string
	state              string
	startsAt           football.Field[time.Time]
	withoutOdds        bool // the provider says that there are none
}

// itemFields are the members of an item that have been met; others are counted.
var itemFields = map[string]bool{
	"id": true, "sport_id": true, "league_id": true, "season_id": true, "stage_id": true, "group_id": true, "aggregate_id": true,
	"round_id": true, "state_id": true, "venue_id": true, "name": true, "home_score": true, "away_score": true, "starting_at": true,
	"result_info": true, "leg": true, "details": true, "length": true, "placeholder": true, "last_processed_at": true, "has_odds": true,
	"has_premium_odds": true, "starting_at_timestamp": true, "participants": true, "league": true, "state": true, "scores": true,
	"periods": true, "statistics": true, "events": true, "odds": true, "comments": true, "lineups": true, "referees": true, "timeline": true,
}

// over are the states in which a fixture has left the active surface.
var over = map[string]bool{
	wire.StateFullTime: true, wire.StateAfterExtra: true, wire.StateAfterPenalties: true, wire.StatePostponed: true, wire.StateCancelled: true,
	wire.StateWalkover: true, wire.StateAbandoned: true, wire.StateAwarded: true, wire.StateDeleted: true,
}

// frozen are the states in which prematch prices do not move any more.
var frozen = map[string]bool{
	wire.StateFirstHalf: true, wire.StateHalfTime: true, wire.StateBreak: true, wire.StateExtraTime: true, wire.StatePenalties: true,
	wire.StateSuspended: true, wire.StateInterrupted: true, wire.StateAwaiting: true, wire.StateExtraBreak: true, wire.StateSecondHalf: true,
	wire.StateExtraSecond: true, wire.StatePenaltyBreak: true, wire.StatePending: true,
}

// readItem reads one item and counts what of it is damaged. broken says why it cannot
// be used at all, "" if it can.
func readItem(v strictjson.Value, trace *provider.Trace, damaged *tally) (i item, broken string) {
	if v.Kind() != strictjson.Object {
		return i, "not an object"
	}
	id, once := v.Once("id")
	switch i.id = identifier(id); {
	case !once:
		return i, "an id twice"
	case i.id == "":
		return i, "without an id"
	}
	if v.Repeats() {
		damaged.add(itemRepeats)
	}
	of := provider.Subject{Fixture: i.id}
	trace.Report(of, provider.FieldThing, v)
	i.sport = sportOf(v, damaged)
	trace.Report(of, provider.FieldStatus, v.Get("state_id"))
	i.state = damaged.text(v, "state_id", itemState).Or("")
	i.withoutOdds = v.Get("has_odds").Kind() == strictjson.False
	i.startsAt = startOf(v, trace.For(i.id), of, damaged)
	i.readTeams(v, trace.For(i.id), of, damaged)
	league, once := v.Once("league")
	i.league = nameIn(league, once, itemLeague, damaged)
	if trace != nil {
		trace.Report(of, provider.FieldLeague, league.Get("name"))
	}
	return i, ""
}

// sportOf is the sport of an item. Of two the one that is not football counts: a
// fixture must be of football to be kept.
func sportOf(v strictjson.Value, damaged *tally) football.Field[string] {
	sport := damaged.text(v, "sport_id", itemSport)
	if !v.Repeats() {
		return sport
	}
	for key, member := range v.Members() {
		if key == "sport_id" && field(member).Or(wire.SportID) != wire.SportID {
			return field(member)
		}
	}
	return sport
}

// startOf is the kick-off: seconds since 1970, or else the text in UTC.
func startOf(v strictjson.Value, trace *provider.Trace, of provider.Subject, damaged *tally) football.Field[time.Time] {
	stamp, once := v.Once("starting_at_timestamp")
	if at, ok := epoch(stamp); ok && once {
		trace.Report(of, provider.FieldStartsAt, stamp)
		return football.Of(at)
	}
	text, onceText := v.Once("starting_at")
	trace.Report(of, provider.FieldStartsAt, text)
	if at, err := time.Parse(wire.TimeForm, text.Text()); err == nil && text.Kind() == strictjson.String && onceText && stamp.Kind() <= strictjson.Null {
		return football.Of(at)
	}
	switch {
	case stamp.Kind() == strictjson.Absent && text.Kind() == strictjson.Absent:
		return football.Field[time.Time]{}
	case stamp.Kind() > strictjson.Null || text.Kind() > strictjson.Null:
		damaged.add(itemTime)
	}
	return football.NullField[time.Time]()
}

// readTeams reads the participants. Their sides stand in their location alone: the
// order of the list says nothing. Two teams of one side are none.
func (i *item) readTeams(v strictjson.Value, trace *provider.Trace, of provider.Subject, damaged *tally) {
	list, once := v.Once("participants")
	switch list.Kind() {
	case strictjson.Absent:
		return
	case strictjson.Array:
	default:
		once = false
	}
	i.home, i.away = football.NullField[string](), football.NullField[string]()
	if !once {
		if list.Kind() != strictjson.Null {
			damaged.add(itemTeams)
		}
		return
	}
	homes, aways := 0, 0
	for p := range list.Items() {
		name, onceName := p.Once("name")
		location, onceLocation := p.Get("meta").Once("location")
		if p.Kind() != strictjson.Object || !onceName || !onceLocation || location.Kind() != strictjson.String {
			damaged.add(itemTeams)
			continue
		}
		switch location.Text() {
		case wire.SideHome:
			homes++
			i.home, i.homeID = nameIn(p, true, itemTeams, damaged), identifier(p.Get("id"))
			trace.Report(of, provider.FieldHome, name)
		case wire.SideAway:
			aways++
			i.away, i.awayID = nameIn(p, true, itemTeams, damaged), identifier(p.Get("id"))
			trace.Report(of, provider.FieldAway, name)
		default:
			damaged.add(itemTeams)
		}
	}
	if homes > 1 {
		i.home, i.homeID = football.NullField[string](), ""
	}
	if aways > 1 {
		i.away, i.awayID = football.NullField[string](), ""
	}
	if homes > 1 || aways > 1 {
		damaged.add(itemTeams)
	}
}

// nameIn is the member name of an object: null when there is no text.
func nameIn(v strictjson.Value, once bool, kind string, damaged *tally) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	name, onceInside := v.Once("name")
	if v.Kind() == strictjson.Null {
		return football.NullField[string]()
	}
	if k := name.Kind(); v.Kind() != strictjson.Object || !once || !onceInside || k != strictjson.String && k != strictjson.Null && k != strictjson.Absent {
		damaged.add(kind)
		return football.NullField[string]()
	}
	return field(name)
}

// fixture is what the item says of a fixture.
func (i *item) fixture(fetched time.Time) football.Fixture {
	return football.Fixture{Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt, Provider: Name, ProviderFixtureID: i.id, FetchedAt: fetched}
}

// ReadListing implements provider.MarketAdapter. A fixture met on two pages, as
// happens when the list moves while it is read, is one, as the later page says. Items
// without an id are counted; when of several items none has one the list is not what
// it was, which is an error.
func (adapter) ReadListing(pages []provider.Payload) (provider.Listing, error) {
	l := provider.Listing{Fixtures: make(map[string]provider.ListedFixture)}
	r := listingReader{filtered: make(map[string]string)}
	for _, p := range pages {
		if err := r.page(&l, p); err != nil {
			return provider.Listing{}, fmt.Errorf("%s payload %d: %w", wire.EndpointBetween, p.Number, err)
		}
	}
	if err := withoutIDs(r.items, r.read); err != nil {
		return provider.Listing{}, fmt.Errorf("%s: %w", wire.EndpointBetween, err)
	}
	var rules tally
	for _, rule := range r.filtered {
		rules.add(rule)
	}
	l.Filtered, l.Broken, l.Unknown, l.Damaged = rules, r.broken, r.unknown, r.damaged
	return l, nil
}

type listingReader struct {
	doc                      strictjson.Document
	items, read              int
	filtered                 map[string]string // rule by fixture id
	broken, unknown, damaged tally
}

func (r *listingReader) page(l *provider.Listing, p provider.Payload) error {
	data, err := readData(&r.doc, p.Body)
	if err != nil {
		return err
	}
	for v := range itemsOf(data) {
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

func (r *listingReader) keep(l *provider.Listing, i *item, fetched time.Time) {
	if rule := filterOf(i); rule != "" {
		r.filtered[i.id] = rule
		delete(l.Fixtures, i.id)
		return
	}
	delete(r.filtered, i.id)
	l.Fixtures[i.id] = provider.ListedFixture{Over: over[i.state], Fixture: i.fixture(fetched)}
}

// withoutIDs is the error for a list of which no item could be read. A single item
// may be damaged; several are another shape.
func withoutIDs(items, read int) error {
	if items > 1 && read == 0 {
		return fmt.Errorf("a list of %d items, and none has an id: its shape has changed", items)
	}
	return nil
}
