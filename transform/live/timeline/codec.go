package timeline

import (
	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
	"mkt/transform/live/counter"
	"mkt/transform/live/rules"
)

// Encode writes the timeline, with times relative to since and now; Decode reads it. Before version 4
// of a state, entries had no numbers.
func (t *Timeline) Encode(e *codec.Encoder, version int, since int64, now int) {
	encodeEntries(e, t.entries, since, now)
	if version > 3 {
		t.encodeNumbers(e)
	}
	e.Int(t.heldAt - since)
	t.recent.encode(e, now)
	t.base.Encode(e)
	e.Flag(t.wasListed)
	e.Len(len(t.incidents))
	for _, i := range t.incidents {
		e.Mark(i.mark)
		e.Mark(i.what)
		e.Flag(i.missed)
	}
}

// Decode reads a timeline. seed is that of its numbers if the state has none, see New.
func Decode(d *codec.Decoder, version int, seed string, since int64, now int) Timeline {
	t := Timeline{entries: decodeEntries(d, since, now)}
	if version > 3 {
		t.decodeNumbers(d)
	} else {
		t.number(seed)
	}
	t.heldAt = since + d.Int()
	t.recent = decodeRecent(d, now)
	t.base = clock.DecodeBoard(d)
	t.wasListed = d.Flag()
	if n := d.Len(rules.MaxIncidents, 9); n > 0 {
		t.incidents = make([]incident, n)
		for i := range t.incidents {
			t.incidents[i] = incident{d.Mark(), d.Mark(), d.Flag()}
		}
	}
	return t
}

// Flags of an entry. The two bits above them hold its counting.
const (
	hasProof = 1 << iota
	wasWithdrawn
	hasFallen
	isHidden
	countingShift = iota
)

// encodeEntries writes each time relative to the one before.
func encodeEntries(e *codec.Encoder, entries []entry, since int64, now int) {
	e.Len(len(entries))
	for i := range entries {
		t := &entries[i]
		e.Int(t.at - since)
		since = t.at
		t.Board.Encode(e)
		e.Byte(codec.VisualCodes.Of(t.state)<<4 | codec.CertaintyCodes.Of(t.certainty)<<2 | codec.SideCodes.Of(t.side))
		e.Byte(codec.Bit(t.proof.mark != 0, hasProof) | codec.Bit(t.proof.withdrawn, wasWithdrawn) | codec.Bit(t.fellAt != never, hasFallen) |
			codec.Bit(t.hidden, isHidden) | int(t.counted)<<countingShift)
		if t.proof.mark != 0 {
			e.Mark(t.proof.mark)
			clock.Board{Half: t.proof.minute.Half, Position: t.proof.minute.From}.Encode(e)
			e.Int(t.proof.listedAt - t.at)
		}
		if t.fellAt != never {
			e.Int(int64(t.fellAt - now))
		}
	}
}

func decodeEntries(d *codec.Decoder, since int64, now int) []entry {
	n := d.Len(rules.MaxEntries, 5)
	if n == 0 {
		return nil
	}
	entries := make([]entry, n)
	for i := range entries {
		t := &entries[i]
		t.at = since + d.Int()
		since = t.at
		t.Board = clock.DecodeBoard(d)
		code := d.Code(len(codec.VisualCodes) << 4)
		if code>>2&3 >= len(codec.CertaintyCodes) || code&3 >= len(codec.SideCodes) {
			d.Fail()
			return nil
		}
		t.state, t.certainty, t.side = codec.VisualCodes[code>>4], codec.CertaintyCodes[code>>2&3], codec.SideCodes[code&3]
		bits := d.Code((int(countedByRise) + 1) << countingShift)
		t.counted, t.hidden, t.fellAt = counting(bits>>countingShift), bits&isHidden != 0, never
		t.proof.withdrawn = bits&wasWithdrawn != 0
		if bits&hasProof != 0 {
			t.proof.mark = d.Mark()
			p := clock.DecodeBoard(d)
			t.proof.minute, t.proof.listedAt = clock.Minute{Half: p.Half, From: p.Position}, t.at+d.Int()
		}
		if bits&hasFallen != 0 {
			t.fellAt = now + d.Whole()
		}
	}
	return entries
}

// encode writes times relative to now. A time of never is a zero flag.
func (s *recent) encode(e *codec.Encoder, now int) {
	for _, tau := range []int{s.heldUntil, s.attack[0], s.attack[1], s.dangerous[0], s.dangerous[1], s.danger[0], s.danger[1]} {
		if tau == never {
			e.Flag(false)
			continue
		}
		e.Flag(true)
		e.Int(int64(tau - now))
	}
	e.Byte(s.pressing)
}

func decodeRecent(d *codec.Decoder, now int) recent {
	tau := func() int {
		if !d.Flag() {
			return never
		}
		return now + d.Whole()
	}
	s := recent{heldUntil: tau(), attack: counter.Pair{tau(), tau()}, dangerous: counter.Pair{tau(), tau()}, danger: counter.Pair{tau(), tau()}}
	s.pressing = d.Code(3)
	return s
}
