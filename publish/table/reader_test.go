package table_test

import (
	"bytes"
	"testing"
	"time"

	"mkt/publish/table"
)

func TestSeekRow(t *testing.T) {
	rows := make([]table.EventRow, 40_000)
	for i := range rows {
		rows[i] = table.EventRow{Seq: int64(i) + 1, Type: "fixture_removed", FixtureID: "fx", PublishedAt: time.UnixMilli(0).UTC()}
	}
	data, _ := write(t, rows, len(rows))
	r, err := table.NewReader[table.EventRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, at := range []int64{0, 39_999, 1, 16_383, 16_384, 12_345} {
		got := make([]table.EventRow, 1)
		if err := r.SeekRow(at); err != nil {
			t.Fatal(err)
		}
		if n, _ := r.Read(got); n != 1 || got[0].Seq != at+1 {
			t.Errorf("row %d: read %d rows, seq %d", at, n, got[0].Seq)
		}
	}
}
