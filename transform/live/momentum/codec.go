package momentum

import (
	"mkt/transform/live/codec"
	"mkt/transform/live/rules"
)

// Encode writes the pressure; Decode reads it.
func (p *Pressure) Encode(e *codec.Encoder) {
	for side := range p.Fast {
		e.Int(p.Fast[side])
		e.Int(p.slow[side])
		e.Int(p.held[side])
	}
	e.Flag(p.HasHeld)
	e.Byte(p.Threat.kind<<1 | p.Threat.side)
	e.Int(int64(p.Threat.until))
}

// Decode reads a pressure.
func Decode(d *codec.Decoder) Pressure {
	var p Pressure
	for side := range p.Fast {
		p.Fast[side], p.slow[side], p.held[side] = int64(d.Whole()), int64(d.Whole()), int64(d.Whole())
	}
	p.HasHeld = d.Flag()
	code := d.Code(len(rules.Threats) << 1)
	p.Threat = Threat{code >> 1, code & 1, d.Whole()}
	return p
}
