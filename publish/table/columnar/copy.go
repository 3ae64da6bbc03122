package columnar

import "github.com/parquet-go/parquet-go"

// Copy adds the next n rows, which must be in the row group, to columns.
func (r *Reader) Copy(to *Columns, n int) error {
	if err := r.catchUp(); err != nil {
		return err
	}
	for i := range r.columns {
		if err := r.columns[i].copy(to, n); err != nil {
			return err
		}
	}
	r.left -= int64(n)
	to.Rows += n
	return nil
}

func (c *columnReader) copy(to *Columns, n int) error {
	leaf := c.slot.Leaf
	wanted := &to.layout.Leaves[leaf]
	depth := byte(len(c.lists))
	for {
		for ; c.At < c.Entries; c.At++ {
			var rep, def byte
			if c.Leaf.MaxRep > 0 {
				rep = c.Reps[c.At]
			}
			if c.Leaf.MaxDef > 0 {
				def = c.Defs[c.At]
			}
			if rep == 0 {
				if n == 0 {
					return nil
				}
				n--
			}
			switch {
			case rep > c.Leaf.MaxRep:
				return c.contradicts()
			case def == c.Leaf.MaxDef && wanted.Kind == parquet.ByteArray:
				to.text(leaf, rep, wanted.MaxDef, c.Texts[c.NextValue()])
			case def == c.Leaf.MaxDef:
				to.number(leaf, rep, wanted.MaxDef, c.Numbers[c.NextValue()])
			case def > c.Leaf.MaxDef, def == wanted.MaxDef: // or a null where there is none
				return c.contradicts()
			default:
				to.none(leaf, rep, def)
			}
			for _, m := range c.missing {
				m.copy(to, rep, min(def, depth), depth)
			}
		}
		if n == 0 {
			return nil
		}
		if err := c.Next(); err != nil {
			return err
		}
	}
}

// copy adds a row's value of a column absent from its file.
func (m *leafSlot) copy(to *Columns, rep, def, depth byte) {
	switch {
	case def < depth || m.MaxDef > depth:
		to.none(m.number, rep, def)
	case m.Kind == parquet.ByteArray:
		to.text(m.number, rep, def, "")
	default:
		to.number(m.number, rep, def, 0)
	}
}
