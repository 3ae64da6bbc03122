package betsapi

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// liveReader reads the items of live payloads.
type liveReader struct{ *decode.Live }

// Bounds of values.
const (
	maxGoals   = 200
	maxMinute  = 200
	maxMetrics = 80 // of one fixture
)

// score reads the member ss, "1-0".
func (r *liveReader) score(item strictjson.Value) football.Score {
	v, once := item.Once("ss")
	r.Report(provider.FieldScore, "", v)
	sent, ok := decode.Field(v).Get()
	if !ok && v.Kind() == strictjson.Absent {
		return football.Score{}
	}
	home, away, _ := strings.Cut(sent, "-")
	h, okHome := goals(home)
	a, okAway := goals(away)
	if once && okHome && okAway {
		return football.Score{Home: football.Of(h), Away: football.Of(a)}
	}
	if ok || decode.IsWrong(v) {
		r.Damaged.Add(itemScore)
	}
	return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
}

func goals(s string) (int, bool) {
	n, ok := football.ParseNumber(s)
	count, isCount := n.Count()
	return count, ok && isCount && count <= maxGoals
}

// timer reads the member {tm, ts, tt, ta, md}. md is the half from 0 and may be
// early; 4 is beyond extra time. tt is "1" while the clock runs. All may be absent.
func (r *liveReader) timer(item strictjson.Value) input.ClockReading {
	v, once := item.Once("timer")
	r.Report(provider.FieldClock, "", v)
	if v.Kind() != strictjson.Object && !decode.IsEmpty(v) || !once {
		r.Damaged.Add(itemTimer)
		none := football.NullField[int]()
		return input.ClockReading{Minute: none, Second: none, Added: none, Half: none, Running: football.NullField[bool]()}
	}
	if v.Repeats() {
		r.Damaged.Add(itemTimer)
	}
	c := input.ClockReading{Minute: r.Damaged.Number(v, "tm", maxMinute, itemTimer), Second: r.Damaged.Number(v, "ts", 59, itemTimer), Added: r.Damaged.Number(v, "ta", 60, itemTimer), Half: r.Damaged.Number(v, "md", 4, itemTimer)}
	if md, ok := c.Half.Get(); ok {
		c.Half = football.Of(md + 1)
	}
	switch running := r.Damaged.Text(v, "tt", itemTimer); running.Or("") {
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

// stats reads the member {metric: [home, away]}: a metric absent was not sent, ""
// has no value, "0" is zero. A metric that is there and cannot be read has no value,
// on either side.
func (r *liveReader) stats(item strictjson.Value) []football.Counter {
	v, once := item.Once("stats")
	if v.Kind() != strictjson.Object && !decode.IsEmpty(v) || !once {
		r.Damaged.Add(itemStats)
		return nil
	}
	if v.Len() == 0 {
		return nil
	}
	if v.Repeats() {
		r.Damaged.Add(itemCounter)
	}
	counters := make([]football.Counter, 0, min(v.Len(), maxMetrics))
	for name, pair := range v.Members() {
		metric, ok := r.metric(name)
		if !ok || len(counters) >= maxMetrics || isTwice(v, name) && hasMetric(counters, metric) {
			continue
		}
		r.Report(provider.FieldCounter, string(metric), pair)
		counters = append(counters, r.counter(metric, pair, !isTwice(v, name)))
	}
	slices.SortFunc(counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return counters
}

func hasMetric(counters []football.Counter, m football.Metric) bool {
	return slices.ContainsFunc(counters, func(c football.Counter) bool { return c.Metric == m })
}

// counter reads [home, away].
func (r *liveReader) counter(metric football.Metric, pair strictjson.Value, once bool) football.Counter {
	none := football.NullField[football.Number]()
	c := football.Counter{Metric: metric, Home: none, Away: none}
	if pair.Kind() != strictjson.Array || pair.Len() > 2 || !once {
		if pair.Kind() != strictjson.Null && once {
			r.Damaged.Add(itemCounter)
		}
		return c
	}
	c.Home, c.Away = football.Field[football.Number]{}, football.Field[football.Number]{}
	side := 0
	for item := range pair.Items() {
		if n := r.number(item); side == 0 {
			c.Home = n
		} else {
			c.Away = n
		}
		side++
	}
	return c
}

// metric is the counter's name in canonical words, or the provider's own.
func (r *liveReader) metric(name string) (football.Metric, bool) {
	if m, ok := metricNames[name]; ok {
		return m, true
	}
	if !ownMetrics[name] {
		r.Unknown.Add("stats." + name)
	}
	return football.Metric(name), name != "" && len(name) <= 40 && !canonicalMetrics[football.Metric(name)]
}

// number reads one side of a counter. In extra time the provider sends the whole
// match and its parts, "155,119,36": the first is the counter.
func (r *liveReader) number(v strictjson.Value) football.Field[football.Number] {
	sent, sentText := decode.Field(v).Get()
	first, _, _ := strings.Cut(sent, ",")
	n, ok := football.ParseNumber(first)
	if ok {
		return football.Of(n)
	}
	if sentText || decode.IsWrong(v) {
		r.Damaged.Add(itemCounter)
	}
	return football.NullField[football.Number]()
}
