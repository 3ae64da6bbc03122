package feed

import (
	"time"

	"mkt/fetch/simulator/play"
)

// Oddities are the errors of real feeds: the share of fixtures, 0 to 1, that has each.
// Frozen is the share of half hours in which the whole feed stands still for a minute or
// two.
type Oddities struct {
	Corrected  float64 // counters fall and recover, rise and fall again, or have the sides swapped
	Disallowed float64 // a goal is shown and taken back
	Vanishing  float64 // a metric is missing for some minutes
	Null       float64 // a metric has no value for some minutes, of one side or both
	Late       float64 // a metric appears in the middle of the match
	Stalled    float64 // the fixture's numbers and clock stand still
	Frozen     float64
}

// Usual are the oddities if a world has none of its own: a dozen matches show some of each.
func Usual() Oddities {
	return Oddities{Corrected: 0.30, Disallowed: 0.10, Vanishing: 0.12, Null: 0.10, Late: 0.06, Stalled: 0.08, Frozen: 0.08}
}

// Span is from one moment until just before another.
type Span struct{ From, To time.Duration }

func (s Span) holds(at time.Duration) bool { return at >= s.From && at < s.To }

// Correction is a time in which the value sent of a metric is wrong. Spans count from the
// kick-off whistle.
type Correction struct {
	Span
	Metric play.Metric
	Side   play.Side
	By     int // added to the true value
	Why    Reason
}

// Reason of a correction.
type Reason uint8

const (
	Lowered    Reason = iota // falls, and recovers at once
	Invented                 // rises, and is taken back
	Swapped                  // has the sides swapped first
	Disallowed               // a goal that did not count
)

func (r Reason) String() string {
	return [...]string{"lowered", "invented", "swapped", "disallowed"}[r]
}

// Gap is a time in which a metric is not sent, or is sent without a value.
type Gap struct {
	Span
	Metric play.Metric
	Null   bool    // sent without a value, for the sides that are true in Sides
	Sides  [2]bool // both where Null is false
}

// feedErrors are all the errors of the feed in one match. All are corrected in the end: a
// match ends with its true numbers, if they are sent.
type feedErrors struct {
	covered     metricSet
	corrections []Correction
	gaps        []Gap
	stalls      []Span
	retracted   []retraction
	lag         time.Duration // delay of the goals among the counters against the score
	runsOn      time.Duration // how long the clock continues after the first half
}

// retraction is an entry of the timeline that is withdrawn.
type retraction struct {
	play.Incident
	withdrawn time.Duration
}
