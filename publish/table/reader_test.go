package table_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

func TestSeekRow(t *testing.T) {
	rows := make([]table.EventRow, 40_000)
	for i := range rows {
		rows[i] = table.EventRow{Seq: int64(i) + 1, Type: "fixture_removed", FixtureID: "fx", PublishedAt: time.UnixMilli(0).UTC()}
	}
	data, _ := write(t, rows, len(rows))
	r := reader[table.EventRow](t, data)
	defer r.Close()
	for _, at := range []int64{0, 39_999, 1, 16_383, 16_384, 12_345} {
		got := make([]table.EventRow, 1)
		check.Must(t, r.SeekRow(at))
		if n, _ := r.Read(got); n != 1 || got[0].Seq != at+1 {
			t.Errorf("row %d: read %d rows, seq %d", at, n, got[0].Seq)
		}
	}
}

// A row is the same whether its page is read from the beginning or from the row.
func TestSeekRowInLists(t *testing.T) {
	rows := rowstest.Markets(4000, 3)
	for i := range rows {
		for k := range rows[i].Selections {
			rows[i].Selections[k].Publishable = (i+k)%3 == 0
		}
		rows[i].Selections = rows[i].Selections[:i%4]
	}
	data, _ := write(t, rows, len(rows))
	r := reader[table.MarketRow](t, data)
	defer r.Close()
	for _, at := range []int{3999, 17, 18, 1000, 2345, 0, 2344, 3998} {
		got := make([]table.MarketRow, 2)
		check.Must(t, r.SeekRow(int64(at)))
		n, _ := r.Read(got)
		if diff := cmp.Diff(rows[at:min(at+2, len(rows))], got[:n], sameRows); diff != "" {
			t.Errorf("row %d: %s", at, diff)
		}
	}
	for _, at := range []int64{-1, 4001} {
		if r.SeekRow(at) == nil {
			t.Errorf("row %d of 4000 was found", at)
		}
	}
}
