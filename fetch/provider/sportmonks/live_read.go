package sportmonks

import (
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/publish/football"
)

// The limits of a live payload.
const (
	maxGoals   = 200
	maxMetrics = 80 // of one fixture
)

// playStatuses are the statuses by state_id. A list of fixtures in play has others as
// well: the state decides.
var playStatuses = map[string]input.PlayStatus{
	api.StateNotStarted: input.NotStarted, api.StateToBeAnnounced: input.NotStarted, api.StateDelayed: input.NotStarted,
	api.StateFirstHalf: input.InPlay, api.StateHalfTime: input.InPlay, api.StateBreak: input.InPlay, api.StateExtraTime: input.InPlay,
	api.StatePenalties: input.InPlay, api.StateExtraBreak: input.InPlay, api.StateSecondHalf: input.InPlay, api.StateExtraSecond: input.InPlay,
	api.StatePenaltyBreak: input.InPlay, api.StateAwaiting: input.InPlay, api.StatePending: input.InPlay,
	api.StateSuspended: input.Halted, api.StateInterrupted: input.Halted,
	api.StateFullTime: input.Over, api.StateAfterExtra: input.Over, api.StateAfterPenalties: input.Over,
	api.StatePostponed: input.Off, api.StateCancelled: input.Off, api.StateWalkover: input.Off, api.StateAbandoned: input.Off,
	api.StateAwarded: input.Off, api.StateDeleted: input.Off,
}

// readLive reads the pages of a list, in archive order. A fixture on two pages is
// read from the later one.
func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{decode.NewLive()}
	doc := decode.Document()
	defer decode.Release(doc)
	for n, p := range pages {
		envelope, data, err := readEnvelope(doc, p)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		before := r.Items()
		r.Page(0)
		for v := range itemsOf(data) {
			r.item(v, p)
		}
		r.pager(envelope, r.Items()-before, n == len(pages)-1)
	}
	return r.Sheet(pages)
}

// pager checks that a page has as many items as it says, and only the last one says
// it is the last. A list without pages has no pager.
func (r *liveReader) pager(root strictjson.Value, items int, last bool) {
	pager := root.Get(api.KeyPagination)
	if pager.Kind() == strictjson.Absent {
		return
	}
	count, ok := decode.Whole(pager.Get(api.KeyCount), 1<<20)
	more := pager.Get(api.KeyHasMore).Kind() == strictjson.True
	r.Incomplete = r.Incomplete || !ok || count != items || more == last
}

// item reads one fixture. A fixture other than football played by people is counted and
// left out before anything else of it is read.
func (r *liveReader) item(v strictjson.Value, p provider.Payload) {
	i, broken := readItem(v, p.Trace, &r.Damaged)
	s, ok := r.Start(p, &i.Item, broken, "state_id", playStatuses)
	if !ok {
		return
	}
	r.Report(provider.FieldFixtureID, "", v.Get("id"))
	s.Score, s.Clock = r.score(v), r.clock(v, i.State)
	s.Counters = r.counters(v)
	s.Incidents = r.events(v, &i)
	r.Compare(formatOf(v))
	r.Keep(i.ID, s)
}

// score reads the rows of the current score. A fixture that has not begun has none.
func (r *liveReader) score(item strictjson.Value) football.Score {
	rows, state := r.list(item, "scores", itemScores)
	none := football.NullField[int]()
	switch state {
	case football.Missing:
		return football.Score{}
	case football.Null:
		return football.Score{Home: none, Away: none}
	}
	var s football.Score
	for row := range rows.Items() {
		if row.Get("description").Text() != api.CurrentRow {
			continue
		}
		score := row.Get("score")
		r.Report(provider.FieldScore, "", score)
		n, ok := decode.Whole(score.Get("goals"), maxGoals)
		goals := football.Of(n)
		if !ok || row.Repeats() || score.Repeats() {
			r.Damaged.Add(itemScores)
			goals = none
		}
		side := &s.Home
		switch score.Get("participant").Text() {
		case api.SideHome:
		case api.SideAway:
			side = &s.Away
		default:
			r.Damaged.Add(itemScores)
			continue
		}
		if side.State() != football.Missing && *side != goals { // two scores
			r.Damaged.Add(itemScores)
			goals = none
		}
		*side = goals
	}
	return s
}

// period is one of the periods of a fixture.
type period struct {
	order, kind            int
	ticking                bool
	minutes, seconds, more football.Field[int]
}

// Kinds of periods, type_id.
const (
	kindFirst     = 1
	kindSecond    = 2
	kindExtra     = 3
	kindPenalties = 5
)

// halfOf is the half that is played in a state; 0 if there is none.
var halfOf = map[string]int{api.StateFirstHalf: 1, api.StateSecondHalf: 2, api.StateExtraTime: 3, api.StateExtraSecond: 4}

// halfShootout is the number of a shoot-out among the halves.
const halfShootout = 5

// rests are the breaks: the half that is shown, and the minute at which the clock stops.
var rests = map[string]struct{ half, minute int }{
	api.StateHalfTime: {1, 45}, api.StateBreak: {3, 90}, api.StateExtraBreak: {3, 105}, api.StatePenaltyBreak: {halfShootout, 90}, api.StatePenalties: {halfShootout, 90},
}

// shootoutAfter returns the minute at which the clock stands in a shoot-out: it may follow
// normal time directly.
func shootoutAfter(periods strictjson.Value) int {
	for row := range periods.Items() {
		if kind, _ := decode.Whole(row.Get("type_id"), 100); kind == kindExtra {
			return football.HalfEnds(4)
		}
	}
	return football.HalfEnds(2)
}

// clock reads the periods. The minutes of a period are counted from the beginning of the
// match and include stoppage time; at a break they are the length of the period. So in a
// break the minute follows from the state.
func (r *liveReader) clock(item strictjson.Value, state string) input.ClockReading {
	rows, is := r.list(item, "periods", itemPeriods)
	r.Report(provider.FieldClock, "", rows)
	rest, resting := rests[state]
	shootout := rest.half == halfShootout
	switch is {
	case football.Missing:
		return input.ClockReading{Shootout: shootout}
	case football.Null:
		none := football.NullField[int]()
		return input.ClockReading{Half: none, Minute: none, Second: none, Added: none, Running: football.NullField[bool](), Shootout: shootout}
	}
	if resting {
		c := input.ClockReading{Half: football.Of(rest.half), Minute: football.Of(rest.minute), Second: football.Of(0), Running: football.Of(false)}
		if shootout {
			c.Minute, c.Shootout = football.Of(shootoutAfter(rows)), true
		}
		return c
	}
	var now *period
	for row := range rows.Items() {
		p, ok := r.period(row)
		if !ok {
			continue
		}
		if p.kind != kindPenalties && (now == nil || p.ticking && !now.ticking || p.ticking == now.ticking && p.order > now.order) {
			now = &p
		}
	}
	if now == nil {
		return input.ClockReading{}
	}
	c := input.ClockReading{Minute: now.minutes, Second: now.seconds, Added: now.more, Running: football.Of(now.ticking)}
	half := halfOf[state]
	if half == 0 { // halted, over, or not known
		half = now.kind
	}
	if half >= 1 && half <= 4 {
		c.Half = football.Of(half)
	}
	return c
}

func (r *liveReader) period(row strictjson.Value) (p period, ok bool) {
	kind, okKind := decode.Whole(row.Get("type_id"), 100)
	order, okOrder := decode.Whole(row.Get("sort_order"), 100)
	ticking := row.Get("ticking").Kind()
	if !okKind || !okOrder || row.Repeats() || ticking != strictjson.True && ticking != strictjson.False {
		r.Damaged.Add(itemPeriods)
		return p, false
	}
	return period{order: order, kind: kind, ticking: ticking == strictjson.True, minutes: r.Damaged.Number(row, "minutes", maxMinute, itemPeriods),
		seconds: r.Damaged.Number(row, "seconds", 59, itemPeriods), more: r.Damaged.Number(row, "time_added", 60, itemPeriods)}, true
}

// counters reads the rows {type_id, location, data: {value}}. An absent counter was
// not sent, for one side or for both; null is no value, and 0 is zero.
func (r *liveReader) counters(item strictjson.Value) []football.Counter {
	rows, state := r.list(item, "statistics", itemStats)
	if state != football.Present || rows.Len() == 0 {
		return nil
	}
	place := make(map[football.Metric]int)
	var all []football.Counter
	for row := range rows.Items() {
		id, location := decode.ID(row.Get("type_id")), row.Get("location").Text()
		if id == "" || row.Repeats() || location != api.SideHome && location != api.SideAway {
			r.Damaged.Add(itemCounter)
			continue
		}
		metric, known := metricNames[id]
		if !known {
			r.Unknown.Add("statistics." + id)
			metric = football.Metric("type_" + id)
		}
		at, met := place[metric]
		if !met {
			if len(all) >= maxMetrics {
				continue
			}
			at = len(all)
			place[metric] = at
			all = append(all, football.Counter{Metric: metric})
		}
		value := row.Get("data").Get("value")
		r.Report(provider.FieldCounter, string(metric), value)
		side := &all[at].Home
		if location == api.SideAway {
			side = &all[at].Away
		}
		n := r.value(value)
		if side.State() != football.Missing && *side != n { // two values
			r.Damaged.Add(itemCounter)
			n = football.NullField[football.Number]()
		}
		*side = n
	}
	slices.SortFunc(all, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return all
}

// value reads one side of a counter.
func (r *liveReader) value(v strictjson.Value) football.Field[football.Number] {
	if n, ok := football.ParseNumber(v.Text()); ok && decode.IsText(v) {
		return football.Of(n)
	}
	if v.Kind() != strictjson.Null { // a row without the member is damaged
		r.Damaged.Add(itemCounter)
	}
	return football.NullField[football.Number]()
}
