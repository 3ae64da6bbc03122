package columnar

import "encoding/binary"

// Add adds rows, one column after the other, with Parquet's repetition and definition levels. The rows must be of the type
// of the layout. A test compares the result with files written by the library.
func (c *Columns) Add(rows Rows) {
	for i := range c.layout.Slots {
		s := &c.layout.Slots[i]
		for leaf := s.Leaf; leaf < s.Leaf+s.Leaves; leaf++ {
			c.add(s, leaf, rows, 0, 0, 0)
		}
	}
	c.Rows += rows.Len
}

// add adds the values of rows in a leaf, which is their slot s or below it. rep is the repetition
// level of the first row, again is the level of the others.
func (c *Columns) add(s *Slot, leaf int, rows Rows, rep, again, depth byte) {
	if s.Kind != RowsSlot {
		c.addValues(s, rows, rep, again, depth)
		return
	}
	for i := range rows.Len {
		if nested := s.RowsAt(rows.at(i, s)); nested.Len > 0 {
			c.add(s.below[leaf-s.Leaf], leaf, nested, rep, depth+1, depth+1)
		} else {
			c.none(leaf, rep, depth)
		}
		rep = again
	}
}

func (c *Columns) addValues(s *Slot, rows Rows, rep, again, depth byte) {
	to := &c.Leaves[s.Leaf]
	if s.Kind == TextsSlot {
		for i := range rows.Len {
			texts := *(*[]string)(rows.at(i, s))
			if len(texts) == 0 {
				to.none(rep, depth)
			}
			for _, text := range texts {
				c.text(s.Leaf, rep, depth+1, text)
				rep = depth + 1
			}
			rep = again
		}
		return
	}
	b, def := to.Bytes, depth+s.Optional
	none, zero := 0, 0
	for i := range rows.Len {
		at := rows.at(i, s)
		if s.IsText {
			if text, ok := s.Text(at); ok {
				b = AppendText(append(b, rep<<4|def), text)
				if text == "" {
					zero++
				}
			} else {
				b = append(b, rep<<4|depth)
				none++
			}
		} else if bits, ok := s.Number(at); ok {
			b = binary.LittleEndian.AppendUint64(append(b, rep<<4|def), bits)
			if bits == 0 {
				zero++
			}
		} else {
			b = append(b, rep<<4|depth)
			none++
		}
		rep = again
	}
	to.Bytes = b
	to.Counts.Null += int64(none)
	to.Counts.Zero += int64(zero)
	to.Counts.Value += int64(rows.Len - none - zero)
}
