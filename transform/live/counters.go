package live

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

type lastCount struct {
	pair
	at int64 // when it was sent; 0 for never
}

// counters are the counters of a fixture, and its score.
type counters struct {
	score football.Score
	// newest are the last sample's, and the baseline of the next.
	newest []football.Counter
	// counted are the newest counts of what the timeline reports, in the order of
	// eventMetrics.
	counted [len(eventMetrics)]lastCount
	falls   []fall
	// sentAt is when the counters were last sent by a feed that moved, and 0 if that was before
	// they could be compared with newer ones. Those of a sample before sentFrom may be from
	// before the newest baseline.
	sentAt, sentFrom int64
}

// moment is the step in which a sample is compared with those before it.
type moment struct {
	at       int64 // in Unix milliseconds
	tau      int   // in seconds of match clock since kick-off, breaks left out
	patience int64 // for how many milliseconds a count that is not sent any more is that of now
	runs     bool  // the match clock runs
	isOver   bool  // the fixture had ended before
}

// countsOf returns the counts of a sample in the order of eventMetrics, if they were
// sent in it as numbers of both sides.
func countsOf(sample *input.Sample, at int64) (all [len(eventMetrics)]lastCount) {
	for i, metric := range eventMetrics {
		p, ok := counts(sample.Counters, metric)
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
// is undated if one of the counts was not sent for longer than [StaleAfter], if falls is nil, if it
// is a counter and they are not comparable, or if it is the score after the end: a result may be awarded.
func (c *counters) recount(sample *input.Sample, now moment, falls *[]fall, comparable bool) (dated, undated [len(eventStates)]change) {
	before := c.counted
	var changed [len(eventMetrics)]change
	var hasGap [len(eventMetrics)]bool
	for i, count := range countsOf(sample, now.at) {
		if count.at == 0 {
			continue
		}
		c.counted[i] = count
		metric, patience := eventMetrics[i], now.patience
		isComparable := true
		if metric != football.Goals {
			isComparable, patience = comparable, patience-sample.CountersLag.Milliseconds()
		}
		switch {
		case before[i].at == 0:
		case falls == nil:
			hasGap[i] = true
		case !isComparable || count.at-before[i].at > patience || metric == football.Goals && now.isOver:
			hasGap[i] = true
			*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric })
		default:
			changed[i] = delta(falls, metric, before[i].pair, count.pair, now.tau)
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
	var was, is pair
	for _, i := range metrics {
		if before[i].at == 0 {
			return c
		}
		was, is = was.plus(before[i].pair), is.plus(now[i].pair)
	}
	for side := range was {
		c.down[side], c.up[side] = max(0, was[side]-is[side]), max(0, is[side]-was[side])
	}
	return c
}

// areComparable reports whether the counters of a sample can be compared with the last
// ones: not if these may be from before a gap, or were sent too long ago.
func (c *counters) areComparable(sample *input.Sample, now moment) bool {
	since := now.at - c.sentAt + sample.CountersLag.Milliseconds()
	return c.sentAt != 0 && (!now.runs || sample.CountersLag == 0 || since <= now.patience)
}

// date records when counters were sent, if those of the next sample can be compared
// with them.
func (c *counters) date(sample *input.Sample, at int64) {
	if !sample.CountersNotAsked && at >= c.sentFrom {
		c.sentAt = at
	}
}

// confirm records that a sample still has the counts of the last one.
func (c *counters) confirm(sample *input.Sample, at int64) {
	for i, count := range countsOf(sample, at) {
		if count.at != 0 {
			c.counted[i] = count
		}
	}
}

// events returns how many events of a kind the counters say, if they are still published or not
// too old.
func (c *counters) events(event football.VisualState, now moment) (count pair, known bool) {
	known = true
	for _, i := range countsIn[rank(event)] {
		_, isPublished := counts(c.newest, eventMetrics[i])
		known = known && c.counted[i].at != 0 && (isPublished || now.at-c.counted[i].at <= now.patience)
		count = count.plus(c.counted[i].pair)
	}
	return count, known
}

// newestOf returns the newest count of one of eventMetrics.
func (c *counters) newestOf(metric football.Metric) pair {
	return c.counted[slices.Index(eventMetrics[:], metric)].pair
}

// move stores a sample's counters and score as the next baseline, and returns the
// movement since the last. A metric that is new, or of which either side fell, has not
// moved. comparable reports whether the counters can be compared at all, and memory for how many
// seconds an event of a side that its counter took away may come back, 0 if there is none.
func (c *counters) move(sample *input.Sample, now moment, comparable bool, memory func(football.VisualState, int) int) movement {
	falls := slices.DeleteFunc(slices.Clone(c.falls), func(f fall) bool { return now.tau-f.tau > memoryOf(f, memory) })
	var m movement
	pressing := func(metric football.Metric) (up pair, ok bool) {
		before, okBefore := counts(c.newest, metric)
		is, ok := counts(sample.Counters, metric)
		if !ok || !okBefore || !comparable {
			return pair{}, false
		}
		return delta(&falls, metric, before, is, now.tau).up, true
	}
	var attacks, dangerous bool
	m.attacks, attacks = pressing(football.Attacks)
	m.dangerous, dangerous = pressing(football.DangerousAttacks)
	m.carried = attacks || dangerous
	m.onTarget, _ = pressing(football.OnTarget)
	m.offTarget, _ = pressing(football.OffTarget)
	m.events, m.undated = c.recount(sample, now, &falls, comparable)
	m.corners = m.rise(football.VisualCorner)
	c.falls, c.newest, c.score = falls, sample.Counters, sample.Score
	c.date(sample, now.at)
	return m
}

// rebase stores a sample's counters and score without counting them as movement. undated is how
// the counts changed.
func (c *counters) rebase(sample *input.Sample, now moment) (undated [len(eventStates)]change) {
	_, undated = c.recount(sample, now, nil, false)
	c.newest, c.score, c.falls = sample.Counters, sample.Score, nil
	c.sentAt, c.sentFrom = 0, now.at+min(sample.CountersLag.Milliseconds(), int64(now.tau)*1000)
	c.date(sample, now.at)
	return undated
}

// beginHalf forgets which counts fell: what rises from now on is of the new half.
func (c *counters) beginHalf() {
	c.falls = slices.DeleteFunc(slices.Clone(c.falls), func(f fall) bool { return slices.Contains(eventMetrics[:], f.metric) })
}

// setBack makes the times of the counters those of a clock that was set back to at.
func (c *counters) setBack(at, freshAt int64) {
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
		return fallMemory
	}
	return cmp.Or(memory(eventStates[event], f.side), eventMemory) // it may be of an event from before the first sample
}
