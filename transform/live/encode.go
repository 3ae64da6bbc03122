package live

import "mkt/transform/live/codec"

// Version is the version of the encoding, its fourth byte. A state of another version
// is refused, and the next cycle begins with baselines.
//
//	1: first
//	2: what the timeline was observed from, the seconds of a minute that were seen,
//	   and what threatens
//	3: when the counters were sent
//	4: the numbers of the timeline's entries. States of versions 2 and 3 are read as well
const Version = 4

// magic is the beginning of every encoded state.
const magic = "mls"

// Encode appends the state to b. Equal states have equal bytes, in every build and on
// every machine, and Decode returns an equal state. Integers are varints, signed ones
// in zig-zag encoding. Texts and lists follow their length, and fields their state.
func (s *State) Encode(b []byte) []byte { return s.encode(b, Version) }

func (s *State) encode(b []byte, version int) []byte {
	e := &codec.Encoder{B: append(append(b, magic...), byte(version))}
	s.who.encode(e)
	for _, at := range []int64{s.firstAt, s.at - s.firstAt, s.freshAt - s.firstAt, s.leftAt} {
		e.Int(at)
	}
	s.clock.Encode(e)
	s.counters.Encode(e, version, s.firstAt)
	e.Int(int64(s.tau))
	e.Int(int64(s.tau - s.seenTau))
	e.Int(int64(s.observed))
	s.pressure.Encode(e)
	s.minutes.Encode(e)
	s.timeline.Encode(e, version, s.firstAt, s.tau)
	return e.B
}

func (i *identity) encode(e *codec.Encoder) {
	e.Text(i.fixtureID)
	e.Text(i.eventID)
	e.TextField(i.home)
	e.TextField(i.away)
	e.TextField(i.league)
	e.Time(i.startsAt)
}
