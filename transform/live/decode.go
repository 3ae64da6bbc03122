package live

import (
	"bytes"
	"errors"
	"fmt"

	"mkt/publish/football"
)

// ErrVersion is returned for a state written in an encoding this build does not
// know.
var ErrVersion = errors.New("live state of another version")

var errDamaged = errors.New("damaged live state")

// Decode reads an encoded state. It accepts exactly the output of [State.Encode], and that of
// version 2. The state does not hold on to b.
func Decode(b []byte) (State, error) {
	s, err := Restore(b)
	if err == nil && !bytes.Equal(s.encode(nil, int(b[len(magic)])), b) {
		return State{}, errDamaged
	}
	return s, err
}

// Restore is Decode for bytes that Encode is known to have written, because they were never
// stored: it does not compare them with what it read.
func Restore(b []byte) (State, error) {
	if len(b) < len(magic)+1 || string(b[:len(magic)]) != magic {
		return State{}, errDamaged
	}
	version := int(b[len(magic)])
	if version != 2 && version != Version {
		return State{}, fmt.Errorf("%w: %d", ErrVersion, version)
	}
	d := decoder{b: b[len(magic)+1:]}
	s := d.state(version)
	if d.failed || len(d.b) > 0 {
		return State{}, errDamaged
	}
	return s, nil
}

func (d *decoder) state(version int) State {
	var s State
	s.who = identity{d.text(), d.text(), d.textField(), d.textField(), d.textField(), d.time()}
	s.firstAt = d.int()
	s.at, s.freshAt, s.leftAt = s.firstAt+d.int(), s.firstAt+d.int(), d.int()
	s.clock = d.clock()
	s.score = football.Score{Home: d.number(), Away: d.number()}
	s.counters = d.counters()
	s.counted = d.counted(s.firstAt)
	s.falls = d.falls()
	s.countersAt = s.freshAt
	if version > 2 {
		if s.countersAt = 0; d.flag() {
			s.countersAt = s.firstAt + d.int()
		}
		s.countersFrom = s.firstAt + d.int()
	}
	s.tau = d.whole()
	s.seenTau, s.observed = s.tau-d.whole(), d.whole()
	s.pressure = d.pressure()
	s.ranTo = d.whole()
	for half := range s.cells {
		s.cells[half] = d.cells(halfMinutes(half+1) + maxStoppage)
	}
	s.timeline = d.timeline(s.firstAt, s.tau)
	s.heldAt = s.firstAt + d.int()
	s.scene = d.scene(s.tau)
	s.base = d.place()
	s.wasListed = d.flag()
	if n := d.len(maxIncidents, 9); n > 0 {
		s.incidents = make([]incident, n)
		for i := range s.incidents {
			s.incidents[i] = incident{d.mark(), d.mark(), d.flag()}
		}
	}
	return s
}

func (d *decoder) clock() clock {
	var c clock
	c.Phase = phaseCodes[d.code(len(phaseCodes))]
	c.Minute, c.Second, c.Added = d.number(), d.number(), d.number()
	c.Running = fieldOf(d, func() bool { return d.flag() })
	if c.Running.State() != football.Present {
		d.flag()
	}
	c.half, c.position = d.code(len(halfBegins)), d.whole()
	c.known, c.runs = d.flag(), d.flag()
	return c
}

func (d *decoder) counters() []football.Counter {
	n := d.len(maxCounters, 2)
	if n == 0 {
		return nil
	}
	counters := make([]football.Counter, n)
	for i := range counters {
		c := &counters[i]
		if code := d.len(len(metricCodes), 0); code > 0 {
			c.Metric = metricCodes[code-1]
		} else {
			c.Metric = football.Metric(d.text())
		}
		states := d.code(256)
		c.Home, c.Away = d.counter(states>>4), d.counter(states&15)
	}
	return counters
}

func (d *decoder) counter(state int) football.Field[football.Number] {
	switch football.State(state) {
	case football.Null:
		return football.NullField[football.Number]()
	case football.Present:
		n, ok := football.ParseNumber(d.text())
		if !ok {
			d.fail()
		}
		return football.Of(n)
	}
	return football.Field[football.Number]{}
}

func (d *decoder) falls() []fall {
	n := d.len(maxCounters, 4)
	if n == 0 {
		return nil
	}
	falls := make([]fall, n)
	for i := range falls {
		falls[i] = fall{metricCodes[d.code(len(metricCodes))], d.code(2), d.whole(), d.whole()}
	}
	return falls
}

func (d *decoder) pressure() pressure {
	var p pressure
	for side := range sides {
		p.fast[side], p.slow[side], p.held[side] = int64(d.whole()), int64(d.whole()), int64(d.whole())
	}
	p.hasHeld = d.flag()
	code := d.code(len(threats) << 1)
	p.threat = threat{code >> 1, code & 1, d.whole()}
	return p
}

func (d *decoder) cells(most int) []cell {
	n := d.len(most, 5)
	if n == 0 {
		return nil
	}
	cells := make([]cell, n)
	for i := range cells {
		c := &cells[i]
		c.home, c.away = uint16(d.len(maxPoints, 0)), uint16(d.len(maxPoints, 0))
		for what := range c.seconds {
			c.seconds[what] = uint8(d.code(61))
		}
	}
	return cells
}

func (d *decoder) place() boardPosition {
	code := d.code(len(halfBegins) << 1)
	return boardPosition{half: code >> 1, known: code&1 != 0, position: d.whole()}
}

func (d *decoder) timeline(since int64, now int) []entry {
	n := d.len(maxEntries, 5)
	if n == 0 {
		return nil
	}
	entries := make([]entry, n)
	for i := range entries {
		t := &entries[i]
		t.at = since + d.int()
		since = t.at
		t.boardPosition = d.place()
		code := d.code(len(visualCodes) << 4)
		if code>>2&3 >= len(certaintyCodes) || code&3 >= len(sideCodes) {
			d.fail()
			return nil
		}
		t.state, t.certainty, t.side = visualCodes[code>>4], certaintyCodes[code>>2&3], sideCodes[code&3]
		bits := d.code((int(countedByRise) + 1) << countingShift)
		t.counted, t.gone, t.fellAt = counting(bits>>countingShift), bits&isGone != 0, never
		t.proof.withdrawn = bits&wasWithdrawn != 0
		if bits&hasProof != 0 {
			t.proof.mark = d.mark()
			p := d.place()
			t.proof.minute, t.proof.listedAt = minute{p.half, p.position}, t.at+d.int()
		}
		if bits&hasFallen != 0 {
			t.fellAt = now + d.whole()
		}
	}
	return entries
}

func (d *decoder) counted(since int64) (counted [len(eventMetrics)]lastCount) {
	for i := range counted {
		if d.flag() {
			counted[i] = lastCount{at: since + d.int(), pair: pair{d.whole(), d.whole()}}
		}
	}
	return counted
}

func (d *decoder) scene(now int) scene {
	tau := func() int {
		if !d.flag() {
			return never
		}
		return now + d.whole()
	}
	s := scene{heldUntil: tau(), attack: pair{tau(), tau()}, dangerous: pair{tau(), tau()}, danger: pair{tau(), tau()}}
	s.pressing = d.code(3)
	return s
}
