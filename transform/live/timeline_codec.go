package live

// encode writes the timeline, with times relative to since and now; decodeTimeline reads it.
func (t *timeline) encode(e *encoder, since int64, now int) {
	encodeEntries(e, t.entries, since, now)
	e.int(t.heldAt - since)
	t.recent.encode(e, now)
	t.base.encode(e)
	e.flag(t.wasListed)
	e.len(len(t.incidents))
	for _, i := range t.incidents {
		e.mark(i.mark)
		e.mark(i.what)
		e.flag(i.missed)
	}
}

func decodeTimeline(d *decoder, since int64, now int) timeline {
	t := timeline{entries: decodeEntries(d, since, now)}
	t.heldAt = since + d.int()
	t.recent = decodeRecent(d, now)
	t.base = decodeBoard(d)
	t.wasListed = d.flag()
	if n := d.len(maxIncidents, 9); n > 0 {
		t.incidents = make([]incident, n)
		for i := range t.incidents {
			t.incidents[i] = incident{d.mark(), d.mark(), d.flag()}
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
func encodeEntries(e *encoder, entries []entry, since int64, now int) {
	e.len(len(entries))
	for i := range entries {
		t := &entries[i]
		e.int(t.at - since)
		since = t.at
		t.boardPosition.encode(e)
		e.byte(visualCodes.of(t.state)<<4 | certaintyCodes.of(t.certainty)<<2 | sideCodes.of(t.side))
		e.byte(bitIf(t.proof.mark != 0, hasProof) | bitIf(t.proof.withdrawn, wasWithdrawn) | bitIf(t.fellAt != never, hasFallen) |
			bitIf(t.hidden, isHidden) | int(t.counted)<<countingShift)
		if t.proof.mark != 0 {
			e.mark(t.proof.mark)
			boardPosition{half: t.proof.minute.half, position: t.proof.minute.from}.encode(e)
			e.int(t.proof.listedAt - t.at)
		}
		if t.fellAt != never {
			e.int(int64(t.fellAt - now))
		}
	}
}

func decodeEntries(d *decoder, since int64, now int) []entry {
	n := d.len(maxEntries, 5)
	if n == 0 {
		return nil
	}
	entries := make([]entry, n)
	for i := range entries {
		t := &entries[i]
		t.at = since + d.int()
		since = t.at
		t.boardPosition = decodeBoard(d)
		code := d.code(len(visualCodes) << 4)
		if code>>2&3 >= len(certaintyCodes) || code&3 >= len(sideCodes) {
			d.fail()
			return nil
		}
		t.state, t.certainty, t.side = visualCodes[code>>4], certaintyCodes[code>>2&3], sideCodes[code&3]
		bits := d.code((int(countedByRise) + 1) << countingShift)
		t.counted, t.hidden, t.fellAt = counting(bits>>countingShift), bits&isHidden != 0, never
		t.proof.withdrawn = bits&wasWithdrawn != 0
		if bits&hasProof != 0 {
			t.proof.mark = d.mark()
			p := decodeBoard(d)
			t.proof.minute, t.proof.listedAt = minute{p.half, p.position}, t.at+d.int()
		}
		if bits&hasFallen != 0 {
			t.fellAt = now + d.whole()
		}
	}
	return entries
}

// encode writes times relative to now. A time of never is a zero flag.
func (s *recent) encode(e *encoder, now int) {
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

func decodeRecent(d *decoder, now int) recent {
	tau := func() int {
		if !d.flag() {
			return never
		}
		return now + d.whole()
	}
	s := recent{heldUntil: tau(), attack: pair{tau(), tau()}, dangerous: pair{tau(), tau()}, danger: pair{tau(), tau()}}
	s.pressing = d.code(3)
	return s
}
