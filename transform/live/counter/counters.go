// Package counter compares the counters and the score of a sample with those before: what rose is
// movement, and what fell, climbed back or was not comparable is not.
package counter

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// lastCount is a count of both sides, and when it was sent.
type lastCount struct {
	Pair
	at int64 // when it was sent; 0 for never
}

// Counters are the counters of a fixture, and its score.
type Counters struct {
	Score football.Score
	// Newest are the last sample's, and the baseline of the next.
	Newest []football.Counter
	// counted are the newest counts of what the timeline reports, in the order of
	// eventMetrics.
	counted [len(eventMetrics)]lastCount
	falls   []fall
	// sentAt is when the counters were last sent by a feed that moved, and 0 if that was before
	// they could be compared with newer ones. Those of a sample before sentFrom may be from
	// before the newest baseline.
	sentAt, sentFrom int64
}

// Moment is the step in which a sample is compared with those before it.
type Moment struct {
	At       int64 // in Unix milliseconds
	Tau      int   // in seconds of match clock since kick-off, breaks left out
	Patience int64 // for how many milliseconds a count that is not sent any more is that of now
	Runs     bool  // the match clock runs
	IsOver   bool  // the fixture had ended before
}

// countsOf returns the counts of a sample in the order of eventMetrics, if they were
// sent in it as numbers of both sides.
func countsOf(sample *input.Sample, at int64) (all [len(eventMetrics)]lastCount) {
	for i, metric := range eventMetrics {
		p, ok := Of(sample.Counters, metric)
		if metric == football.Goals {
			p, ok = goalsOf(sample.Score)
		} else if sample.CountersNotAsked {
			ok = false // they are those of an earlier sample
		}
		if ok {
			all[i] = lastCount{p, at}
		}
	}
	return all
}

// recount stores a sample's counts and returns how the events that they count changed. A change
// is undated if one of the counts was not sent for longer than [rules.StaleAfter], if falls is nil, if it
// is a counter and they are not comparable, or if it is the score after the end: a result may be awarded.
func (c *Counters) recount(sample *input.Sample, now Moment, falls *[]fall, comparable bool) (dated, undated [len(EventStates)]change) {
	before := c.counted
	var changed [len(eventMetrics)]change
	var hasGap [len(eventMetrics)]bool
	for i, count := range countsOf(sample, now.At) {
		if count.at == 0 {
			continue
		}
		c.counted[i] = count
		metric, patience := eventMetrics[i], now.Patience
		isComparable := true
		if metric != football.Goals {
			isComparable, patience = comparable, patience-sample.CountersLag.Milliseconds()
		}
		switch {
		case before[i].at == 0:
		case falls == nil:
			hasGap[i] = true
		case !isComparable || count.at-before[i].at > patience || metric == football.Goals && now.IsOver:
			hasGap[i] = true
			*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric })
		default:
			changed[i] = delta(falls, metric, before[i].Pair, count.Pair, now.Tau)
		}
	}
	for event, metrics := range countsIn {
		switch {
		case slices.ContainsFunc(metrics, func(i int) bool { return hasGap[i] }):
			undated[event] = difference(metrics, &before, &c.counted)
		case len(metrics) == 2:
			dated[event] = cards(changed[metrics[0]], changed[metrics[1]])
		default:
			dated[event] = changed[metrics[0]]
		}
	}
	return dated, undated
}

// difference returns by how much the sum of some counts is below or above what it was.
func difference(metrics []int, before, now *[len(eventMetrics)]lastCount) (c change) {
	var was, is Pair
	for _, i := range metrics {
		if before[i].at == 0 {
			return c
		}
		was, is = was.Plus(before[i].Pair), is.Plus(now[i].Pair)
	}
	for side := range was {
		c.Down[side], c.Up[side] = max(0, was[side]-is[side]), max(0, is[side]-was[side])
	}
	return c
}

// AreComparable reports whether the counters of a sample can be compared with the last
// ones: not if these may be from before a gap, or were sent too long ago.
func (c *Counters) AreComparable(sample *input.Sample, now Moment) bool {
	since := now.At - c.sentAt + sample.CountersLag.Milliseconds()
	return c.sentAt != 0 && (!now.Runs || sample.CountersLag == 0 || since <= now.Patience)
}

// Date records when counters were sent, if those of the next sample can be compared
// with them.
func (c *Counters) Date(sample *input.Sample, at int64) {
	if !sample.CountersNotAsked && at >= c.sentFrom {
		c.sentAt = at
	}
}

// Confirm records that a sample still has the counts of the last one.
func (c *Counters) Confirm(sample *input.Sample, at int64) {
	for i, count := range countsOf(sample, at) {
		if count.at != 0 {
			c.counted[i] = count
		}
	}
}

// Events returns how many events of a kind the counters say, if they are still published or not
// too old.
func (c *Counters) Events(event football.VisualState, now Moment) (count Pair, known bool) {
	known = true
	for _, i := range countsIn[Rank(event)] {
		_, isPublished := Of(c.Newest, eventMetrics[i])
		known = known && c.counted[i].at != 0 && (isPublished || now.At-c.counted[i].at <= now.Patience)
		count = count.Plus(c.counted[i].Pair)
	}
	return count, known
}

// NewestOf returns the newest count of one of eventMetrics.
func (c *Counters) NewestOf(metric football.Metric) Pair {
	return c.counted[slices.Index(eventMetrics[:], metric)].Pair
}

// Move stores a sample's counters and score as the next baseline, and returns the
// movement since the last. A metric that is new, or whose value fell for either side, has not
// moved. comparable reports whether the counters can be compared at all, and memory for how many
// seconds an event of a side that its counter took away may come back, 0 if there is none.
func (c *Counters) Move(sample *input.Sample, now Moment, comparable bool, memory func(football.VisualState, int) int) Movement {
	falls := slices.DeleteFunc(slices.Clone(c.falls), func(f fall) bool { return now.Tau-f.tau > memoryOf(f, memory) })
	var m Movement
	pressing := func(metric football.Metric) (up Pair, ok bool) {
		before, okBefore := Of(c.Newest, metric)
		is, ok := Of(sample.Counters, metric)
		if !ok || !okBefore || !comparable {
			return Pair{}, false
		}
		return delta(&falls, metric, before, is, now.Tau).Up, true
	}
	var attacks, dangerous bool
	m.Attacks, attacks = pressing(football.Attacks)
	m.Dangerous, dangerous = pressing(football.DangerousAttacks)
	m.Carried = attacks || dangerous
	m.OnTarget, _ = pressing(football.OnTarget)
	m.OffTarget, _ = pressing(football.OffTarget)
	m.Events, m.Undated = c.recount(sample, now, &falls, comparable)
	m.Corners = m.Rise(football.VisualCorner)
	c.falls, c.Newest, c.Score = falls, sample.Counters, sample.Score
	c.Date(sample, now.At)
	return m
}

// Rebase stores a sample's counters and score without counting them as movement. undated is how
// the counts changed.
func (c *Counters) Rebase(sample *input.Sample, now Moment) (undated [len(EventStates)]change) {
	_, undated = c.recount(sample, now, nil, false)
	c.Newest, c.Score, c.falls = sample.Counters, sample.Score, nil
	c.sentAt, c.sentFrom = 0, now.At+min(sample.CountersLag.Milliseconds(), int64(now.Tau)*1000)
	c.Date(sample, now.At)
	return undated
}

// BeginHalf forgets which counts fell: what rises from now on is of the new half.
func (c *Counters) BeginHalf() {
	c.falls = slices.DeleteFunc(slices.Clone(c.falls), func(f fall) bool { return slices.Contains(eventMetrics[:], f.metric) })
}

// SetBack makes the times of the counters those of a clock that was set back to at.
func (c *Counters) SetBack(at, freshAt int64) {
	c.sentAt, c.sentFrom = 0, at
	for i := range c.counted {
		c.counted[i].at = min(c.counted[i].at, freshAt)
	}
}

// memoryOf returns for how many seconds a fall is remembered: as long as one of the events that
// it took away may come back.
func memoryOf(f fall, memory func(football.VisualState, int) int) int {
	event := slices.IndexFunc(countsIn[:], func(metrics []int) bool {
		return slices.ContainsFunc(metrics, func(i int) bool { return eventMetrics[i] == f.metric })
	})
	if event < 0 {
		return rules.FallMemory
	}
	return cmp.Or(memory(EventStates[event], f.side), rules.EventMemory) // it may be of an event from before the first sample
}
