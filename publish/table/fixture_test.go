package table_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// TestFixtureRows compares the rows that are found in the pages with those of the whole table.
func TestFixtureRows(t *testing.T) {
	t.Run("markets", func(t *testing.T) {
		var rows []table.MarketRow
		for fixture := range 400 {
			for market := range fixture % 60 {
				row := rowstest.Market(market, 2)
				row.FixtureID, row.MarketID = fmt.Sprintf("fx_%05d", fixture), fmt.Sprintf("mk_%05d", market)
				rows = append(rows, row)
			}
		}
		ofFixture(t, rows, func(r table.MarketRow) string { return r.FixtureID }, "fx_00001", "fx_00002", "fx_00059", "fx_00060", "fx_00299", "fx_00399", "fx_99999", "")
	})
	t.Run("changes", func(t *testing.T) { // not sorted by fixture
		rows := make([]table.EventRow, 40_000)
		for i := range rows {
			rows[i] = table.EventRow{Seq: int64(i) + 1, Type: "fixture_removed", FixtureID: fmt.Sprintf("fx_%05d", i%1500), PublishedAt: time.UnixMilli(0).UTC()}
		}
		ofFixture(t, rows, func(r table.EventRow) string { return r.FixtureID }, "fx_00000", "fx_00700", "fx_01499", "fx_01500")
	})
	t.Run("none", func(t *testing.T) {
		ofFixture(t, []table.FixtureRow(nil), func(r table.FixtureRow) string { return r.FixtureID }, "fx_00000")
	})
}

func ofFixture[T table.Row](t *testing.T, rows []T, idOf func(T) string, ids ...string) {
	t.Helper()
	data, _ := write(t, rows, 100)
	r := reader[T](t, data)
	defer r.Close()
	for _, id := range ids {
		var want, got []T
		for _, row := range rows {
			if idOf(row) == id {
				want = append(want, row)
			}
		}
		for row, err := range r.FixtureRows(id) {
			check.Must(t, err)
			got = append(got, *row)
		}
		if diff := cmp.Diff(want, got, sameRows); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// TestFindRow finds rows by an id in a column and by one inside a list, also behind other pages.
func TestFindRow(t *testing.T) {
	var rows []table.MarketRow
	for i := range 3000 {
		row := rowstest.Market(i, i%4)
		row.FixtureID, row.MarketID = fmt.Sprintf("fx_%05d", i/10), fmt.Sprintf("mk_%05d", i)
		for k := range row.Selections {
			row.Selections[k].SelectionID = fmt.Sprintf("sl_%05d_%d", i, k)
		}
		rows = append(rows, row)
	}
	data, _ := write(t, rows, 100)
	r := reader[table.MarketRow](t, data)
	defer r.Close()
	selection := []string{"selections", "list", "element", "selection_id"}
	for id, want := range map[string]int64{"mk_00000": 0, "mk_02999": 2999, "mk_01501": 1501, "mk_x": -1, "sl_00001_0": 1, "sl_02999_2": 2999, "sl_01503_1": 1503, "sl_00000_0": -1, "": -1} {
		column := []string{"market_id"}
		if len(id) > 1 && id[:2] == "sl" {
			column = selection
		}
		if got, err := r.FindRow(id, column...); err != nil || got != want {
			t.Errorf("%s is in row %d, want %d: %v", id, got, want, err)
		}
	}
	if _, err := r.FindRow("x", "no_such_column"); err == nil {
		t.Error("a column that the table lacks has no error")
	}
}
