package table

import "github.com/parquet-go/parquet-go"

// newFileReader returns a reader of the columns that a file has, which can only copy rows.
func newFileReader(stored *spec, file *parquet.File, in *source) *rowReader {
	r := &rowReader{name: stored.name, file: file, source: in, groups: file.RowGroups(), columns: make([]columnReader, len(stored.leaves))}
	for i := range r.columns {
		r.columns[i] = columnReader{pageReader: newPageReader(&stored.leaves[i], i, in), slot: &slot{leaf: i}}
	}
	return r
}

// copy adds the next n rows, which must be in the row group, to columns.
func (r *rowReader) copy(to *columns, n int) error {
	for i := range r.columns {
		if err := r.columns[i].copy(to, n); err != nil {
			return err
		}
	}
	r.left -= int64(n)
	return nil
}

// skip skips the next n rows, which must be in the row group.
func (r *rowReader) skip(n int) error {
	for i := range r.columns {
		if err := r.columns[i].skip(int64(n)); err != nil {
			return err
		}
	}
	r.left -= int64(n)
	return nil
}

func (c *columnReader) copy(to *columns, n int) error {
	leaf := c.slot.leaf
	wanted := &to.spec.leaves[leaf]
	depth := byte(len(c.lists))
	for {
		for ; c.at < c.entries; c.at++ {
			var rep, def byte
			if c.leaf.maxRep > 0 {
				rep = c.reps[c.at]
			}
			if c.leaf.maxDef > 0 {
				def = c.defs[c.at]
			}
			if rep == 0 {
				if n == 0 {
					return nil
				}
				n--
			}
			switch {
			case rep > c.leaf.maxRep:
				return c.contradicts()
			case def == c.leaf.maxDef && wanted.kind == parquet.ByteArray:
				to.text(leaf, rep, wanted.maxDef, c.texts[c.take()])
			case def == c.leaf.maxDef:
				to.number(leaf, rep, wanted.maxDef, c.numbers[c.take()])
			case def > c.leaf.maxDef, def == wanted.maxDef: // or a null where there is none
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
		if err := c.next(); err != nil {
			return err
		}
	}
}

// copy adds what a row has in a column that its file lacks.
func (m *leafSlot) copy(to *columns, rep, def, depth byte) {
	switch {
	case def < depth || m.maxDef > depth:
		to.none(m.number, rep, def)
	case m.kind == parquet.ByteArray:
		to.text(m.number, rep, def, "")
	default:
		to.number(m.number, rep, def, 0)
	}
}
