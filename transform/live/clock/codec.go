package clock

import (
	"mkt/publish/football"
	"mkt/transform/live/codec"
)

// Encode writes the clock; Decode reads it.
func (c *Clock) Encode(e *codec.Encoder) {
	e.Byte(codec.PhaseCodes.Of(c.Phase))
	e.Number(c.Minute)
	e.Number(c.Second)
	e.Number(c.Added)
	e.Byte(int(c.Running.State()))
	e.Flag(c.Running.Or(false))
	e.Byte(c.Half)
	e.Int(int64(c.Position))
	e.Flag(c.Known)
	e.Flag(c.Runs)
}

// Decode reads a clock.
func Decode(d *codec.Decoder) Clock {
	var c Clock
	c.Phase = codec.PhaseCodes[d.Code(len(codec.PhaseCodes))]
	c.Minute, c.Second, c.Added = d.Number(), d.Number(), d.Number()
	c.Running = codec.FieldOf(d, func() bool { return d.Flag() })
	if c.Running.State() != football.Present {
		d.Flag()
	}
	c.Half, c.Position = d.Code(len(HalfBegins)), d.Whole()
	c.Known, c.Runs = d.Flag(), d.Flag()
	return c
}

// Encode writes the position; DecodeBoard reads it.
func (p Board) Encode(e *codec.Encoder) {
	e.Byte(p.Half<<1 | codec.Bit(p.Known, 1))
	e.Int(int64(p.Position))
}

// DecodeBoard reads a position.
func DecodeBoard(d *codec.Decoder) Board {
	code := d.Code(len(HalfBegins) << 1)
	return Board{Half: code >> 1, Known: code&1 != 0, Position: d.Whole()}
}
