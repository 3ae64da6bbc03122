package content

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"mkt/publish/table"
)

// LiveRows are the rows of one fixture in the tables of a live publication, each list in the order of its table.
type LiveRows struct {
	Fixture  table.LiveRow
	Counters []table.LiveCounterRow
	Timeline []table.LiveTimelineRow
	Buckets  []table.LiveBucketRow
	Periods  []table.LivePeriodRow
}

// AppendContent appends the bytes whose SHA-256 stands for the rows in the fixtures_root of a live publication.
// docs/receipt-format.md describes them.
func (l *LiveRows) AppendContent(to []byte) []byte {
	d := Digester{bytes: to}
	addLive(&d, []table.LiveRow{l.Fixture}, liveColumns())
	addLive(&d, l.Counters, counterColumns())
	addLive(&d, l.Timeline, timelineColumns())
	addLive(&d, l.Buckets, bucketColumns())
	addLive(&d, l.Periods, periodColumns())
	return d.bytes
}

func addLive[T any](d *Digester, rows []T, c columns) {
	var row T
	d.codes = c.codes
	d.bytes = slices.Grow(d.bytes, len(rows)*int(unsafe.Sizeof(row)))
	for i := range rows {
		d.row(c.slots, unsafe.Pointer(&rows[i]), 0, 0)
	}
}

// ParseLive reads the rows in the content of a fixture. Other rows have other bytes. Columns that the
// content leaves out are empty, except the id of the fixture.
func ParseLive(data []byte) (l LiveRows, err error) {
	r := contentReader{rest: data}
	r.codes = liveColumns().codes
	if err = r.row(liveColumns().slots, reflect.ValueOf(&l.Fixture).Elem(), 0, 0); err != nil {
		return l, err
	}
	id := l.Fixture.FixtureID
	l.Counters, err = parseLive(&r, err, counterColumns(), func(row *table.LiveCounterRow) { row.FixtureID = id })
	l.Timeline, err = parseLive(&r, err, timelineColumns(), func(row *table.LiveTimelineRow) { row.FixtureID = id })
	l.Buckets, err = parseLive(&r, err, bucketColumns(), func(row *table.LiveBucketRow) { row.FixtureID = id })
	l.Periods, err = parseLive(&r, err, periodColumns(), func(row *table.LivePeriodRow) { row.FixtureID = id })
	if err == nil && !bytes.Equal(l.AppendContent(nil), data) {
		err = fmt.Errorf("%w: its rows are spelled in another way", ErrInvalid)
	}
	return l, err
}

// parseLive reads the rows of one table, unless there was an error before.
func parseLive[T any](r *contentReader, before error, c columns, own func(*T)) (rows []T, err error) {
	r.codes = c.codes
	for err = before; err == nil && r.next(c.firstCode()); {
		var row T
		err = r.row(c.slots, reflect.ValueOf(&row).Elem(), 0, 0)
		own(&row)
		rows = append(rows, row)
	}
	return rows, err
}
