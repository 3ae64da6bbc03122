package live

import "mkt/publish/football"

// encode writes the clock; decodeClock reads it.
func (c *clock) encode(e *encoder) {
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

func decodeClock(d *decoder) clock {
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

// encode writes the position; decodeBoard reads it.
func (p boardPosition) encode(e *encoder) {
	e.byte(p.half<<1 | bitIf(p.known, 1))
	e.int(int64(p.position))
}

func decodeBoard(d *decoder) boardPosition {
	code := d.code(len(halfBegins) << 1)
	return boardPosition{half: code >> 1, known: code&1 != 0, position: d.whole()}
}
