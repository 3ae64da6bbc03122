package live

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
	"mkt/transform/live/rules"
)

// shownVersion is the version of the encoding of [Shown], its first byte.
const shownVersion = 1

// reasonCodes are the codes of reasons in an encoding, which never change.
var reasonCodes = []football.WithdrawalReason{football.TookBack, football.CounterFell, football.Replaced, football.Restarted}

// Encode appends what was shown to b: nothing if it is the zero value, and otherwise what DecodeShown reads.
func (s *Shown) Encode(b []byte) []byte {
	if s.revision == 0 {
		return b
	}
	e := &codec.Encoder{B: append(b, shownVersion)}
	e.Int(int64(s.revision))
	e.Mark(uint32(s.sum >> 32))
	e.Mark(uint32(s.sum))
	match := s.match()
	e.Text(match)
	e.Len(len(s.entries))
	before := int64(0)
	for _, shown := range s.entries {
		e.Text(strings.TrimPrefix(shown.id, match))
		e.Int((shown.first-before)<<1 | int64(codec.Bit(shown.isNew, 1)))
		before = shown.first
	}
	e.Len(len(s.withdrawn))
	e.Len(s.since)
	for i := range s.withdrawn {
		w := &s.withdrawn[i]
		e.Text(strings.TrimPrefix(w.Entry.ID, match))
		encodeEntry(e, &w.Entry)
		e.Int(w.ShownFrom.UnixMilli())
		e.Int(w.At.UnixMilli())
		e.Byte(slices.Index(reasonCodes, w.Reason))
		e.Text(strings.TrimPrefix(w.ReplacedBy, match))
	}
	return e.B
}

// match returns what all ids begin with.
func (s *Shown) match() string {
	switch {
	case len(s.entries) > 0:
		return football.MatchOfEntry(s.entries[0].id)
	case len(s.withdrawn) > 0:
		return football.MatchOfEntry(s.withdrawn[0].Entry.ID)
	}
	return ""
}

func encodeEntry(e *codec.Encoder, t *football.TimelineEntry) {
	e.Int(t.At.UnixMilli())
	e.Byte(codec.VisualCodes.Of(t.State)<<2 | codec.SideCodes.Of(t.SideProven))
	e.Number(t.Minute)
	e.Number(t.Second)
	e.Int(int64(t.Added))
}

// DecodeShown reads what [Shown.Encode] wrote.
func DecodeShown(b []byte) (s Shown, err error) {
	if len(b) == 0 {
		return s, nil
	}
	if b[0] != shownVersion {
		return s, fmt.Errorf("%w: %d", ErrVersion, b[0])
	}
	d := &codec.Decoder{B: b[1:]}
	s.revision = d.Whole()
	s.sum = uint64(d.Mark())<<32 | uint64(d.Mark())
	match := d.Text()
	if n := d.Len(rules.MaxEntries*2, 2); n > 0 {
		s.entries = make([]shownEntry, n)
	}
	before := int64(0)
	for i := range s.entries {
		s.entries[i].id = match + d.Text()
		first := d.Int()
		before += first >> 1
		s.entries[i].first, s.entries[i].isNew = before, first&1 == 1
	}
	if n := d.Len(maxWithdrawn, 9); n > 0 {
		s.withdrawn = make([]football.Withdrawal, n)
	}
	s.since = d.Len(maxWithdrawn, 0)
	for i := range s.withdrawn {
		w := &s.withdrawn[i]
		id := match + d.Text()
		w.Entry = decodeEntry(d)
		w.Entry.ID = id
		w.ShownFrom, w.At = clock.UTC(d.Int()), clock.UTC(d.Int())
		w.Reason = reasonCodes[d.Code(len(reasonCodes))]
		if by := d.Text(); by != "" {
			w.ReplacedBy = match + by
		}
	}
	if d.Failed || len(d.B) > 0 || !bytes.Equal(s.Encode(nil), b) {
		return Shown{}, errDamaged
	}
	return s, nil
}

func decodeEntry(d *codec.Decoder) football.TimelineEntry {
	e := football.TimelineEntry{At: clock.UTC(d.Int())}
	code := d.Code(len(codec.VisualCodes) << 2)
	if code&3 >= len(codec.SideCodes) {
		d.Fail()
		return e
	}
	e.State, e.SideProven = codec.VisualCodes[code>>2], codec.SideCodes[code&3]
	e.Minute, e.Second, e.Added = d.Number(), d.Number(), int(d.Int())
	return e
}

// sumOf returns a hash of what a client sees of a timeline and its withdrawals, but for how long the newest
// entry lasts.
func (s *Shown) sumOf(timeline []football.TimelineEntry) uint64 {
	e := &codec.Encoder{B: make([]byte, 0, 48*len(timeline))}
	for i := range timeline {
		t := &timeline[i]
		e.Text(t.ID)
		encodeEntry(e, t)
		e.Byte(codec.CertaintyCodes.Of(t.Certainty))
	}
	for i := range s.withdrawn {
		e.Text(s.withdrawn[i].Entry.ID)
		e.Text(s.withdrawn[i].ReplacedBy)
		e.Int(s.withdrawn[i].At.UnixMilli())
	}
	h := fnv.New64a()
	h.Write(e.B)
	return h.Sum64()
}
