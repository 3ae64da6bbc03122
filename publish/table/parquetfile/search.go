package parquetfile

import (
	"bytes"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// RowRange is a range of rows of a file.
type RowRange struct{ First, End int64 }

// Find appends the ranges of the rows with a text in a row group, whose first row has the number
// first in the file. It only looks at the ranges in within, or at all rows if it is nil.
func (p *ColumnReader) Find(found []RowRange, first, rows int64, text string, within []RowRange) ([]RowRange, error) {
	index, err := p.chunk.indexes.ColumnIndex()
	if err != nil {
		return nil, err
	}
	offsets, err := p.chunk.indexes.OffsetIndex()
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
		if within != nil && !overlap(within, first+at, first+end) {
			continue
		}
		if err := p.seekPage(offsets.Offset(i), 0); err != nil {
			return nil, err
		}
		for ; at < end; at++ {
			if err := p.Next(); err != nil {
				return nil, err
			}
			p.At++
			if p.Texts[p.NextValue()] != text || within != nil && !overlap(within, first+at, first+at+1) {
				continue
			}
			if last := len(found) - 1; last >= 0 && found[last].End == first+at {
				found[last].End++
			} else {
				found = append(found, RowRange{first + at, first + at + 1})
			}
		}
	}
	return found, nil
}

// overlap reports whether a range has rows of others.
func overlap(ranges []RowRange, first, end int64) bool {
	for _, r := range ranges {
		if r.First < end && first < r.End {
			return true
		}
	}
	return false
}

// Search looks for a text in the next page. It returns its row in the page, -1 if the page lacks
// it, and then the number of rows in the page.
func (p *ColumnReader) Search(text string) (at, rows int64, err error) {
	p.release()
	page, err := p.read()
	if err != nil {
		return -1, 0, err
	}
	has := true // the text lies in the page as it is, so most pages need not be taken apart
	switch page.encoding {
	case format.RLEDictionary:
		has = slices.Contains(p.dictionary.Texts, text)
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
	for ; p.At < p.Entries; p.At++ {
		if p.Leaf.MaxRep == 0 || p.Reps[p.At] == 0 {
			at++
		}
		if p.IsValue(p.At) && p.Texts[p.NextValue()] == text {
			return at, 0, nil
		}
	}
	return -1, at + 1, nil
}

// countRows returns the number of rows that begin in a page, which is not loaded.
func (p *ColumnReader) countRows(page *dataPage) (rows int64, err error) {
	if p.Leaf.MaxRep == 0 {
		return int64(page.entries), nil
	}
	p.Reps, err = p.levels(p.Reps, page.reps, p.Leaf.MaxRep, page.entries)
	return int64(bytes.Count(p.Reps, []byte{0})), err
}
