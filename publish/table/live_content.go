package table

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// LiveRows are the rows of one fixture in the tables of a live publication, each list in the order of its table.
type LiveRows struct {
	Fixture  LiveRow
	Counters []LiveCounterRow
	Timeline []LiveTimelineRow
	Buckets  []LiveBucketRow
	Periods  []LivePeriodRow
}

// AppendContent appends the bytes whose SHA-256 stands for the rows in the fixtures_root of a live publication.
// docs/receipt-format.md describes them.
func (l *LiveRows) AppendContent(to []byte) []byte {
	d := digester{bytes: to}
	addLive(&d, []LiveRow{l.Fixture})
	addLive(&d, l.Counters)
	addLive(&d, l.Timeline)
	addLive(&d, l.Buckets)
	addLive(&d, l.Periods)
	return d.bytes
}

func addLive[T Row](d *digester, rows []T) {
	s := specOf[T]()
	d.codes = s.codes()
	d.bytes = slices.Grow(d.bytes, len(rows)*int(s.row.Size()))
	for i := range rows {
		d.row(s.slots, unsafe.Pointer(&rows[i]), 0, 0)
	}
}

// ParseLiveContent reads the rows in the content of a fixture. Other rows have other bytes. Columns that the
// content leaves out are empty, except the id of the fixture.
func ParseLiveContent(data []byte) (l LiveRows, err error) {
	r := contentReader{rest: data, mayLack: notDigested}
	r.codes = specOf[LiveRow]().codes()
	if err = r.row(specOf[LiveRow]().slots, reflect.ValueOf(&l.Fixture).Elem(), 0, 0); err != nil {
		return l, err
	}
	id := l.Fixture.FixtureID
	l.Counters, err = parseLive(&r, err, func(row *LiveCounterRow) { row.FixtureID = id })
	l.Timeline, err = parseLive(&r, err, func(row *LiveTimelineRow) { row.FixtureID = id })
	l.Buckets, err = parseLive(&r, err, func(row *LiveBucketRow) { row.FixtureID = id })
	l.Periods, err = parseLive(&r, err, func(row *LivePeriodRow) { row.FixtureID = id })
	if err == nil && !bytes.Equal(l.AppendContent(nil), data) {
		err = fmt.Errorf("%w: its rows are spelled in another way", ErrContent)
	}
	return l, err
}

// parseLive reads the rows of one table, unless there was an error before.
func parseLive[T Row](r *contentReader, before error, own func(*T)) (rows []T, err error) {
	s := specOf[T]()
	r.codes = s.codes()
	for err = before; err == nil && r.next(s.firstCode()); {
		var row T
		err = r.row(s.slots, reflect.ValueOf(&row).Elem(), 0, 0)
		own(&row)
		rows = append(rows, row)
	}
	return rows, err
}

// firstCode returns the code of the first column of the content.
func (s *spec) firstCode() int {
	for _, code := range s.codes() {
		if code != notDigested {
			return code
		}
	}
	return notDigested
}
