package feed

import (
	"cmp"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/publish/football"
)

// The limits of a match in play.
const (
	maxCounters = 80
	maxEvents   = 500
	maxMinute   = 200
	maxGoals    = 200
)

var incidentKinds = []input.IncidentKind{input.IncidentGoal, input.IncidentCorner, input.IncidentYellowCard, input.IncidentRedCard, input.IncidentPenalty,
	input.IncidentSubstitution}

// liveReader reads matches in play.
type liveReader struct{ *decode.Live }

// readLive reads the answers about matches in play, in archive order.
func (s source) readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{decode.NewLive()}
	d := decode.Document()
	defer decode.Release(d)
	for _, p := range pages {
		root, err := s.open(d, p, api.EndpointLive)
		if err != nil {
			return provider.LiveSheet{}, err
		}
		matches := root.Get("matches")
		count, known := decode.Whole(root.Get("count"), maxFixtures)
		r.Incomplete = r.Incomplete || !known || count != matches.Len() || root.Get("complete").Kind() != strictjson.True
		r.Page(matches.Len())
		for v := range matches.Items() {
			r.match(v, p)
		}
	}
	return r.Sheet(pages)
}

func (r *liveReader) match(v strictjson.Value, p provider.Payload) {
	f, broken := readFixture(&matchShape, v, p.Trace, &r.Damaged, &r.Unknown)
	s, ok := r.Start(p, &f, broken, "status", statuses)
	if !ok {
		return
	}
	if matchShape.fault(v, new(decode.Counts)) != "" {
		r.Hurt()
	}
	at, timed := timeOf(v, "observed_at")
	if s.ObservedAt = at; !timed {
		r.Damaged.Add(matchShape.name + ": " + badTime)
	}
	s.Clock, s.Score = r.clock(v), r.score(v)
	s.Counters, s.Incidents = r.counters(v), r.events(v)
	r.Keep(f.ID, s)
}

// object reads an object of a match, which may be absent or null, and counts its damage.
func (r *liveReader) object(v strictjson.Value, s *shape) (sent bool) {
	if v.Kind() == strictjson.Object {
		if why := s.fault(v, &r.Unknown); why != "" {
			r.Damaged.Add(why)
		}
	}
	return v.Kind() != strictjson.Absent
}

// number reads a whole number of an object, in its three states. Of an object that is none it
// was sent without a value.
func (r *liveReader) number(v strictjson.Value, key string, most int) football.Field[int] {
	if v.Kind() != strictjson.Object {
		return football.NullField[int]()
	}
	return r.Damaged.Number(v, key, most, badNumber)
}

func (r *liveReader) clock(match strictjson.Value) (c input.ClockReading) {
	v := match.Get("clock")
	r.Report(provider.FieldClock, "", v)
	if !r.object(v, &clockShape) {
		return c
	}
	c = input.ClockReading{Half: r.number(v, "half", 5), Minute: r.number(v, "minute", maxMinute), Second: r.number(v, "second", 59),
		Added: r.number(v, "added", 60), Shootout: v.Get("shootout").Kind() == strictjson.True}
	switch running := v.Get("running").Kind(); {
	case running == strictjson.True || running == strictjson.False:
		c.Running = football.Of(running == strictjson.True)
	case running != strictjson.Absent || v.Kind() != strictjson.Object:
		c.Running = football.NullField[bool]()
	}
	return c
}

func (r *liveReader) score(match strictjson.Value) (s football.Score) {
	v := match.Get("score")
	r.Report(provider.FieldScore, "", v)
	if r.object(v, &sidesShape) {
		s = football.Score{Home: r.number(v, "home", maxGoals), Away: r.number(v, "away", maxGoals)}
	}
	return s
}

func (r *liveReader) counters(match strictjson.Value) (all []football.Counter) {
	for name, v := range match.Get("counters").Members() {
		if !isMetric(name) || len(all) == maxCounters || slices.ContainsFunc(all, func(c football.Counter) bool { return string(c.Metric) == name }) {
			r.Damaged.Add("counters: a name cannot be used")
			continue
		}
		r.Report(provider.FieldCounter, name, v)
		r.object(v, &sidesShape)
		all = append(all, football.Counter{Metric: football.Metric(name), Home: r.counter(v, "home"), Away: r.counter(v, "away")})
	}
	slices.SortFunc(all, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return all
}

// counter reads one side of a counter in its three states.
func (r *liveReader) counter(sides strictjson.Value, key string) football.Field[football.Number] {
	v, once := sides.Once(key)
	n, ok := football.ParseNumber(v.Text())
	switch {
	case v.Kind() == strictjson.Absent && sides.Kind() == strictjson.Object:
		return football.Field[football.Number]{}
	case ok && once && v.Kind() == strictjson.Number:
		return football.Of(n)
	case v.Kind() == strictjson.Number:
		r.Damaged.Add(badNumber)
	}
	return football.NullField[football.Number]()
}

func (r *liveReader) events(match strictjson.Value) football.Field[[]input.Incident] {
	v := match.Get("events")
	switch v.Kind() {
	case strictjson.Absent:
		return football.Field[[]input.Incident]{}
	case strictjson.Array:
	default:
		return football.NullField[[]input.Incident]()
	}
	incidents := []input.Incident{}
	for e := range v.Items() {
		i := input.Incident{ID: textOf(e, "id").Or(""), Kind: input.IncidentKind(textOf(e, "kind").Or("")), Side: football.SideHome, Text: textOf(e, "text").Or("")}
		side := textOf(e, "side").Or("")
		if side == "AWAY" {
			i.Side = football.SideAway
		}
		minute, ok := decode.Whole(e.Get("minute"), maxMinute)
		added, fits := decode.Whole(e.Get("added"), 60)
		fits = fits || e.Get("added").Kind() == strictjson.Absent
		i.Minute, i.Added = minute, added
		if why := eventShape.fault(e, &r.Unknown); why != "" || !isID(i.ID) || !ok || !fits || minute < 1 || !isSide(side) || !slices.Contains(incidentKinds, i.Kind) ||
			len(incidents) == maxEvents {
			r.Damaged.Add(cmp.Or(why, badEvent))
			continue
		}
		r.Report(provider.FieldIncident, i.ID, e)
		incidents = append(incidents, i)
	}
	return football.Of(incidents)
}
