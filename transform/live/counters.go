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
func (s *State) recount(sample *input.Sample, falls *[]fall, comparable bool) (dated, undated [len(eventStates)]change) {
	before := s.counted
	var changed [len(eventMetrics)]change
	var hasGap [len(eventMetrics)]bool
	for i, now := range countsOf(sample, s.at) {
		if now.at == 0 {
			continue
		}
		s.counted[i] = now
		metric, patience := eventMetrics[i], s.patience()
		isComparable := true
		if metric != football.Goals {
			isComparable, patience = comparable, patience-sample.CountersLag.Milliseconds()
		}
		switch {
		case before[i].at == 0:
		case falls == nil:
			hasGap[i] = true
		case !isComparable || now.at-before[i].at > patience || metric == football.Goals && s.isOver():
			hasGap[i] = true
			*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric })
		default:
			changed[i] = delta(falls, metric, before[i].pair, now.pair, s.tau)
		}
	}
	for event, metrics := range countsIn {
		switch {
		case slices.ContainsFunc(metrics, func(i int) bool { return hasGap[i] }):
			undated[event] = difference(metrics, &before, &s.counted)
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

// countersComparable reports whether the counters of a sample can be compared with the last
// ones: not if these may be from before a gap, or were sent too long ago.
func (s *State) countersComparable(sample *input.Sample) bool {
	since := s.at - s.countersAt + sample.CountersLag.Milliseconds()
	return s.countersAt != 0 && (!s.clock.runs || sample.CountersLag == 0 || since <= s.patience())
}

// datesCounters records when counters were sent, if those of the next sample can be compared
// with them.
func (s *State) datesCounters(sample *input.Sample) {
	if !sample.CountersNotAsked && s.at >= s.countersFrom {
		s.countersAt = s.at
	}
}

// confirmCounts records that a sample still has the counts of the last one.
func (s *State) confirmCounts(sample *input.Sample) {
	for i, now := range countsOf(sample, s.at) {
		if now.at != 0 {
			s.counted[i] = now
		}
	}
}

// count returns how many events of a kind the counters say, if they are still published or not
// too old.
func (s *State) count(event football.VisualState) (count pair, known bool) {
	known = true
	for _, i := range countsIn[rank(event)] {
		_, isPublished := counts(s.counters, eventMetrics[i])
		known = known && s.counted[i].at != 0 && (isPublished || s.at-s.counted[i].at <= s.patience())
		count = count.plus(s.counted[i].pair)
	}
	return count, known
}

// patience is for how many milliseconds a count that is not sent any more is that of now.
func (s *State) patience() int64 { return (StaleAfter + s.clock.patience()).Milliseconds() }

// move stores a sample's counters and score as the next baseline, and returns the
// movement since the last. A metric that is new, or of which either side fell, has not
// moved. comparable reports whether the counters can be compared at all.
func (s *State) move(sample *input.Sample, comparable bool) movement {
	falls := slices.DeleteFunc(slices.Clone(s.falls), func(f fall) bool { return s.tau-f.tau > s.memoryOf(f) })
	var m movement
	pressing := func(metric football.Metric) (up pair, ok bool) {
		before, okBefore := counts(s.counters, metric)
		now, ok := counts(sample.Counters, metric)
		if !ok || !okBefore || !comparable {
			return pair{}, false
		}
		return delta(&falls, metric, before, now, s.tau).up, true
	}
	var attacks, dangerous bool
	m.attacks, attacks = pressing(football.Attacks)
	m.dangerous, dangerous = pressing(football.DangerousAttacks)
	m.carried = attacks || dangerous
	m.onTarget, _ = pressing(football.OnTarget)
	m.offTarget, _ = pressing(football.OffTarget)
	m.events, m.undated = s.recount(sample, &falls, comparable)
	m.corners = m.rise(football.VisualCorner)
	s.falls, s.counters, s.score = falls, sample.Counters, sample.Score
	s.datesCounters(sample)
	return m
}

// memoryOf returns for how many seconds a fall is remembered: as long as one of the events that
// it took away may come back.
func (s *State) memoryOf(f fall) int {
	state := slices.IndexFunc(countsIn[:], func(metrics []int) bool {
		return slices.ContainsFunc(metrics, func(i int) bool { return eventMetrics[i] == f.metric })
	})
	if state < 0 {
		return fallMemory
	}
	memory := 0
	for i := range s.timeline {
		if e := &s.timeline[i]; e.state == eventStates[state] && e.side == sides[f.side] && e.counted == notCounted && e.fellAt != never {
			memory = max(memory, s.memoryOfEvent(e))
		}
	}
	return cmp.Or(memory, eventMemory) // it may be of an event from before the first sample
}
