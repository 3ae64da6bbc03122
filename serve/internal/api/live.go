package api

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// LiveFixture is one fixture of the live product, rendered but for what depends
// on the time it is read at: the age of its feed, and whether that has become too
// old to say anything of the present. It is immutable.
type LiveFixture struct {
	ID        string
	InPlay    bool      // false: it left play and is kept for a while
	Detailed  bool      // in the detail set: momentum, timeline and stats have answers
	FetchedAt time.Time // when it was retrieved from the provider

	row    *table.LiveRow
	head   []byte // up to the score
	tail   []byte // from detail_available on
	detail []byte // what the single fixture has in addition
	line   []byte // the entries of the timeline but the newest, each with a comma
	newest *table.LiveTimelineRow
	stats  []byte // series and periods
}

// LiveDetail is what the tables beside live have of one fixture, in their order.
// All but Counters are empty outside the detail set.
type LiveDetail struct {
	Counters []table.LiveCounterRow
	Timeline []table.LiveTimelineRow
	Buckets  []table.LiveBucketRow
	Periods  []table.LivePeriodRow
}

// NewLiveFixture renders a fixture. It keeps the row and nothing of d.
func NewLiveFixture(row *table.LiveRow, d LiveDetail) *LiveFixture {
	f := &LiveFixture{ID: row.FixtureID, InPlay: row.InPlay, Detailed: row.DetailRank != nil, FetchedAt: row.ProviderFetchedAt, row: row}
	f.head = appendLiveHead(make([]byte, 0, 384), row)
	f.tail = appendLiveTail(make([]byte, 0, 160), row)
	f.detail = appendLiveDetail(make([]byte, 0, 2048), row, d.Counters)
	if f.Detailed {
		if last := len(d.Timeline) - 1; last >= 0 {
			newest := d.Timeline[last]
			f.newest = &newest
			f.line = appendTimeline(make([]byte, 0, 160*last), d.Timeline[:last])
		}
		f.stats = appendStats(make([]byte, 0, 64+40*len(d.Buckets)), row, d.Buckets, d.Periods)
	}
	return f
}

// StaleAt tells whether the newest that is known of a fixture in play is too old
// at now. The pipeline says so itself as long as it runs; this is true without it.
func (f *LiveFixture) StaleAt(now time.Time) bool {
	return f.InPlay && f.row.StaleAt != nil && now.After(*f.row.StaleAt)
}

// Runs tells that the provider says its clock runs.
func (f *LiveFixture) Runs() bool { return f.row.ClockRunning != nil && *f.row.ClockRunning }

// AppendItem appends the fixture as GET /live and the socket show it.
func (f *LiveFixture) AppendItem(dst []byte, now time.Time) []byte {
	dst = append(dst, f.head...)
	dst = f.appendNow(dst, now)
	return append(append(dst, f.tail...), '}')
}

// AppendSingle appends the fixture as GET /live/{id} shows it.
func (f *LiveFixture) AppendSingle(dst []byte, now time.Time) []byte {
	dst = append(dst, f.head...)
	dst = f.appendNow(dst, now)
	dst = append(dst, f.tail...)
	return append(append(dst, f.detail...), '}')
}

// AppendMomentum appends the momentum response (specification, section 2.13).
func (f *LiveFixture) AppendMomentum(dst []byte, now time.Time) []byte {
	dst = append(dst, `{"fixture_id":`...)
	dst = appendString(dst, f.ID)
	dst = append(dst, `,"momentum":`...)
	reason := f.reason(now)
	if reason == nil {
		dst = append(dst, `{"momentum":`...)
		dst = f.appendMomentum(dst, now)
		dst = append(dst, '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"unavailable_reason":`...)
	dst = appendStringOrNull(dst, reason)
	dst = append(dst, `,"statistics_url":"`...)
	dst = appendLivePath(dst, f.ID, "stats")
	return append(dst, `"}`...)
}

// AppendTimeline appends the timeline response. A feed that has become too old
// ends in a STALE entry, as the pipeline would enter it, and the entry before it
// holds until then.
func (f *LiveFixture) AppendTimeline(dst []byte, now time.Time) []byte {
	dst = append(dst, `{"fixture_id":`...)
	dst = appendString(dst, f.ID)
	dst = append(dst, `,"timeline":[`...)
	dst = append(dst, f.line...)
	stale := f.turnsStale(now)
	if f.newest != nil {
		newest := *f.newest
		if stale {
			newest.Until = *f.row.StaleAt
		}
		dst = appendEntry(dst, &newest)
	}
	if stale {
		if f.newest != nil {
			dst = append(dst, ',')
		}
		dst = appendEntry(dst, f.staleEntry(now))
	}
	return append(dst, "]}"...)
}

// AppendStats appends the stats response.
func (f *LiveFixture) AppendStats(dst []byte) []byte { return append(dst, f.stats...) }

// turnsStale tells whether the feed became too old after the row was made.
func (f *LiveFixture) turnsStale(now time.Time) bool {
	return f.StaleAt(now) && (f.row.VisualState == nil || *f.row.VisualState != string(football.VisualStale))
}

// onItsWay is how long a sample may take from the provider to here. What was not
// known may be known for that time already.
const onItsWay = 10 * time.Second

// staleEntry says from when on nothing was known, and until when that is certain.
// It stands where the scoreboard was last, which is not before the entry that it
// follows.
func (f *LiveFixture) staleEntry(now time.Time) *table.LiveTimelineRow {
	until := now.Add(-onItsWay)
	if until.Before(*f.row.StaleAt) {
		until = *f.row.StaleAt
	}
	e := &table.LiveTimelineRow{At: *f.row.StaleAt, Until: until, State: string(football.VisualStale),
		Certainty: string(football.Unknown), SideProven: string(football.SideNone), Minute: f.row.ClockMinute, Second: f.row.ClockSecond}
	if last := f.newest; last != nil && last.Minute != nil && place(e) < place(last) {
		e.Minute, e.Second = last.Minute, last.Second
	}
	return e
}

// place is an entry's place on the scoreboard in seconds, -1 when it has none.
func place(e *table.LiveTimelineRow) int32 {
	if e.Minute == nil {
		return -1
	}
	seconds := 60 * *e.Minute
	if e.Second != nil {
		seconds += *e.Second
	}
	return seconds
}

// reason says why there is no momentum at now; nil when there is.
func (f *LiveFixture) reason(now time.Time) *string {
	r := f.row
	if f.StaleAt(now) && (r.UnavailableReason == nil || *r.UnavailableReason != string(football.NotInPlay)) {
		stale := string(football.FeedStale)
		return &stale
	}
	if r.UnavailableReason == nil && (r.MomentumHome == nil || r.MomentumAway == nil) {
		few := string(football.InsufficientSamples) // never a number in place of unknown
		return &few
	}
	return r.UnavailableReason
}

// appendNow appends what depends on the time: visual state and momentum.
func (f *LiveFixture) appendNow(dst []byte, now time.Time) []byte {
	dst = append(dst, `,"visual_state":`...)
	dst = f.appendVisual(dst, now)
	dst = append(dst, `,"momentum":`...)
	reason := f.reason(now)
	if reason == nil {
		dst = f.appendMomentum(dst, now)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"unavailable_reason":`...)
	return appendStringOrNull(dst, reason)
}

func (f *LiveFixture) appendVisual(dst []byte, now time.Time) []byte {
	r := f.row
	if f.turnsStale(now) {
		return appendVisualState(dst, string(football.VisualStale), string(football.SideNone), string(football.Unknown), r.StaleAt)
	}
	if r.VisualState == nil {
		return append(dst, "null"...)
	}
	return appendVisualState(dst, *r.VisualState, or(r.VisualSide, string(football.SideNone)), or(r.VisualCertainty, string(football.Unknown)), r.VisualSince)
}

func appendVisualState(dst []byte, state, side, certainty string, since *time.Time) []byte {
	dst = append(dst, `{"state":`...)
	dst = appendString(dst, state)
	dst = append(dst, `,"side_proven":`...)
	dst = appendString(dst, side)
	dst = append(dst, `,"certainty":`...)
	dst = appendString(dst, certainty)
	dst = append(dst, `,"since":`...)
	dst = appendTimeOrNull(dst, since)
	return append(dst, '}')
}

// appendMomentum appends the inner object; there must be a number.
func (f *LiveFixture) appendMomentum(dst []byte, now time.Time) []byte {
	r := f.row
	dst = append(dst, `{"home":`...)
	dst = appendInt(dst, int64(*r.MomentumHome))
	dst = append(dst, `,"away":`...)
	dst = appendInt(dst, int64(*r.MomentumAway))
	dst = append(dst, `,"leader":`...)
	dst = appendStringOrNull(dst, r.MomentumLeader)
	dst = append(dst, `,"strength":`...)
	dst = appendStringOrNull(dst, r.MomentumStrength)
	dst = append(dst, `,"scope":`...)
	dst = appendString(dst, or(r.MomentumScope, string(football.ScopeFixture)))
	dst = append(dst, `,"feed_age_ms":`...)
	dst = appendInt(dst, AgeMS(r.FreshAt, now))
	return append(dst, '}')
}

func or(s *string, other string) string {
	if s == nil {
		return other
	}
	return *s
}
