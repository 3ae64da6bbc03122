package api

import (
	"slices"
	"sync"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// LiveFixture is one fixture of the live product. It is rendered except for the parts that
// depend on the time of the request: the age of its feed, and whether the feed is too
// old. The fields of the fixture's own answers are rendered at the first request for one of
// them: few fixtures are asked for before the next publication. It is immutable, and safe
// for concurrent use.
type LiveFixture struct {
	ID        string
	InPlay    bool      // false: it left play and is kept for a while
	Detailed  bool      // in the detail set: momentum, timeline and stats have answers
	FetchedAt time.Time // when it was retrieved from the provider

	row    *table.LiveRow
	rows   LiveDetail
	head   []byte   // up to the score
	tail   []byte   // from detail_available on
	detail rendered // the fields that only the single fixture has
	past   rendered // the timeline without its newest entry, each entry with a comma
	newest *table.LiveTimelineRow
	stats  rendered // the stats response
}

// rendered is text that is rendered when it is first used.
type rendered struct {
	once sync.Once
	text []byte
}

func (r *rendered) get(render func() []byte) []byte {
	r.once.Do(func() { r.text = render() })
	return r.text
}

// LiveDetail has the rows of one fixture in the other tables of a live snapshot, in
// their order. All but Counters are empty outside the detail set.
type LiveDetail struct {
	Counters []table.LiveCounterRow
	Timeline []table.LiveTimelineRow
	Buckets  []table.LiveBucketRow
	Periods  []table.LivePeriodRow
}

// NewLiveFixture renders a fixture. It keeps the rows.
func NewLiveFixture(row *table.LiveRow, d LiveDetail) *LiveFixture {
	f := &LiveFixture{ID: row.FixtureID, InPlay: row.InPlay, Detailed: row.DetailRank != nil, FetchedAt: row.ProviderFetchedAt, row: row, rows: d}
	f.head = appendLiveHead(make([]byte, 0, 384), row)
	f.tail = appendLiveTail(make([]byte, 0, 160), row)
	if last := len(d.Timeline) - 1; f.Detailed && last >= 0 {
		f.newest = &d.Timeline[last]
	}
	return f
}

func (f *LiveFixture) renderDetail() []byte {
	return appendLiveDetail(make([]byte, 0, 2048), f.row, f.rows.Counters)
}

func (f *LiveFixture) renderPast() (past []byte) {
	if f.newest == nil {
		return nil
	}
	for i := range len(f.rows.Timeline) - 1 {
		past = append(appendEntry(past, &f.rows.Timeline[i]), ',')
	}
	return past
}

func (f *LiveFixture) renderStats() []byte {
	if !f.Detailed {
		return nil
	}
	return appendStats(make([]byte, 0, 64+40*len(f.rows.Buckets)), f.row, f.rows.Buckets, f.rows.Periods)
}

// StaleAt reports whether the fixture is in play and its newest data is too old at now.
// While the pipeline runs, the row says so as well; this also works if it has stopped.
func (f *LiveFixture) StaleAt(now time.Time) bool {
	return f.InPlay && f.row.StaleAt != nil && now.After(*f.row.StaleAt)
}

// Runs reports whether the clock runs, according to the provider.
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
	return append(append(dst, f.detail.get(f.renderDetail)...), '}')
}

// AppendMomentum appends the momentum response (specification, section 2.13).
func (f *LiveFixture) AppendMomentum(dst []byte, now time.Time) []byte {
	dst = addText(dst, `{"fixture_id":`, f.ID)
	reason := f.reason(now)
	if reason == nil {
		dst = append(dst, `,"momentum":{"momentum":`...)
		dst = append(f.appendMomentum(dst, now), '}')
	} else {
		dst = addNull(dst, `,"momentum":`)
	}
	dst = addTextOrNull(dst, `,"unavailable_reason":`, reason)
	dst = addText(dst, `,"statistics_url":`, livePath(f.ID, "stats"))
	return append(dst, '}')
}

// AppendTimeline appends the timeline response. If the feed is too old, the last entry
// is STALE, as the pipeline would add it, and the entry before ends where it begins.
func (f *LiveFixture) AppendTimeline(dst []byte, now time.Time) []byte {
	dst = addText(dst, `{"fixture_id":`, f.ID)
	dst = addIntOrNull(dst, `,"timeline_revision":`, f.row.TimelineRevision)
	dst = append(append(dst, `,"timeline":[`...), f.past.get(f.renderPast)...)
	stale := f.becameStale(now)
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
	dst = appendArray(append(dst, `],"withdrawn":`...), f.row.Withdrawn, appendWithdrawn)
	return append(dst, '}')
}

// AppendStats appends the stats response.
func (f *LiveFixture) AppendStats(dst []byte) []byte {
	return append(dst, f.stats.get(f.renderStats)...)
}

func (f *LiveFixture) becameStale(now time.Time) bool {
	return f.StaleAt(now) && (f.row.VisualState == nil || *f.row.VisualState != string(football.VisualStale))
}

// maxTransit is the maximum time that a sample needs from the provider to here. A sample
// of the last seconds may already exist although it has not arrived.
const maxTransit = 10 * time.Second

// staleEntry returns the timeline entry for the time in which nothing was known. It ends
// where a sample could already be on its way. Its time on the scoreboard is the last
// known one, which is not before that of the previous entry.
func (f *LiveFixture) staleEntry(now time.Time) *table.LiveTimelineRow {
	until := now.Add(-maxTransit)
	if until.Before(*f.row.StaleAt) {
		until = *f.row.StaleAt
	}
	e := &table.LiveTimelineRow{At: *f.row.StaleAt, Until: until, State: string(football.VisualStale),
		Certainty: string(football.Unknown), SideProven: string(football.SideNone), Minute: f.row.ClockMinute, Second: f.row.ClockSecond}
	if last := f.newest; last != nil && last.EntryID != nil {
		id := string(football.AppendStaleEntry([]byte(football.MatchOfEntry(*last.EntryID)), e.At))
		e.EntryID = &id
	}
	if end := int32(football.HalfEnds(f.half())); end > 0 && e.Minute != nil && *e.Minute >= end {
		added, zero := *e.Minute-end+1, int32(0)
		e.Minute, e.Added = &end, &added
		if e.Second != nil {
			e.Second = &zero
		}
	}
	if last := f.newest; last != nil && last.Minute != nil && slices.Compare(scoreboard(e), scoreboard(last)) < 0 {
		e.Minute, e.Second, e.Added = last.Minute, last.Second, last.Added
	}
	return e
}

// half returns the half that is played, 0 if none is.
func (f *LiveFixture) half() int {
	if f.row.ClockPeriod == nil {
		return 0
	}
	return football.Phase(*f.row.ClockPeriod).Half()
}

// scoreboard returns where an entry is on the scoreboard, as numbers to compare.
func scoreboard(e *table.LiveTimelineRow) []int64 {
	if e.Minute == nil {
		return nil
	}
	return []int64{int64(*e.Minute), orZero(e.Second), orZero(e.Added)}
}

func (f *LiveFixture) reason(now time.Time) *string {
	r := f.row
	if f.StaleAt(now) && (r.UnavailableReason == nil || *r.UnavailableReason != string(football.NotInPlay)) {
		stale := string(football.FeedStale)
		return &stale
	}
	if r.UnavailableReason == nil && (r.MomentumHome == nil || r.MomentumAway == nil) {
		few := string(football.InsufficientSamples) // an unknown value is never shown as a number
		return &few
	}
	return r.UnavailableReason
}

// appendNow appends the fields that depend on the time: visual state and momentum.
func (f *LiveFixture) appendNow(dst []byte, now time.Time) []byte {
	dst = f.appendVisual(append(dst, `,"visual_state":`...), now)
	reason := f.reason(now)
	if reason == nil {
		dst = f.appendMomentum(append(dst, `,"momentum":`...), now)
	} else {
		dst = addNull(dst, `,"momentum":`)
	}
	return addTextOrNull(dst, `,"unavailable_reason":`, reason)
}

func (f *LiveFixture) appendVisual(dst []byte, now time.Time) []byte {
	r := f.row
	state, side, certainty, since := r.VisualState, or(r.VisualSide, string(football.SideNone)), or(r.VisualCertainty, string(football.Unknown)), r.VisualSince
	if f.becameStale(now) {
		stale := string(football.VisualStale)
		state, side, certainty, since = &stale, string(football.SideNone), string(football.Unknown), r.StaleAt
	}
	if state == nil {
		return append(dst, "null"...)
	}
	dst = addText(dst, `{"state":`, *state)
	dst = addText(dst, `,"side_proven":`, side)
	dst = addText(dst, `,"certainty":`, certainty)
	dst = addTimeOrNull(dst, `,"since":`, since)
	return append(dst, '}')
}

// appendMomentum appends the value of momentum; the row must have the numbers.
func (f *LiveFixture) appendMomentum(dst []byte, now time.Time) []byte {
	r := f.row
	dst = addInt(dst, `{"home":`, int64(*r.MomentumHome))
	dst = addInt(dst, `,"away":`, int64(*r.MomentumAway))
	dst = addTextOrNull(dst, `,"leader":`, r.MomentumLeader)
	dst = addTextOrNull(dst, `,"strength":`, r.MomentumStrength)
	dst = addText(dst, `,"scope":`, or(r.MomentumScope, string(football.ScopeFixture)))
	dst = addInt(dst, `,"feed_age_ms":`, AgeMS(r.FreshAt, now))
	return append(dst, '}')
}

func or(s *string, other string) string {
	if s == nil {
		return other
	}
	return *s
}
