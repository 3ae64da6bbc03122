package betsapi

import (
	"slices"
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Bounds of what is read.
const (
	maxGoals   = 200
	maxMinute  = 200
	maxMetrics = 80 // of one fixture
)

// whole reads a number of digits, sent as text or as a number, of at most most.
func whole(v strictjson.Value, most int) (int, bool) {
	text := identifier(v)
	if text == "" || len(text) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		n = n*10 + int(c-'0')
	}
	return n, n <= most
}

// count keeps the three states of a whole number. What was sent and is none is
// counted, and holds no value.
func (r *liveReader) count(v strictjson.Value, most int, name string) football.Field[int] {
	switch field(v).State() {
	case football.Missing:
		return football.Field[int]{}
	case football.Null:
		return football.NullField[int]()
	}
	n, ok := whole(v, most)
	if !ok {
		r.unknown.add(name + " unreadable")
		return football.NullField[int]()
	}
	return football.Of(n)
}

// score reads "1-0".
func (r *liveReader) score(v strictjson.Value) football.Score {
	r.tell(provider.FieldScore, "", v)
	text := field(v)
	sent, ok := text.Get()
	if !ok {
		if text.State() == football.Null {
			return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
		}
		return football.Score{}
	}
	home, away, _ := strings.Cut(sent, "-")
	h, okHome := goals(home)
	a, okAway := goals(away)
	if !okHome || !okAway {
		r.unknown.add("ss unreadable")
		return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
	}
	return football.Score{Home: football.Of(h), Away: football.Of(a)}
}

func goals(s string) (int, bool) {
	n, ok := football.ParseNumber(s)
	count, isCount := n.Count()
	return count, ok && isCount && count <= maxGoals
}

// timer reads {tm, ts, tt, ta, md}. md is the half from 0 and may be early; 4 is
// beyond extra time. tt is "1" while the clock runs. All may be absent.
func (r *liveReader) timer(v strictjson.Value) football.ClockReading {
	r.tell(provider.FieldClock, "", v)
	c := football.ClockReading{
		Minute: r.count(v.Get("tm"), maxMinute, "timer.tm"), Second: r.count(v.Get("ts"), 59, "timer.ts"),
		Added: r.count(v.Get("ta"), 60, "timer.ta"), Half: r.count(v.Get("md"), 4, "timer.md"),
	}
	if md, ok := c.Half.Get(); ok {
		c.Half = football.Of(md + 1)
	}
	switch running := field(v.Get("tt")); running.Or("") {
	case "0":
		c.Running = football.Of(false)
	case "1":
		c.Running = football.Of(true)
	default:
		if running.State() != football.Missing {
			c.Running = football.NullField[bool]()
		}
	}
	return c
}

// stats reads {metric: [home, away]}: a metric absent was not sent, "" has no
// value, "0" is zero.
func (r *liveReader) stats(v strictjson.Value) []football.Counter {
	if v.Len() == 0 {
		return nil
	}
	counters := make([]football.Counter, 0, min(v.Len(), maxMetrics))
	for name, pair := range v.Members() {
		metric, ok := r.metric(name)
		if !ok || len(counters) >= maxMetrics {
			continue
		}
		c := football.Counter{Metric: metric}
		r.tell(provider.FieldCounter, string(metric), pair)
		switch {
		case pair.Kind() == strictjson.Null:
			c.Home, c.Away = football.NullField[football.Number](), football.NullField[football.Number]()
		case pair.Kind() != strictjson.Array || pair.Len() > 2:
			r.unknown.add("stats." + name + " is no pair")
			continue
		}
		side := 0
		for item := range pair.Items() {
			if n := r.number(item, name); side == 0 {
				c.Home = n
			} else {
				c.Away = n
			}
			side++
		}
		counters = append(counters, c)
	}
	slices.SortFunc(counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return counters
}

// metric is the counter's name in canonical words, or the provider's own.
func (r *liveReader) metric(name string) (football.Metric, bool) {
	if m, ok := metricNames[name]; ok {
		return m, true
	}
	if !ownMetrics[name] {
		r.unknown.add("stats." + name)
	}
	return football.Metric(name), name != "" && len(name) <= 40 && !canonicalMetrics[football.Metric(name)]
}

// number reads one side of a counter. In extra time the provider sends the whole
// match and its parts, "155,119,36": the first is the counter.
func (r *liveReader) number(v strictjson.Value, name string) football.Field[football.Number] {
	text := field(v)
	sent, ok := text.Get()
	if !ok {
		return football.NullField[football.Number]()
	}
	first, _, _ := strings.Cut(sent, ",")
	n, ok := football.ParseNumber(first)
	if !ok {
		r.unknown.add("stats." + name + " unreadable")
		return football.NullField[football.Number]()
	}
	return football.Of(n)
}
