package live

import (
	"bytes"
	"errors"
	"fmt"

	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
	"mkt/transform/live/counter"
	"mkt/transform/live/minutes"
	"mkt/transform/live/momentum"
	"mkt/transform/live/timeline"
)

// ErrVersion is returned for a state written in an encoding this build does not
// know.
var ErrVersion = errors.New("live state of another version")

var errDamaged = errors.New("damaged live state")

// Decode reads an encoded state. It accepts exactly the output of [State.Encode], and those of
// versions 2 and 3. The state does not hold on to b.
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
	if version < 2 || version > Version {
		return State{}, fmt.Errorf("%w: %d", ErrVersion, version)
	}
	d := &codec.Decoder{B: b[len(magic)+1:]}
	s := decodeState(d, version)
	if d.Failed || len(d.B) > 0 {
		return State{}, errDamaged
	}
	return s, nil
}

func decodeState(d *codec.Decoder, version int) State {
	var s State
	s.who = identity{d.Text(), d.Text(), d.TextField(), d.TextField(), d.TextField(), d.Time()}
	s.firstAt = d.Int()
	s.at, s.freshAt, s.leftAt = s.firstAt+d.Int(), s.firstAt+d.Int(), d.Int()
	s.clock = clock.Decode(d)
	s.counters = counter.Decode(d, version, s.firstAt, s.freshAt)
	s.tau = d.Whole()
	s.seenTau, s.observed = s.tau-d.Whole(), d.Whole()
	s.pressure = momentum.Decode(d)
	s.minutes = minutes.Decode(d)
	s.timeline = timeline.Decode(d, version, s.who.seed(s.firstAt), s.firstAt, s.tau)
	return s
}
