package live

// encode writes the pressure; decodePressure reads it.
func (p *pressure) encode(e *encoder) {
	for side := range p.fast {
		e.int(p.fast[side])
		e.int(p.slow[side])
		e.int(p.held[side])
	}
	e.flag(p.hasHeld)
	e.byte(p.threat.kind<<1 | p.threat.side)
	e.int(int64(p.threat.until))
}

func decodePressure(d *decoder) pressure {
	var p pressure
	for side := range p.fast {
		p.fast[side], p.slow[side], p.held[side] = int64(d.whole()), int64(d.whole()), int64(d.whole())
	}
	p.hasHeld = d.flag()
	code := d.code(len(threats) << 1)
	p.threat = threat{code >> 1, code & 1, d.whole()}
	return p
}
