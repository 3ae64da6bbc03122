package table

import (
	"github.com/parquet-go/parquet-go"

	"mkt/publish/table/parquetfile"
)

// newFileReader returns a reader of the columns in a file. It can only copy rows.
func newFileReader(stored *spec, file *parquet.File, in *parquetfile.Source) *rowReader {
	r := &rowReader{name: stored.name, source: in, groups: parquetfile.Groups(file), columns: make([]columnReader, len(stored.leaves))}
	for i := range r.columns {
		r.columns[i] = columnReader{ColumnReader: parquetfile.NewColumnReader(&stored.leaves[i], i, in), slot: &slot{leaf: i}}
	}
	return r
}

// copy adds the next n rows, which must be in the row group, to columns.
func (r *rowReader) copy(to *columns, n int) error {
	if err := r.catchUp(); err != nil {
		return err
	}
	for i := range r.columns {
		if err := r.columns[i].copy(to, n); err != nil {
			return err
		}
	}
	r.left -= int64(n)
	return nil
}

// skip skips the next n rows, which must be in the row group. Only the columns that a [cursor] looks at
// skip them at once.
func (r *rowReader) skip(n int) error {
	for i := range r.ahead {
		if err := r.columns[i].Skip(int64(n)); err != nil {
			return err
		}
	}
	r.behind += int64(n)
	r.left -= int64(n)
	return nil
}

// catchUp makes the other columns skip as many rows.
func (r *rowReader) catchUp() error {
	if r.behind == 0 {
		return nil
	}
	for i := r.ahead; i < len(r.columns); i++ {
		if err := r.columns[i].Skip(r.behind); err != nil {
			return err
		}
	}
	r.behind = 0
	return nil
}

func (c *columnReader) copy(to *columns, n int) error {
	leaf := c.slot.leaf
	wanted := &to.spec.leaves[leaf]
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
				to.text(leaf, rep, wanted.MaxDef, c.Texts[c.Take()])
			case def == c.Leaf.MaxDef:
				to.number(leaf, rep, wanted.MaxDef, c.Numbers[c.Take()])
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
func (m *leafSlot) copy(to *columns, rep, def, depth byte) {
	switch {
	case def < depth || m.MaxDef > depth:
		to.none(m.number, rep, def)
	case m.Kind == parquet.ByteArray:
		to.text(m.number, rep, def, "")
	default:
		to.number(m.number, rep, def, 0)
	}
}
