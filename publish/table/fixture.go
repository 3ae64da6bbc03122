package table

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
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
	column, err := r.rows.one("fixture_id")
	if err != nil || column.leaf.maxDef > 0 {
		return nil, errors.Join(err, ErrFormat)
	}
	first := int64(0)
	for i, group := range r.rows.groups {
		column.open(r.file, i)
		if found, err = column.find(found, first, group.NumRows(), id); err != nil {
			return nil, err
		}
		first += group.NumRows()
	}
	return found, nil
}

// one returns a reader of one column of texts alone.
func (r *rowReader) one(path ...string) (*pageReader, error) {
	i := slices.IndexFunc(r.stored, func(l leaf) bool { return slices.Equal(l.path, path) })
	if i < 0 || r.stored[i].kind != parquet.ByteArray {
		return nil, ErrFormat
	}
	column := newPageReader(&r.stored[i], i, r.source)
	return &column, nil
}

// find adds the ranges of the rows of a row group that have that text. The first one of the group
// has that number in the file.
func (p *pageReader) find(found []rowRange, first, rows int64, text string) ([]rowRange, error) {
	index, err := p.chunk.ColumnIndex()
	if err != nil {
		return nil, err
	}
	offsets, err := p.chunk.OffsetIndex()
	if err != nil {
		return nil, err
	}
	for i := range index.NumPages() {
		if text < string(index.MinValue(i).ByteArray()) || text > string(index.MaxValue(i).ByteArray()) {
			continue
		}
		at, end := offsets.FirstRowIndex(i), rows
		if i+1 < index.NumPages() {
			end = offsets.FirstRowIndex(i + 1)
		}
		if err := p.seekPage(offsets.Offset(i), 0); err != nil {
			return nil, err
		}
		for ; at < end; at++ {
			if err := p.next(); err != nil {
				return nil, err
			}
			p.at++
			if p.texts[p.take()] != text {
				continue
			}
			if last := len(found) - 1; last >= 0 && found[last].end == first+at {
				found[last].end++
			} else {
				found = append(found, rowRange{first + at, first + at + 1})
			}
		}
	}
	return found, nil
}

// FindRow returns the first row that has an id in a column, which may be inside a list; -1 if none
// has it. It reads the column alone.
func (r *Reader[T]) FindRow(id string, path ...string) (row int64, err error) {
	defer recovered(r.spec.name, &err)
	column, err := r.rows.one(path...)
	if err != nil {
		return -1, err
	}
	for i := range r.rows.groups {
		column.open(r.file, i)
		for {
			at, rows, err := column.search(id)
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

// search looks for a text in the next page. It returns the row in the page, -1 if the page does not
// have the text, and how many rows the page has.
func (p *pageReader) search(text string) (at, rows int64, err error) {
	p.release()
	page, err := p.read()
	if err != nil {
		return -1, 0, err
	}
	has := true // texts follow each other in a page, so that most pages need not be taken apart
	switch page.encoding {
	case format.RLEDictionary:
		has = slices.Contains(p.dictionary.texts, text)
	case format.Plain, format.DeltaLengthByteArray:
		has = bytes.Contains(page.values, []byte(text))
	}
	if !has {
		rows, err = p.countRows(&page)
		return -1, rows, err
	}
	if err := p.load(&page); err != nil {
		return -1, 0, err
	}
	at = -1
	for ; p.at < p.entries; p.at++ {
		if p.leaf.maxRep == 0 || p.reps[p.at] == 0 {
			at++
		}
		if p.isValue(p.at) && p.texts[p.take()] == text {
			return at, 0, nil
		}
	}
	return -1, at + 1, nil
}

// countRows returns how many rows begin in a page that is not loaded.
func (p *pageReader) countRows(page *dataPage) (rows int64, err error) {
	if p.leaf.maxRep == 0 {
		return int64(page.entries), nil
	}
	p.reps, err = p.levels(p.reps, page.reps, p.leaf.maxRep, page.entries)
	return int64(bytes.Count(p.reps, []byte{0})), err
}
