package live

import (
	"slices"
	"strings"

	"mkt/fetch/input"

	"mkt/publish/football"
)

type pair [2]int

func (p pair) plus(q pair) pair { return pair{p[0] + q[0], p[1] + q[1]} }

type fall struct {
	metric football.Metric
	side   int
	peak   int // its value before
	tau    int // when
}

type change struct {
	up     pair // movement: never negative, corrections left out
	down   pair // the counter fell: a correction
	back   pair // the counter climbed back to the value before its fall
	turned pair // the counter rose by as much as the other side's fell: the count changed sides
}

func (c change) plus(d change) change {
	return change{c.up.plus(d.up), c.down.plus(d.down), c.back.plus(d.back), c.turned.plus(d.turned)}
}

// movement is the difference of two samples, never negative.
type movement struct {
	attacks, dangerous, onTarget, offTarget, corners pair

	// events are those of the timeline, in the order of eventStates.
	events [len(eventStates)]change
	// baseline reports that the two samples cannot be compared: all of the above
	// is zero, except counters that are lower than before.
	baseline bool
	// carried reports whether attacks or dangerous attacks are in both samples.
	// Without them neither momentum nor the pressure per minute is known.
	carried bool
}

// eventMetrics are the counts that the timeline reports. Goals are those of the
// score.
var eventMetrics = [...]football.Metric{football.Substitutions, football.Corners, football.YellowCards, football.RedCards, football.Penalties, football.Goals}

type lastCount struct {
	pair
	at int64 // when it was sent; 0 for never
}

// countsOf returns the counts of a sample in the order of eventMetrics, if they were
// sent as numbers of both sides.
func countsOf(sample *input.Sample, at int64) (all [len(eventMetrics)]lastCount) {
	for i, metric := range eventMetrics {
		p, ok := counts(sample.Counters, metric)
		if metric == football.Goals {
			p, ok = goalsOf(sample.Score)
		}
		if ok {
			all[i] = lastCount{p, at}
		}
	}
	return all
}

// eventCounts stores a sample's counts and returns how each changed since it was last
// sent. A count that was not sent for longer than [StaleAfter] starts again.
func (s *State) eventCounts(sample *input.Sample, falls *[]fall) (changed [len(eventMetrics)]change) {
	for i, now := range countsOf(sample, s.at) {
		if now.at == 0 {
			continue
		}
		if before := s.counted[i]; before.at != 0 && now.at-before.at <= s.patience() {
			changed[i] = delta(falls, eventMetrics[i], before.pair, now.pair, s.tau)
		}
		s.counted[i] = now
	}
	return changed
}

// count returns how many events of a kind the counters say, if they are not too old.
func (s *State) count(event football.VisualState) (count pair, known bool) {
	known = true
	for _, i := range countsIn[rank(event)] {
		known = known && s.counted[i].at != 0 && s.at-s.counted[i].at <= s.patience()
		count = count.plus(s.counted[i].pair)
	}
	return count, known
}

// patience is for how many milliseconds a count that is not sent any more is that of now.
func (s *State) patience() int64 { return (StaleAfter + s.clock.patience()).Milliseconds() }

// countsIn holds, for each of eventStates, the indexes of its counters in eventMetrics.
var countsIn = [len(eventStates)][]int{{0}, {1}, {2, 3}, {4}, {5}}

func (m *movement) rise(event football.VisualState) pair { return m.events[rank(event)].up }

// move stores a sample's counters and score as the next baseline, and returns the
// movement since the last. A metric that is new, or of which either side fell, has not
// moved.
func (s *State) move(sample *input.Sample) movement {
	falls := slices.DeleteFunc(slices.Clone(s.falls), func(f fall) bool { return s.tau-f.tau > memoryOf(f.metric) })
	var m movement
	pressing := func(metric football.Metric) (up pair, ok bool) {
		before, okBefore := counts(s.counters, metric)
		now, ok := counts(sample.Counters, metric)
		if !ok || !okBefore {
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
	changed := s.eventCounts(sample, &falls)
	m.events = [len(eventStates)]change{changed[0], changed[1], cards(changed[2], changed[3]), changed[4], changed[5]}
	m.corners = m.rise(football.VisualCorner)
	s.falls, s.counters, s.score = falls, sample.Counters, sample.Score
	return m
}

func memoryOf(m football.Metric) int {
	if slices.Contains(eventMetrics[:], m) {
		return eventMemory
	}
	return fallMemory
}

// moved stores a sample's counts and returns by how much they are below or above the last
// ones, however old those are.
func (s *State) moved(sample *input.Sample) (events [len(eventStates)]change) {
	before := s.counted
	for i, now := range countsOf(sample, s.at) {
		if now.at != 0 {
			s.counted[i] = now
		}
	}
	for event, metrics := range countsIn {
		var was, is pair
		known := true
		for _, i := range metrics {
			known = known && before[i].at != 0
			was, is = was.plus(before[i].pair), is.plus(s.counted[i].pair)
		}
		for side := range was {
			if known {
				events[event].down[side], events[event].up[side] = max(0, was[side]-is[side]), max(0, is[side]-was[side])
			}
		}
	}
	return events
}

// cards adds up yellow and red cards. If the yellow count falls while the red count
// rises, that is a second yellow card, and no card is withdrawn.
func cards(yellow, red change) change {
	for side := range yellow.down {
		yellow.down[side] = max(0, yellow.down[side]-red.up[side])
	}
	return yellow.plus(red)
}

// delta returns how one metric changed. A rise together with the other side's fall is
// a correction too, and a counter that climbs back to its old value has not moved.
func delta(falls *[]fall, metric football.Metric, before, now pair, tau int) change {
	var c change
	var fellFrom [2]int // its place in falls, -1 for none
	for side := range now {
		i := slices.IndexFunc(*falls, func(f fall) bool { return f.metric == metric && f.side == side })
		fellFrom[side] = i
		c.down[side] = max(0, before[side]-now[side])
		from := before[side]
		if i >= 0 {
			from = max(from, (*falls)[i].peak)
			c.back[side] = max(0, min(now[side], from)-before[side])
		}
		if c.up[side] = max(0, now[side]-from); c.up[side] > maxDelta {
			c.up[side] = 0
		}
	}
	if c.down != (pair{}) {
		for side := range now {
			c.turned[side] = min(c.up[side]+c.back[side], c.down[1-side])
			c.down[1-side] -= c.turned[side]
			c.back[side] -= min(c.back[side], c.turned[side])
		}
		c.up = pair{}
	}
	for side, i := range fellFrom {
		if i < 0 && c.down[side] > 0 {
			*falls = append(*falls, fall{metric, side, now[side] + c.down[side], tau})
		}
	}
	*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric && now[f.side] >= f.peak })
	return c
}

// counts returns both sides of a metric, if both were sent and are counts.
func counts(counters []football.Counter, m football.Metric) (pair, bool) {
	i, ok := slices.BinarySearchFunc(counters, m, func(c football.Counter, m football.Metric) int {
		return strings.Compare(string(c.Metric), string(m))
	})
	if !ok {
		return pair{}, false
	}
	home, okHome := counters[i].Home.Get()
	away, okAway := counters[i].Away.Get()
	if !okHome || !okAway {
		return pair{}, false
	}
	h, okHome := home.Count()
	a, okAway := away.Count()
	return pair{h, a}, okHome && okAway
}

func goalsOf(s football.Score) (pair, bool) {
	home, okHome := s.Home.Get()
	away, okAway := s.Away.Get()
	return pair{home, away}, okHome && okAway
}

// possession returns both sides' percentages, if they add up to 100.
func possession(counters []football.Counter) (percent pair, ok bool) {
	percent, ok = counts(counters, football.Possession)
	return percent, ok && percent[0]+percent[1] == 100
}
