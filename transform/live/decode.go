package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"mkt/publish/football"
)

// ErrVersion is returned for a state written in an encoding this build does not
// know.
var ErrVersion = errors.New("live state of another version")

// errDamaged is what is wrong with bytes that no Encode wrote.
var errDamaged = errors.New("damaged live state")

// Decode reads an encoded state. It accepts exactly what Encode writes. The
// state does not hold on to b.
func Decode(b []byte) (State, error) {
	if len(b) < len(magic)+1 || string(b[:len(magic)]) != magic {
		return State{}, errDamaged
	}
	if version := b[len(magic)]; version != Version {
		return State{}, fmt.Errorf("%w: %d", ErrVersion, version)
	}
	d := decoder{b: b[len(magic)+1:]}
	s := d.state()
	if d.failed || len(d.b) > 0 || !bytes.Equal(s.Encode(nil), b) {
		return State{}, errDamaged
	}
	return s, nil
}

func (d *decoder) state() State {
	var s State
	s.who = identity{d.text(), d.text(), d.words(), d.words(), d.words(), d.time()}
	s.firstAt = d.int()
	s.at, s.freshAt, s.leftAt = s.firstAt+d.int(), s.firstAt+d.int(), d.int()
	s.clock = d.clock()
	s.score = football.Score{Home: d.number(), Away: d.number()}
	s.counters = d.counters()
	s.falls = d.falls()
	s.tau = d.whole()
	s.seenTau, s.observed = s.tau-d.whole(), d.whole()
	s.pressure = d.pressure()
	for half := range s.cells {
		s.cells[half] = d.cells(halfMinutes[half+1])
	}
	s.timeline = d.timeline(s.firstAt)
	s.scene = d.scene(s.tau)
	if n := d.len(maxIncidents, 4); n > 0 {
		s.incidents = make([]uint32, n)
		for i := range s.incidents {
			s.incidents[i] = binary.BigEndian.Uint32(d.b)
			d.b = d.b[4:]
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
	n := d.len(most, 1)
	if n == 0 {
		return nil
	}
	cells := make([]cell, n)
	for i := range cells {
		if cells[i].state = cellCodes[d.code(len(cellCodes))]; cells[i].state == football.BucketValue {
			cells[i].home, cells[i].away = d.len(1<<20, 0), d.len(1<<20, 0)
		}
	}
	return cells
}

func (d *decoder) timeline(since int64) []entry {
	n := d.len(maxEntries, 5)
	if n == 0 {
		return nil
	}
	entries := make([]entry, n)
	position := 0
	for i := range entries {
		t := &entries[i]
		t.at = since + d.int()
		t.until = t.at + d.int()
		t.position = position + d.whole()
		code := d.code(len(stateCodes) << 4)
		if code>>2&3 >= len(certaintyCodes) || code&3 >= len(sideCodes) {
			d.fail()
			return nil
		}
		t.state, t.certainty, t.side = stateCodes[code>>4], certaintyCodes[code>>2&3], sideCodes[code&3]
		since, position = t.at, t.position
		t.counted = d.flag()
	}
	return entries
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
