package apifootball

import (
	"slices"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// liveReader reads the items of live payloads.
type liveReader struct{ *decode.Live }

// The limits of a live payload.
const (
	maxGoals  = 200
	maxMinute = 200
)

// maxMetrics is the limit of counters of one fixture.
const maxMetrics = 80

// metricNames are the names of the types of statistics in football.Metrics.
//
// Source: provider notes, section 4.
var metricNames = map[string]football.Metric{
	"Shots on Goal": football.OnTarget, "Shots off Goal": football.OffTarget, "Total Shots": football.Shots, "Blocked Shots": football.ShotsBlocked,
	"Fouls": football.Fouls, "Corner Kicks": football.Corners, "Offsides": football.Offsides, "Ball Possession": football.Possession,
	"Yellow Cards": football.YellowCards, "Red Cards": football.RedCards, "Goalkeeper Saves": football.Saves, "Passes %": football.PassingAccuracy,
	"expected_goals": football.ExpectedGoals,
}

// ownMetrics are the types outside football.Metrics, and their names.
var ownMetrics = map[string]string{
	"Shots insidebox": "shots_insidebox", "Shots outsidebox": "shots_outsidebox", "Total passes": "total_passes", "Passes accurate": "passes_accurate",
	"goals_prevented": "goals_prevented",
}

// statistics reads the list of both teams' statistics. notAsked reports whether the item
// has no such member, as those of the list of matches in play: then the answer says nothing
// about counters.
func (r *liveReader) statistics(item strictjson.Value, i *decode.Item) (counters []football.Counter, notAsked bool) {
	v, once := item.Once("statistics")
	switch {
	case v.Kind() == strictjson.Absent:
		return nil, true
	case !once, v.Kind() != strictjson.Array && !decode.IsEmpty(v):
		r.Damaged.Add(itemStats)
		return nil, false
	}
	var met [2]bool
	for team := range v.Items() {
		side, ok := sideOf(team, i)
		if !ok || met[side] || team.Repeats() {
			r.Damaged.Add(itemStats)
			continue
		}
		met[side] = true
		for s := range team.Get("statistics").Items() {
			counters = r.statistic(counters, side, s)
		}
	}
	slices.SortFunc(counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return counters, false
}

// sideOf returns the side of the team whose id v has: 0 home, 1 away.
func sideOf(v strictjson.Value, i *decode.Item) (side int, ok bool) {
	switch id := identifier(v.Get("team").Get("id")); {
	case id == "" || i.HomeID == i.AwayID:
		return 0, false
	case id == i.HomeID:
		return 0, true
	case id == i.AwayID:
		return 1, true
	}
	return 0, false
}

// statistic adds one value of one side. A type that was sent twice has no value.
func (r *liveReader) statistic(counters []football.Counter, side int, v strictjson.Value) []football.Counter {
	name := v.Get("type")
	if name.Kind() != strictjson.String || v.Repeats() {
		r.Damaged.Add(itemCounter)
		return counters
	}
	metric, ok := r.metric(name.Text())
	if !ok {
		return counters
	}
	at := slices.IndexFunc(counters, func(c football.Counter) bool { return c.Metric == metric })
	if at < 0 {
		if len(counters) >= maxMetrics {
			return counters
		}
		at = len(counters)
		counters = append(counters, football.Counter{Metric: metric})
	}
	of := &counters[at].Home
	if side == 1 {
		of = &counters[at].Away
	}
	value := v.Get("value")
	if of.State() != football.Missing {
		r.Damaged.Add(itemCounter)
		*of = football.NullField[football.Number]()
		return counters
	}
	r.Report(provider.FieldCounter, string(metric), value)
	*of = r.counter(value)
	return counters
}

// metric returns the canonical name of a type, or one made of the provider's name.
func (r *liveReader) metric(name string) (football.Metric, bool) {
	if m, ok := metricNames[name]; ok {
		return m, true
	}
	if own, ok := ownMetrics[name]; ok {
		return football.Metric(own), true
	}
	r.Unknown.Add("statistics." + name)
	own := strings.ReplaceAll(strings.ToLower(name), " ", "_")
	word := own != "" && len(own) <= 40 && strings.Trim(own, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	return football.Metric(own), word && !slices.Contains(football.Metrics(), football.Metric(own))
}

// counter reads a value: a number, or a text of one with or without a percent sign. null
// is sent if nothing was recorded, and stays null.
func (r *liveReader) counter(v strictjson.Value) football.Field[football.Number] {
	if v.Kind() == strictjson.Absent {
		return football.Field[football.Number]{}
	}
	sent, ok := decode.Field(v).Get()
	if n, is := football.ParseNumber(strings.TrimSuffix(sent, "%")); is {
		return football.Of(n)
	}
	if ok || decode.IsWrong(v) {
		r.Damaged.Add(itemCounter)
	}
	return football.NullField[football.Number]()
}
