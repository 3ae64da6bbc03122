package table

import (
	"errors"
	"io"
	"iter"

	"mkt/publish/table/columnar"
	"mkt/publish/table/parquetfile"
)

// FixtureRows iterates over the rows of one fixture, in order. It only reads pages whose minimum
// and maximum allow the fixture: the cost does not depend on the size of the table. A row is
// valid until the next one.
func (r *Reader[T]) FixtureRows(id string) iter.Seq2[*T, error] { return r.FixtureRowsWith(id, "") }

// FixtureRowsWith iterates over the rows of a fixture with one of some texts in another column. If
// column is "", it iterates over all rows of the fixture.
func (r *Reader[T]) FixtureRowsWith(id, column string, texts ...string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		found, err := r.findRows("fixture_id", id, nil)
		if err == nil && column != "" && len(found) > 0 {
			var among []parquetfile.RowRange
			for _, text := range texts {
				var some []parquetfile.RowRange
				if some, err = r.findRows(column, text, found); err != nil {
					break
				}
				among = append(among, some...)
			}
			found = among
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, f := range found {
			if !r.yieldRange(f, yield) {
				return
			}
		}
	}
}

// yieldRange yields the rows of a range; false ends the iteration.
func (r *Reader[T]) yieldRange(of parquetfile.RowRange, yield func(*T, error) bool) bool {
	if err := r.SeekRow(of.First); err != nil {
		return yield(nil, err)
	}
	rows := make([]T, batchRows)
	for at := of.First; at < of.End; {
		n, err := r.Read(rows[:min(int64(len(rows)), of.End-at)])
		for i := range rows[:n] {
			if !yield(&rows[i], nil) {
				return false
			}
		}
		at += int64(n)
		if err == nil && n == 0 || err == io.EOF && at < of.End {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			yield(nil, err)
			return false
		}
	}
	return true
}

// findRows returns the ranges of the rows with a text in a column. It only looks at the ranges in
// within, or at all rows if it is nil.
func (r *Reader[T]) findRows(name, text string, within []parquetfile.RowRange) (found []parquetfile.RowRange, err error) {
	defer columnar.Recovered(r.spec.Name, &err)
	column, err := r.rows.TextColumn(name)
	if err != nil || column.Leaf.MaxDef > 0 {
		return nil, errors.Join(err, ErrFormat)
	}
	first := int64(0)
	groups := r.rows.Groups()
	for i := range groups {
		group := &groups[i]
		column.Open(group)
		if found, err = column.Find(found, first, group.Rows, text, within); err != nil {
			return nil, err
		}
		first += group.Rows
	}
	return found, nil
}

// FindRow returns the first row with an id in a column, -1 if there is none. The column may be
// inside a list. No other column is read.
func (r *Reader[T]) FindRow(id string, path ...string) (row int64, err error) {
	defer columnar.Recovered(r.spec.Name, &err)
	column, err := r.rows.TextColumn(path...)
	if err != nil {
		return -1, err
	}
	groups := r.rows.Groups()
	for i := range groups {
		column.Open(&groups[i])
		for {
			at, rows, err := column.Search(id)
			if err == io.EOF {
				break
			}
			if err != nil {
				return -1, err
			}
			if at >= 0 {
				return row + at, nil
			}
			row += rows
		}
	}
	return -1, nil
}
