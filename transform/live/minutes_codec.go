package live

// encode writes the minutes; decodeMinutes reads them.
func (s *minutes) encode(e *encoder) {
	e.int(int64(s.ranTo))
	for _, cells := range s.cells {
		encodeCells(e, cells)
	}
}

func decodeMinutes(d *decoder) minutes {
	s := minutes{ranTo: d.whole()}
	for half := range s.cells {
		s.cells[half] = decodeCells(d, halfMinutes(half+1)+maxStoppage)
	}
	return s
}

func encodeCells(e *encoder, cells []cell) {
	e.len(len(cells))
	for _, c := range cells {
		e.len(int(c.home))
		e.len(int(c.away))
		for _, n := range c.seconds {
			e.byte(int(n))
		}
	}
}

func decodeCells(d *decoder, most int) []cell {
	n := d.len(most, 5)
	if n == 0 {
		return nil
	}
	cells := make([]cell, n)
	for i := range cells {
		c := &cells[i]
		c.home, c.away = uint16(d.len(maxPoints, 0)), uint16(d.len(maxPoints, 0))
		for what := range c.seconds {
			c.seconds[what] = uint8(d.code(61))
		}
	}
	return cells
}
