package apifootball

import (
	"fmt"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/wire"
	"mkt/publish/football"
)

// playStatuses are the states of fixture.status.short.
//
// Source: provider notes, section 3.
var playStatuses = map[string]input.PlayStatus{
	wire.StatusToBeFixed: input.NotStarted, wire.StatusNotStarted: input.NotStarted,
	wire.StatusFirstHalf: input.InPlay, wire.StatusHalfTime: input.InPlay, wire.StatusSecondHalf: input.InPlay, wire.StatusExtraTime: input.InPlay,
	wire.StatusBreak: input.InPlay, wire.StatusShootout: input.InPlay, wire.StatusLive: input.InPlay,
	wire.StatusSuspended: input.Halted, wire.StatusInterrupted: input.Halted,
	wire.StatusFullTime: input.Over, wire.StatusAfterExtra: input.Over, wire.StatusAfterPens: input.Over,
	wire.StatusPostponed: input.Off, wire.StatusCancelled: input.Off, wire.StatusAbandoned: input.Off, wire.StatusAwarded: input.Off, wire.StatusWalkover: input.Off,
}

// inPlay are the states in which a match is under way, or halted.
var inPlay = func() map[string]bool {
	states := make(map[string]bool)
	for code, status := range playStatuses {
		states[code] = status == input.InPlay || status == input.Halted
	}
	return states
}()

// ReadList implements provider.LiveAdapter.
func (liveAdapter) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	return readLive(pages)
}

// ReadDetail implements provider.LiveAdapter.
func (liveAdapter) ReadDetail(p provider.Payload) (provider.LiveSheet, error) {
	return readLive([]provider.Payload{p})
}

// liveReader reads the items of live payloads.
type liveReader struct {
	sheet    provider.LiveSheet
	place    map[string]int // of an item in the samples, by its id
	filtered map[string]string
	items    int // met, and those of them with an id
	known    int
	broken   tally
	damaged  tally
	unknown  tally
	trace    *provider.Trace
	of       provider.Subject // the item at hand
}

// tell notes where something of the item at hand was read.
func (r *liveReader) tell(field, which string, v strictjson.Value) {
	if r.trace != nil {
		r.trace.Report(r.of, field+which, v)
	}
}

func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{place: make(map[string]int), filtered: make(map[string]string), sheet: provider.LiveSheet{Complete: len(pages) > 0}}
	var doc strictjson.Document
	for _, p := range pages {
		items, err := readResponse(&doc, p.Body)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		said, ok := readPaging(doc.Root())
		if !ok {
			r.damaged.add(pagingBroken)
		}
		r.sheet.Complete = r.sheet.Complete && ok && said.total <= 1
		r.page(items, p)
	}
	if err := withoutIDs(r.items, r.known); err != nil {
		return provider.LiveSheet{}, fmt.Errorf("%s: %w", pages[0].Endpoint, err)
	}
	var rules tally
	for _, rule := range r.filtered {
		rules.add(rule)
	}
	r.sheet.Filtered, r.sheet.Broken, r.sheet.Damaged, r.sheet.Unknown = rules, r.broken, r.damaged, r.unknown
	r.sheet.Complete = r.sheet.Complete && len(r.broken) == 0
	return r.sheet, nil
}

// page reads the items of one payload: what is no football played by people is counted
// and left out before anything else is read of it.
func (r *liveReader) page(items strictjson.Value, p provider.Payload) {
	for v := range items.Items() {
		r.items++
		i, broken := readItem(v, p.Trace, &r.damaged)
		if broken != "" {
			r.broken.add(broken)
			continue
		}
		r.known++
		_, twice := r.place[i.id]
		if twice || r.filtered[i.id] != "" { // which of the two is true is not known: the first stands
			r.damaged.add(fixtureTwice)
			r.sheet.Complete = false
			continue
		}
		if rule := filterOf(&i); rule != "" {
			r.filtered[i.id] = rule
			continue
		}
		status, ok := playStatuses[i.status]
		if !ok {
			r.broken.add("unknown status")
			continue
		}
		r.trace, r.of = p.Trace, provider.Subject{Fixture: i.id}
		s := input.Sample{ProviderFixtureID: i.id, ProviderEventID: i.id, Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt,
			RetrievedAt: p.FetchedAt, Status: status, Score: r.score(v), Clock: r.clock(v, i.status)}
		r.tell(provider.FieldFixtureID, "", v.Get("fixture").Get("id"))
		s.Counters, s.CountersNotAsked = r.statistics(v, &i)
		s.Incidents = r.events(v, &i)
		r.unknown.unmet(v, "item", itemFields)
		r.place[i.id] = len(r.sheet.Samples)
		r.sheet.Samples = append(r.sheet.Samples, s)
	}
}

// maxGoals and maxMinute bound what is read.
const (
	maxGoals  = 200
	maxMinute = 200
)

// score reads the member goals: the match without the shoot-out.
func (r *liveReader) score(item strictjson.Value) football.Score {
	v, once := item.Once("goals")
	r.tell(provider.FieldScore, "", v)
	if v.Kind() != strictjson.Object && !isEmpty(v) || !once {
		r.damaged.add(itemScore)
		return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
	}
	return football.Score{Home: r.number(v, "home", maxGoals, itemScore), Away: r.number(v, "away", maxGoals, itemScore)}
}

// number keeps the three states of a whole number. What was sent and is none is counted
// as kind, and holds no value.
func (r *liveReader) number(object strictjson.Value, key string, most int, kind string) football.Field[int] {
	v, once := object.Once(key)
	n, ok := whole(v, most)
	switch {
	case v.Kind() == strictjson.Absent:
		return football.Field[int]{}
	case once && ok:
		return football.Of(n)
	case !once || v.Kind() != strictjson.Null:
		r.damaged.add(kind)
	}
	return football.NullField[int]()
}

// clock reads fixture.status. elapsed is the minute on the scoreboard, which stops at the
// end of a half, where extra counts on; no second is sent. fixture.periods are the
// scheduled times, in every recording, and tell nothing of the clock.
func (r *liveReader) clock(item strictjson.Value, status string) (c input.ClockReading) {
	v := item.Get("fixture").Get("status")
	r.tell(provider.FieldClock, "", v)
	c.Minute = r.number(v, "elapsed", maxMinute, itemClock)
	extra := r.number(v, "extra", maxMinute, itemClock).Or(0)
	c.Shootout = status == wire.StatusShootout
	minute, sent := c.Minute.Get()
	if !sent {
		return c
	}
	switch status {
	case wire.StatusFirstHalf:
		c.Half, c.Minute, c.Running = football.Of(1), football.Of(minute+extra), football.Of(true)
	case wire.StatusHalfTime:
		c.Half, c.Minute, c.Running = football.Of(2), football.Of(football.HalfBegins(2)), football.Of(false)
	case wire.StatusSecondHalf:
		c.Half, c.Minute, c.Running = football.Of(2), football.Of(minute+extra), football.Of(true)
	case wire.StatusExtraTime:
		c.Half, c.Minute, c.Running = football.Of(extraHalf(minute)), football.Of(minute+extra), football.Of(true)
	case wire.StatusBreak:
		if minute >= football.HalfEnds(4) { // a shoot-out follows
			c.Half, c.Running, c.Shootout = football.Of(5), football.Of(false), true
			break
		}
		half := extraHalf(minute + 1)
		c.Half, c.Minute, c.Running = football.Of(half), football.Of(football.HalfBegins(half)), football.Of(false)
	case wire.StatusShootout:
		c.Half, c.Running = football.Of(5), football.Of(false)
	case wire.StatusSuspended, wire.StatusInterrupted:
		c.Minute, c.Running = football.Of(minute+extra), football.Of(false)
	case wire.StatusLive:
		c.Minute = football.Of(minute + extra)
	}
	return c
}

// extraHalf is the half of extra time in which a minute is.
func extraHalf(minute int) int {
	if minute <= football.HalfEnds(3) {
		return 3
	}
	return 4
}
