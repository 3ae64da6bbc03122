package sportmonks

import (
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
	"mkt/publish/football"
)

// Bounds of what is read.
const (
	maxGoals   = 200
	maxMinute  = 200
	maxMetrics = 80  // of one fixture
	maxEvents  = 600 // of one fixture
)

// playStatuses say where a fixture stands by its state_id. A list of fixtures in play
// holds others too: the state decides.
var playStatuses = map[string]input.PlayStatus{
	wire.StateNotStarted: input.NotStarted, wire.StateToBeAnnounced: input.NotStarted, wire.StateDelayed: input.NotStarted,
	wire.StateFirstHalf: input.InPlay, wire.StateHalfTime: input.InPlay, wire.StateBreak: input.InPlay, wire.StateExtraTime: input.InPlay,
	wire.StatePenalties: input.InPlay, wire.StateExtraBreak: input.InPlay, wire.StateSecondHalf: input.InPlay, wire.StateExtraSecond: input.InPlay,
	wire.StatePenaltyBreak: input.InPlay, wire.StateAwaiting: input.InPlay, wire.StatePending: input.InPlay,
	wire.StateSuspended: input.Halted, wire.StateInterrupted: input.Halted,
	wire.StateFullTime: input.Over, wire.StateAfterExtra: input.Over, wire.StateAfterPenalties: input.Over,
	wire.StatePostponed: input.Off, wire.StateCancelled: input.Off, wire.StateWalkover: input.Off, wire.StateAbandoned: input.Off,
	wire.StateAwarded: input.Off, wire.StateDeleted: input.Off,
}

// liveReader reads the items of live payloads.
type liveReader struct {
	sheet                    provider.LiveSheet
	place                    map[string]int    // of an item in the samples, by its id
	filtered                 map[string]string // rule by id, as the last page that has it says
	items, known             int               // met, and those of them with an id
	repeated                 bool              // an item was met more than once
	short                    bool              // a page has not as many items as it says, or is not the last
	broken, damaged, unknown tally
	trace                    *provider.Trace
	of                       provider.Subject // the item at hand
}

// readLive reads the pages of a list, in archive order. A fixture met on two pages is
// one, as the later page says.
func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{place: make(map[string]int), filtered: make(map[string]string)}
	var doc strictjson.Document
	for n, p := range pages {
		data, err := readData(&doc, p.Body)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		before := r.items
		for v := range itemsOf(data) {
			r.item(v, p)
		}
		r.pager(doc.Root(), r.items-before, n == len(pages)-1)
	}
	if err := withoutIDs(r.items, r.known); err != nil {
		return provider.LiveSheet{}, fmt.Errorf("%s: %w", pages[0].Endpoint, err)
	}
	return r.finish(len(pages)), nil
}

// pager notes whether a page is as long as it says, and the last one the last. A list
// that is not paged has no pager.
func (r *liveReader) pager(root strictjson.Value, items int, last bool) {
	pager := root.Get(wire.KeyPagination)
	if pager.Kind() == strictjson.Absent {
		return
	}
	count, ok := whole(pager.Get(wire.KeyCount), 1<<20)
	more := pager.Get(wire.KeyHasMore).Kind() == strictjson.True
	r.short = r.short || !ok || count != items || more == last
}

func (r *liveReader) finish(pages int) provider.LiveSheet {
	var rules tally
	for _, rule := range r.filtered {
		rules.add(rule)
	}
	r.sheet.Samples = slices.DeleteFunc(r.sheet.Samples, func(s input.Sample) bool { return r.filtered[s.ProviderFixtureID] != "" })
	r.sheet.Filtered, r.sheet.Broken, r.sheet.Damaged, r.sheet.Unknown = rules, r.broken, r.damaged, r.unknown
	r.sheet.Complete = pages > 0 && len(r.broken) == 0 && !r.repeated && !r.short
	return r.sheet
}

// item reads one fixture. What is not football played by people is counted and left
// out before anything else is read of it.
func (r *liveReader) item(v strictjson.Value, p provider.Payload) {
	r.items++
	i, broken := readItem(v, p.Trace, &r.damaged)
	if broken != "" {
		r.broken.add(broken)
		return
	}
	r.known++
	_, sampled := r.place[i.id]
	_, leftOut := r.filtered[i.id]
	r.repeated = r.repeated || sampled || leftOut
	if rule := filterOf(&i); rule != "" {
		r.filtered[i.id] = rule
		return
	}
	status, ok := playStatuses[i.state]
	if !ok {
		r.broken.add("unknown state_id")
		return
	}
	delete(r.filtered, i.id)
	r.trace, r.of = p.Trace.For(i.id), provider.Subject{Fixture: i.id}
	r.trace.Report(r.of, provider.FieldFixtureID, v.Get("id"))
	s := input.Sample{ProviderFixtureID: i.id, ProviderEventID: i.id, Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt,
		RetrievedAt: p.FetchedAt, Status: status, Score: r.score(v), Clock: r.clock(v, i.state)}
	s.Counters = r.counters(v)
	s.Incidents = r.events(v, &i)
	for name := range v.Members() {
		if !itemFields[name] {
			r.unknown.add("item." + name)
		}
	}
	if at, twice := r.place[i.id]; twice {
		r.sheet.Samples[at] = s
		return
	}
	r.place[i.id] = len(r.sheet.Samples)
	r.sheet.Samples = append(r.sheet.Samples, s)
}

// list is a member that must be a list, in its three states: absent, null, and there.
func (r *liveReader) list(item strictjson.Value, key, damage string) (v strictjson.Value, state football.State) {
	v, once := item.Once(key)
	switch {
	case v.Kind() == strictjson.Absent:
		return v, football.Missing
	case once && v.Kind() == strictjson.Array:
		return v, football.Present
	case !once || v.Kind() != strictjson.Null:
		r.damaged.add(damage)
	}
	return v, football.Null
}

// score reads the rows of the score as it is now. A fixture that has not begun has
// none.
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
		if row.Get("description").Text() != wire.CurrentRow {
			continue
		}
		score := row.Get("score")
		r.trace.Report(r.of, provider.FieldScore, score)
		n, ok := whole(score.Get("goals"), maxGoals)
		goals := football.Of(n)
		if !ok || row.Repeats() || score.Repeats() {
			r.damaged.add(itemScores)
			goals = none
		}
		side := &s.Home
		switch score.Get("participant").Text() {
		case wire.SideHome:
		case wire.SideAway:
			side = &s.Away
		default:
			r.damaged.add(itemScores)
			continue
		}
		if side.State() != football.Missing && *side != goals { // two scores
			r.damaged.add(itemScores)
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

// halfOf is the half that is played in a state, 0 if none is.
var halfOf = map[string]int{wire.StateFirstHalf: 1, wire.StateSecondHalf: 2, wire.StateExtraTime: 3, wire.StateExtraSecond: 4}

// halfShootout is the number that a shoot-out has among the halves.
const halfShootout = 5

// rests are the breaks: the half that is named, and the minute of the scoreboard at
// which the clock stands still then.
var rests = map[string]struct{ half, minute int }{
	wire.StateHalfTime: {1, 45}, wire.StateBreak: {3, 90}, wire.StateExtraBreak: {3, 105}, wire.StatePenaltyBreak: {halfShootout, 90}, wire.StatePenalties: {halfShootout, 90},
}

// shootoutAfter returns the minute at which the clock stands in a shoot-out: it may follow
// normal time directly.
func shootoutAfter(periods strictjson.Value) int {
	for row := range periods.Items() {
		if kind, _ := whole(row.Get("type_id"), 100); kind == kindExtra {
			return football.HalfEnds(4)
		}
	}
	return football.HalfEnds(2)
}

// clock reads the periods. A period's minutes count on from the match's beginning and
// into its stoppage time, and say at a break how long the period was: in a break the
// state says where the clock stands.
func (r *liveReader) clock(item strictjson.Value, state string) input.ClockReading {
	rows, is := r.list(item, "periods", itemPeriods)
	r.trace.Report(r.of, provider.FieldClock, rows)
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
	kind, okKind := whole(row.Get("type_id"), 100)
	order, okOrder := whole(row.Get("sort_order"), 100)
	ticking := row.Get("ticking").Kind()
	if !okKind || !okOrder || row.Repeats() || ticking != strictjson.True && ticking != strictjson.False {
		r.damaged.add(itemPeriods)
		return p, false
	}
	return period{order: order, kind: kind, ticking: ticking == strictjson.True, minutes: r.number(row, "minutes", maxMinute),
		seconds: r.number(row, "seconds", 59), more: r.number(row, "time_added", 60)}, true
}

// number keeps the three states of a whole number. What was sent and is none is
// counted, and holds no value.
func (r *liveReader) number(object strictjson.Value, key string, most int) football.Field[int] {
	v := object.Get(key)
	n, ok := whole(v, most)
	switch {
	case ok:
		return football.Of(n)
	case v.Kind() == strictjson.Absent:
		return football.Field[int]{}
	case v.Kind() != strictjson.Null:
		r.damaged.add(itemPeriods)
	}
	return football.NullField[int]()
}

// counters reads the rows {type_id, location, data: {value}}: a counter absent was not
// sent, for one side or for both; a value null has no value, and 0 is zero.
func (r *liveReader) counters(item strictjson.Value) []football.Counter {
	rows, state := r.list(item, "statistics", itemStats)
	if state != football.Present || rows.Len() == 0 {
		return nil
	}
	place := make(map[football.Metric]int)
	var all []football.Counter
	for row := range rows.Items() {
		id, location := identifier(row.Get("type_id")), row.Get("location").Text()
		if id == "" || row.Repeats() || location != wire.SideHome && location != wire.SideAway {
			r.damaged.add(itemCounter)
			continue
		}
		metric, known := metricNames[id]
		if !known {
			r.unknown.add("statistics." + id)
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
		if r.trace != nil {
			r.trace.Report(r.of, provider.FieldCounter+string(metric), value)
		}
		side := &all[at].Home
		if location == wire.SideAway {
			side = &all[at].Away
		}
		n := r.value(value)
		if side.State() != football.Missing && *side != n { // two values
			r.damaged.add(itemCounter)
			n = football.NullField[football.Number]()
		}
		*side = n
	}
	slices.SortFunc(all, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return all
}

// value reads one side of a counter.
func (r *liveReader) value(v strictjson.Value) football.Field[football.Number] {
	if n, ok := football.ParseNumber(v.Text()); ok && isText(v) {
		return football.Of(n)
	}
	if v.Kind() != strictjson.Null { // a row without a value was sent without one, too
		r.damaged.add(itemCounter)
	}
	return football.NullField[football.Number]()
}
