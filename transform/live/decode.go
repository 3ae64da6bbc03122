package live

import (
	"bytes"
	"errors"
	"fmt"
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
	d := &decoder{b: b[len(magic)+1:]}
	s := decodeState(d, version)
	if d.failed || len(d.b) > 0 {
		return State{}, errDamaged
	}
	return s, nil
}

func decodeState(d *decoder, version int) State {
	var s State
	s.who = identity{d.text(), d.text(), d.textField(), d.textField(), d.textField(), d.time()}
	s.firstAt = d.int()
	s.at, s.freshAt, s.leftAt = s.firstAt+d.int(), s.firstAt+d.int(), d.int()
	s.clock = decodeClock(d)
	s.counters = decodeCounters(d, version, s.firstAt, s.freshAt)
	s.tau = d.whole()
	s.seenTau, s.observed = s.tau-d.whole(), d.whole()
	s.pressure = decodePressure(d)
	s.minutes = decodeMinutes(d)
	s.timeline = decodeTimeline(d, s.firstAt, s.tau)
	return s
}
