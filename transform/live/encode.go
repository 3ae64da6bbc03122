package live

import (
	"mkt/publish/football"
)

// Version is the version of the encoding, its fourth byte. A state of another version
// is refused, and the next cycle begins with baselines.
//
//	1: first
//	2: what the timeline was observed from, the seconds of a minute that were seen,
//	   and what threatens
//	3: when the counters were sent. A state of version 2 is read as well
const Version = 3

// magic is the beginning of every encoded state.
const magic = "mls"

// Encode appends the state to b. Equal states have equal bytes, in every build and on
// every machine, and Decode returns an equal state. Integers are varints, signed ones
// in zig-zag encoding. Texts and lists follow their length, and fields their state.
func (s *State) Encode(b []byte) []byte { return s.encode(b, Version) }

func (s *State) encode(b []byte, version int) []byte {
	e := encoder{append(append(b, magic...), byte(version))}
	e.identity(&s.who)
	for _, at := range []int64{s.firstAt, s.at - s.firstAt, s.freshAt - s.firstAt, s.leftAt} {
		e.int(at)
	}
	e.clock(&s.clock)
	e.number(s.score.Home)
	e.number(s.score.Away)
	e.counters(s.counters)
	e.counted(&s.counted, s.firstAt)
	e.falls(s.falls)
	if version > 2 {
		e.flag(s.countersAt != 0)
		if s.countersAt != 0 {
			e.int(s.countersAt - s.firstAt)
		}
		e.int(s.countersFrom - s.firstAt)
	}
	e.int(int64(s.tau))
	e.int(int64(s.tau - s.seenTau))
	e.int(int64(s.observed))
	e.pressure(&s.pressure)
	e.int(int64(s.ranTo))
	for _, cells := range s.cells {
		e.cells(cells)
	}
	e.timeline(s.timeline, s.firstAt, s.tau)
	e.int(s.heldAt - s.firstAt)
	e.scene(&s.scene, s.tau)
	e.place(s.base)
	e.flag(s.wasListed)
	e.len(len(s.incidents))
	for _, i := range s.incidents {
		e.mark(i.mark)
		e.mark(i.what)
		e.flag(i.missed)
	}
	return e.b
}

func (e *encoder) identity(i *identity) {
	e.text(i.fixtureID)
	e.text(i.eventID)
	e.textField(i.home)
	e.textField(i.away)
	e.textField(i.league)
	e.time(i.startsAt)
}

func (e *encoder) clock(c *clock) {
	e.byte(phaseCodes.of(c.Phase))
	e.number(c.Minute)
	e.number(c.Second)
	e.number(c.Added)
	e.byte(int(c.Running.State()))
	e.flag(c.Running.Or(false))
	e.byte(c.half)
	e.int(int64(c.position))
	e.flag(c.known)
	e.flag(c.runs)
}

func (e *encoder) counters(counters []football.Counter) {
	e.len(len(counters))
	for _, c := range counters {
		code := metricCodes.of(c.Metric) + 1
		e.len(code)
		if code == 0 {
			e.text(string(c.Metric))
		}
		e.byte(int(c.Home.State())<<4 | int(c.Away.State()))
		for _, f := range []football.Field[football.Number]{c.Home, c.Away} {
			if v, ok := f.Get(); ok {
				e.text(v.Text())
			}
		}
	}
}

func (e *encoder) falls(falls []fall) {
	e.len(len(falls))
	for _, f := range falls {
		e.byte(metricCodes.of(f.metric))
		e.byte(f.side)
		e.int(int64(f.peak))
		e.int(int64(f.tau))
	}
}

func (e *encoder) pressure(p *pressure) {
	for side := range sides {
		e.int(p.fast[side])
		e.int(p.slow[side])
		e.int(p.held[side])
	}
	e.flag(p.hasHeld)
	e.byte(p.threat.kind<<1 | p.threat.side)
	e.int(int64(p.threat.until))
}

func (e *encoder) cells(cells []cell) {
	e.len(len(cells))
	for _, c := range cells {
		e.len(int(c.home))
		e.len(int(c.away))
		e.b = append(e.b, c.seconds[:]...)
	}
}

func (e *encoder) place(p boardPosition) {
	e.byte(p.half<<1 | bitIf(p.known, 1))
	e.int(int64(p.position))
}

// Flags of an entry. The two bits above them hold its counting.
const (
	hasProof = 1 << iota
	wasWithdrawn
	hasFallen
	isGone
	countingShift = iota
)

// timeline writes each time relative to the one before.
func (e *encoder) timeline(entries []entry, since int64, now int) {
	e.len(len(entries))
	for i := range entries {
		t := &entries[i]
		e.int(t.at - since)
		since = t.at
		e.place(t.boardPosition)
		e.byte(visualCodes.of(t.state)<<4 | certaintyCodes.of(t.certainty)<<2 | sideCodes.of(t.side))
		e.byte(bitIf(t.proof.mark != 0, hasProof) | bitIf(t.proof.withdrawn, wasWithdrawn) | bitIf(t.fellAt != never, hasFallen) |
			bitIf(t.gone, isGone) | int(t.counted)<<countingShift)
		if t.proof.mark != 0 {
			e.mark(t.proof.mark)
			e.place(boardPosition{half: t.proof.minute.half, position: t.proof.minute.from})
			e.int(t.proof.listedAt - t.at)
		}
		if t.fellAt != never {
			e.int(int64(t.fellAt - now))
		}
	}
}

func (e *encoder) counted(counted *[len(eventMetrics)]lastCount, since int64) {
	for _, c := range counted {
		e.flag(c.at != 0)
		if c.at != 0 {
			e.int(c.at - since)
			e.int(int64(c.pair[0]))
			e.int(int64(c.pair[1]))
		}
	}
}

func bitIf(is bool, bit int) int {
	if is {
		return bit
	}
	return 0
}

// scene writes times relative to now. A time of never is a zero flag.
func (e *encoder) scene(s *scene, now int) {
	for _, tau := range []int{s.heldUntil, s.attack[0], s.attack[1], s.dangerous[0], s.dangerous[1], s.danger[0], s.danger[1]} {
		if tau == never {
			e.flag(false)
			continue
		}
		e.flag(true)
		e.int(int64(tau - now))
	}
	e.byte(s.pressing)
}
