package minutes

import (
	"mkt/transform/live/clock"
	"mkt/transform/live/codec"
	"mkt/transform/live/rules"
)

// Encode writes the minutes; [Decode] reads them.
func (s *Minutes) Encode(e *codec.Encoder) {
	e.Int(int64(s.RanTo))
	for _, cells := range s.cells {
		encodeCells(e, cells)
	}
}

// Decode reads the minutes.
func Decode(d *codec.Decoder) Minutes {
	s := Minutes{RanTo: d.Whole()}
	for half := range s.cells {
		s.cells[half] = decodeCells(d, clock.HalfMinutes(half+1)+rules.MaxStoppage)
	}
	return s
}

func encodeCells(e *codec.Encoder, cells []cell) {
	e.Len(len(cells))
	for _, c := range cells {
		e.Len(int(c.home))
		e.Len(int(c.away))
		for _, n := range c.seconds {
			e.Byte(int(n))
		}
	}
}

func decodeCells(d *codec.Decoder, most int) []cell {
	n := d.Len(most, 5)
	if n == 0 {
		return nil
	}
	cells := make([]cell, n)
	for i := range cells {
		c := &cells[i]
		c.home, c.away = uint16(d.Len(rules.MaxPoints, 0)), uint16(d.Len(rules.MaxPoints, 0))
		for what := range c.seconds {
			c.seconds[what] = uint8(d.Code(61))
		}
	}
	return cells
}
