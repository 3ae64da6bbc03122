package feed

import (
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/publish/football"
)

// Damaged parts of a match in play, besides those of every fixture.
const (
	itemClock   = "item: a part of its clock cannot be read"
	itemScore   = "item: its score cannot be read"
	itemCounter = "item: a counter cannot be read"
	itemEvent   = "item: an event cannot be read"
)

// The limits of a match in play.
const (
	maxCounters = 80
	maxEvents   = 500
	maxMinute   = 200
	maxGoals    = 200
)

var (
	matchFields = decode.Set(api.KeyID, api.KeyHome, api.KeyAway, api.KeyLeague, api.KeyStart, api.KeyStatus, api.KeyObserved, api.KeyClock, api.KeyScore,
		api.KeyCounters, api.KeyEvents)
	kinds = []input.IncidentKind{input.IncidentGoal, input.IncidentCorner, input.IncidentYellowCard, input.IncidentRedCard, input.IncidentPenalty, input.IncidentSubstitution}
)

// liveReader reads matches in play.
type liveReader struct{ *decode.Live }

// readLive reads the answers about matches in play, in archive order.
func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{decode.NewLive()}
	d := decode.Document()
	defer decode.Release(d)
	for _, p := range pages {
		root, err := decode.Root(d, p)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		matches := root.Get(api.KeyMatches)
		count, known := decode.Whole(root.Get(api.KeyCount), maxFixtures)
		r.Incomplete = r.Incomplete || !known || count != matches.Len() || root.Get(api.KeyComplete).Kind() != strictjson.True
		r.Page(matches.Len())
		for v := range matches.Items() {
			r.match(v, p)
		}
	}
	return r.Sheet(pages)
}

func (r *liveReader) match(v strictjson.Value, p provider.Payload) {
	f, broken := readFixture(v, p.Trace, &r.Damaged)
	s, ok := r.Start(p, &f.Item, broken, api.KeyStatus, statuses)
	if !ok {
		return
	}
	s.ObservedAt = readTime(v, api.KeyObserved, &r.Damaged)
	s.Clock = r.clock(v)
	s.Score = r.score(v)
	s.Counters = r.counters(v)
	s.Incidents = r.events(v)
	var format decode.Format
	format.Compare(v, "match", matchFields, api.KeyStatus)
	r.Compare(format)
	r.Keep(f.ID, s)
}

// part returns a member of a match, which must be of a kind, in its three states.
func (r *liveReader) part(v strictjson.Value, key string, kind strictjson.Kind, damage string) (part strictjson.Value, state football.State) {
	part, once := v.Once(key)
	switch {
	case part.Kind() == strictjson.Absent:
		return part, football.Missing
	case once && part.Kind() == kind && !part.Repeats():
		return part, football.Present
	case part.Kind() != strictjson.Null:
		r.Damaged.Add(damage)
	}
	return strictjson.Value{}, football.Null
}

func (r *liveReader) clock(match strictjson.Value) (c input.ClockReading) {
	v, state := r.part(match, api.KeyClock, strictjson.Object, itemClock)
	r.Report(provider.FieldClock, "", v)
	if state == football.Null {
		none := football.NullField[int]()
		return input.ClockReading{Half: none, Minute: none, Second: none, Added: none, Running: football.NullField[bool]()}
	}
	c = input.ClockReading{Half: r.Damaged.Number(v, "half", 5, itemClock), Minute: r.Damaged.Number(v, "minute", maxMinute, itemClock),
		Second: r.Damaged.Number(v, "second", 59, itemClock), Added: r.Damaged.Number(v, "added", 60, itemClock),
		Shootout: v.Get("shootout").Kind() == strictjson.True}
	switch running := v.Get("running"); running.Kind() {
	case strictjson.Absent:
	case strictjson.True, strictjson.False:
		c.Running = football.Of(running.Kind() == strictjson.True)
	default:
		c.Running = football.NullField[bool]()
	}
	return c
}

func (r *liveReader) score(match strictjson.Value) football.Score {
	v, state := r.part(match, api.KeyScore, strictjson.Object, itemScore)
	r.Report(provider.FieldScore, "", v)
	if state == football.Null {
		return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
	}
	return football.Score{Home: r.Damaged.Number(v, api.KeyHome, maxGoals, itemScore), Away: r.Damaged.Number(v, api.KeyAway, maxGoals, itemScore)}
}

func (r *liveReader) counters(match strictjson.Value) (all []football.Counter) {
	v, _ := r.part(match, api.KeyCounters, strictjson.Object, itemCounter)
	for name, sides := range v.Members() {
		if !isMetric(name) || len(all) == maxCounters {
			r.Damaged.Add(itemCounter)
			continue
		}
		r.Report(provider.FieldCounter, name, sides)
		c := football.Counter{Metric: football.Metric(name), Home: football.NullField[football.Number](), Away: football.NullField[football.Number]()}
		if sides.Kind() == strictjson.Object {
			c.Home, c.Away = r.number(sides, api.KeyHome), r.number(sides, api.KeyAway)
		} else if sides.Kind() != strictjson.Null {
			r.Damaged.Add(itemCounter)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return all
}

// number reads one side of a counter in its three states.
func (r *liveReader) number(v strictjson.Value, key string) football.Field[football.Number] {
	member, once := v.Once(key)
	if member.Kind() == strictjson.Absent {
		return football.Field[football.Number]{}
	}
	if n, ok := football.ParseNumber(member.Text()); ok && once && member.Kind() == strictjson.Number {
		return football.Of(n)
	}
	if member.Kind() != strictjson.Null {
		r.Damaged.Add(itemCounter)
	}
	return football.NullField[football.Number]()
}

func (r *liveReader) events(match strictjson.Value) football.Field[[]input.Incident] {
	v, state := r.part(match, api.KeyEvents, strictjson.Array, itemEvent)
	switch state {
	case football.Missing:
		return football.Field[[]input.Incident]{}
	case football.Null:
		return football.NullField[[]input.Incident]()
	}
	incidents := []input.Incident{}
	for e := range v.Items() {
		id, kind, side := e.Get(api.KeyID), e.Get("kind"), e.Get("side").Text()
		minute, ok := decode.Whole(e.Get("minute"), maxMinute)
		added, timed := decode.Whole(e.Get("added"), 60)
		timed = timed || e.Get("added").Kind() == strictjson.Absent
		if id.Kind() != strictjson.String || !isID(id.Text()) || !ok || minute < 1 || !timed || e.Repeats() || len(incidents) == maxEvents ||
			!isSide(side) || !slices.Contains(kinds, input.IncidentKind(kind.Text())) {
			r.Damaged.Add(itemEvent)
			continue
		}
		r.Report(provider.FieldIncident, id.Text(), e)
		i := input.Incident{ID: id.Text(), Kind: input.IncidentKind(kind.Text()), Minute: minute, Added: added, Side: football.SideHome}
		if side == "AWAY" {
			i.Side = football.SideAway
		}
		i.Text = new(decode.Counts).Text(e, "text", itemEvent).Or("")
		incidents = append(incidents, i)
	}
	return football.Of(incidents)
}
