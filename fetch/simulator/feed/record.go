package feed

import (
	"slices"
	"time"

	"mkt/fetch/simulator/play"
)

// The true events of a match and the feed's changes to them, to compare with a
// program's reading of the feed. Times count from the kick-off whistle. All of it is known
// from the beginning. Callers may modify the slices.

// Periods returns the periods in the order of play.
func (m *Match) Periods() []play.Period { return slices.Clone(m.script.Periods) }

// Increments returns everything counted, by time.
func (m *Match) Increments() []play.Increment { return slices.Clone(m.script.Increments) }

// Incidents returns the incidents, by time, without disallowed goals.
func (m *Match) Incidents() []play.Incident { return slices.Clone(m.script.Incidents) }

// Kicks returns the kicks of the shoot-out, by time; none if there is no shoot-out.
func (m *Match) Kicks() []play.Kick { return slices.Clone(m.script.Kicks) }

// Reported returns every entry of the feed's timeline in the order of appearance,
// including those withdrawn later.
func (m *Match) Reported() []Reported { return slices.Clone(m.reported) }

// Corrections returns the times in which the value sent of a metric was wrong.
func (m *Match) Corrections() []Correction { return slices.Clone(m.corrections) }

// Gaps returns the times in which a metric was not sent or had no value.
func (m *Match) Gaps() []Gap { return slices.Clone(m.gaps) }

// Stalls returns when the match stood still in the feed. For the feed as a whole see
// [Feed.Time].
func (m *Match) Stalls() []Span { return slices.Clone(m.stalls) }

// GoalsLag is how far the goals among the counters lag behind the score.
func (m *Match) GoalsLag() time.Duration { return m.lag }

// Covers reports whether the feed ever has a metric of this match.
func (m *Match) Covers(metric play.Metric) bool { return m.covered.has(metric) }

// True returns everything counted up to and including a moment.
func (m *Match) True(now time.Time) play.Counts { return m.script.Counts(now.Sub(m.Whistle)) }

// RealID is the id of a replayed real match, "" for an invented one.
func (m *Match) RealID() string { return m.script.ID }

// Minute is one minute of play as it truly was.
type Minute struct {
	Span               // includes its end in the last minute, which is shorter
	Half   int         // 1 or 2, in extra time 3 or 4
	Minute int         // from 1; 46 begins the second half, 91 and 106 those of extra time
	Added  int         // minute of stoppage time from 1, in which Minute is the last of the half; else 0
	Counts play.Counts // counted in this minute alone
}

// Minutes returns every minute of play, in order.
func (m *Match) Minutes() []Minute {
	var all []Minute
	for _, p := range m.script.Periods {
		if !p.Phase.Playing() {
			continue
		}
		last := int((p.Base + p.Length) / time.Minute)
		for from := p.From; from < p.To; from += time.Minute {
			minute := int((p.Base+from-p.From)/time.Minute) + 1
			all = append(all, Minute{Span: Span{from, min(from+time.Minute, p.To)}, Half: p.Phase.Half(), Minute: min(minute, last), Added: max(0, minute-last)})
		}
	}
	i := 0
	for _, inc := range m.script.Increments {
		for i < len(all)-1 && inc.At >= all[i].To && !(inc.At == all[i].To && all[i+1].From > inc.At) {
			i++
		}
		all[i].Counts[inc.Side][inc.Metric] += int32(inc.N)
	}
	return all
}
