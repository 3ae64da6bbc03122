package table

import (
	"errors"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
)

// OfFixture iterates over the rows of one fixture, in order. It reads only the pages whose
// minimum and maximum allow the fixture, so that the cost does not depend on the size of the
// table. A row is valid until the next one.
func (r *Reader[T]) OfFixture(id string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		found, err := r.findFixture(id)
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

// rowRange is a range of rows of a file.
type rowRange struct{ first, end int64 }

// yieldRange yields the rows of a range; false ends the iteration.
func (r *Reader[T]) yieldRange(of rowRange, yield func(*T, error) bool) bool {
	if err := r.SeekRow(of.first); err != nil {
		return yield(nil, err)
	}
	rows := make([]T, batchRows)
	for at := of.first; at < of.end; {
		n, err := r.Read(rows[:min(int64(len(rows)), of.end-at)])
		for i := range rows[:n] {
			if !yield(&rows[i], nil) {
				return false
			}
		}
		at += int64(n)
		if err == nil && n == 0 || err == io.EOF && at < of.end {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			yield(nil, err)
			return false
		}
	}
	return true
}

// findFixture returns the ranges of the rows with that fixture_id.
func (r *Reader[T]) findFixture(id string) (found []rowRange, err error) {
	defer recovered(r.spec.name, &err)
	column, ok := r.file.Schema().Lookup("fixture_id")
	if !ok {
		return nil, ErrFormat
	}
	first := int64(0)
	for _, group := range r.file.RowGroups() {
		if found, err = findInChunk(found, group.ColumnChunks()[column.ColumnIndex], first, group.NumRows(), id); err != nil {
			return nil, err
		}
		first += group.NumRows()
	}
	return found, nil
}

func findInChunk(found []rowRange, chunk parquet.ColumnChunk, first, rows int64, id string) (_ []rowRange, err error) {
	index, err := chunk.ColumnIndex()
	if err != nil {
		return nil, err
	}
	offsets, err := chunk.OffsetIndex()
	if err != nil {
		return nil, err
	}
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	values := make([]parquet.Value, 256)
	for i := range index.NumPages() {
		if id < string(index.MinValue(i).ByteArray()) || id > string(index.MaxValue(i).ByteArray()) {
			continue
		}
		begin, end := offsets.FirstRowIndex(i), rows
		if i+1 < index.NumPages() {
			end = offsets.FirstRowIndex(i + 1)
		}
		if err := pages.SeekToRow(begin); err != nil {
			return nil, err
		}
		for at := begin; at < end; {
			page, err := pages.ReadPage()
			if err != nil {
				return nil, err
			}
			found, err = findInPage(found, page, first+at, values, id)
			at += page.NumRows()
			parquet.Release(page)
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func findInPage(found []rowRange, page parquet.Page, at int64, values []parquet.Value, id string) ([]rowRange, error) {
	for reader := page.Values(); ; {
		n, err := reader.ReadValues(values)
		for _, v := range values[:n] {
			if string(v.ByteArray()) == id {
				if last := len(found) - 1; last >= 0 && found[last].end == at {
					found[last].end++
				} else {
					found = append(found, rowRange{at, at + 1})
				}
			}
			at++
		}
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, io.ErrNoProgress
		}
	}
}

// FindRow returns the first row that has an id in a column, which may be inside a list; -1 if none
// has it. It reads the column alone.
func (r *Reader[T]) FindRow(id string, column ...string) (row int64, err error) {
	defer recovered(r.spec.name, &err)
	leaf, ok := r.file.Schema().Lookup(column...)
	if !ok {
		return -1, ErrFormat
	}
	at := int64(-1)
	for _, group := range r.file.RowGroups() {
		found := false
		if at, found, err = findValue(group.ColumnChunks()[leaf.ColumnIndex], at, id); err != nil || found {
			return at, err
		}
	}
	return -1, nil
}

// findValue looks for a value in a chunk. at is the row before the chunk, and becomes that of the
// value or the last one.
func findValue(chunk parquet.ColumnChunk, at int64, id string) (_ int64, found bool, err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	values := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return at, false, nil
		}
		if err != nil {
			return at, false, err
		}
		at, found, err = findValueInPage(page, at, values, id)
		parquet.Release(page)
		if err != nil || found {
			return at, found, err
		}
	}
}

func findValueInPage(page parquet.Page, at int64, values []parquet.Value, id string) (int64, bool, error) {
	for reader := page.Values(); ; {
		n, err := reader.ReadValues(values)
		for _, v := range values[:n] {
			if v.RepetitionLevel() == 0 {
				at++
			}
			if string(v.ByteArray()) == id {
				return at, true, nil
			}
		}
		if err == io.EOF {
			return at, false, nil
		}
		if err != nil {
			return at, false, err
		}
		if n == 0 {
			return at, false, io.ErrNoProgress
		}
	}
}
