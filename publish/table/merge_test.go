package table_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

func reader[T table.Row](t testing.TB, data []byte) *table.Reader[T] {
	t.Helper()
	r, err := table.NewReader[T](bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	return r
}

// Merging files gives the same as merging rows, whichever fixtures each side has and is
// chosen for.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		side := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 30, rapid.ID[int])
		old := marketsOf(side.Draw(rt, "old"), "old", rapid.IntRange(1, 90).Draw(rt, "old markets"))
		new := marketsOf(side.Draw(rt, "new"), "new", rapid.IntRange(1, 90).Draw(rt, "new markets"))
		choice := rapid.SliceOfN(rapid.SampledFrom([]table.MergeSource{table.FromNeither, table.FromOld, table.FromNew}), 41, 41).Draw(rt, "choice")
		choose := func(id string) table.MergeSource {
			var n int
			fmt.Sscanf(id, "fx_%d", &n)
			return choice[n]
		}
		var want []table.MarketRow
		for n := range 41 {
			id := fmt.Sprintf("fx_%02d", n)
			for _, rows := range map[table.MergeSource][]table.MarketRow{table.FromOld: old, table.FromNew: new}[choice[n]] {
				if rows.FixtureID == id {
					want = append(want, rows)
				}
			}
		}
		oldFile, _ := write(t, old, 64)
		newFile, _ := write(t, new, 64)
		wantFile, wantSum := write(t, want, 64)
		var out bytes.Buffer
		w := table.NewWriter[table.MarketRow](&out, header)
		check.Must(rt, table.Merge(w, reader[table.MarketRow](t, oldFile), reader[table.MarketRow](t, newFile), choose))
		sum, err := w.Close()
		check.Must(rt, err)
		if diff := cmp.Diff(want, read[table.MarketRow](t, out.Bytes()), sameRows); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(wantSum, sum); diff != "" {
			rt.Fatal(diff)
		}
		_ = wantFile
	})
}

func marketsOf(fixtures []int, side string, markets int) []table.MarketRow {
	var rows []table.MarketRow
	for n := range 41 {
		for _, fixture := range fixtures {
			for m := 0; fixture == n && m < markets; m++ {
				rows = append(rows, table.MarketRow{FixtureID: fmt.Sprintf("fx_%02d", n), MarketID: fmt.Sprintf("mk_%03d", m), ProviderMarketKey: side})
			}
		}
	}
	return rows
}

// The columns that an older file lacks are empty, in rows that are read and in those that are
// copied: in a market, in its selections, and in their labels.
func TestColumnsThatAFileLacks(t *testing.T) {
	type oldLabel struct {
		Field string `parquet:"field,dict"`
	}
	type oldSelection struct {
		SelectionID string     `parquet:"selection_id"`
		Line        string     `parquet:"line"` // not yet optional
		Labels      []oldLabel `parquet:"labels,list"`
	}
	type oldMarket struct {
		FixtureID  string         `parquet:"fixture_id"`
		MarketID   string         `parquet:"market_id"`
		Selections []oldSelection `parquet:"selections,list"`
	}
	var old []oldMarket
	var want []table.MarketRow
	for i := range 300 {
		o := oldMarket{FixtureID: fmt.Sprintf("fx_%03d", i/7), MarketID: fmt.Sprintf("mk_%03d", i)}
		w := table.MarketRow{FixtureID: o.FixtureID, MarketID: o.MarketID}
		for k := range i % 3 {
			id := fmt.Sprintf("sl_%03d_%d", i, k)
			o.Selections = append(o.Selections, oldSelection{SelectionID: id, Line: id, Labels: make([]oldLabel, i%4)})
			w.Selections = append(w.Selections, table.SelectionRow{SelectionID: id, Line: &id, Labels: make([]table.LabelRow, i%4)})
		}
		old, want = append(old, o), append(want, w)
	}
	readAndCopied(t, old, want)
}

// A list of rows that an older file lacks is empty, in rows that are read and in those that are copied.
func TestListThatAFileLacks(t *testing.T) {
	type oldSelection struct {
		SelectionID string `parquet:"selection_id"`
	}
	type oldMarket struct {
		FixtureID  string         `parquet:"fixture_id"`
		MarketID   string         `parquet:"market_id"`
		Selections []oldSelection `parquet:"selections,list"`
	}
	type oldest struct {
		FixtureID string `parquet:"fixture_id"`
		MarketID  string `parquet:"market_id"`
	}
	var olds []oldMarket
	var oldests []oldest
	var want, bare []table.MarketRow
	for i := range 30 {
		o := oldMarket{FixtureID: fmt.Sprintf("fx_%03d", i/7), MarketID: fmt.Sprintf("mk_%03d", i), Selections: make([]oldSelection, i%3)}
		row := table.MarketRow{FixtureID: o.FixtureID, MarketID: o.MarketID}
		olds, oldests, bare = append(olds, o), append(oldests, oldest{o.FixtureID, o.MarketID}), append(bare, row)
		row.Selections = make([]table.SelectionRow, i%3)
		want = append(want, row)
	}
	readAndCopied(t, olds, want)
	readAndCopied(t, oldests, bare)
}

// readAndCopied writes rows as an older build did, and reads and copies them.
func readAndCopied[Old any](t *testing.T, old []Old, want []table.MarketRow) {
	t.Helper()
	var file bytes.Buffer
	older := parquet.NewGenericWriter[Old](&file, parquet.KeyValueMetadata("mkt.table", "markets"), parquet.KeyValueMetadata("mkt.format", "1"), parquet.MaxRowsPerRowGroup(100))
	if _, err := older.Write(old); err != nil {
		t.Fatal(err)
	}
	check.Must(t, older.Close())
	got := make([]table.MarketRow, len(want)+1)
	n, err := reader[table.MarketRow](t, file.Bytes()).Read(got)
	if diff := cmp.Diff(want, got[:n], sameRows); diff != "" || err != io.EOF {
		t.Error(diff, err)
	}
	var out bytes.Buffer
	w := table.NewWriter[table.MarketRow](&out, header)
	check.Must(t, table.Merge(w, reader[table.MarketRow](t, file.Bytes()), nil, func(string) table.MergeSource { return table.FromOld }))
	sum, err := w.Close()
	check.Must(t, err)
	same, wantSum := write(t, want, 300)
	if !bytes.Equal(out.Bytes(), same) {
		t.Error("the copied rows have other bytes than written ones")
	}
	if diff := cmp.Diff(wantSum, sum); diff != "" {
		t.Error(diff)
	}
}

func TestMergeRefusesDisorder(t *testing.T) {
	rows := marketsOf([]int{1, 2, 3}, "x", 30)
	sorted, _ := write(t, rows, 64)
	w := table.NewWriter[table.MarketRow](&bytes.Buffer{}, header)
	twice := func(string) table.MergeSource { return table.FromOld }
	check.Must(t, table.Merge(w, reader[table.MarketRow](t, sorted), nil, twice))
	if err := table.Merge(w, reader[table.MarketRow](t, sorted), nil, twice); err == nil {
		t.Error("rows were written a second time")
	}
}

func BenchmarkMerge(b *testing.B) {
	old, _ := write(b, rowstest.Markets(12000, 10), 64)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		w := table.NewWriter[table.MarketRow](&out, header)
		n := 0
		err := table.Merge(w, reader[table.MarketRow](b, old), reader[table.MarketRow](b, old), func(string) table.MergeSource {
			n++
			return table.MergeSource(1 + n%2)
		})
		check.Must(b, err)
		if _, err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(12000*10*b.N)/b.Elapsed().Seconds(), "selections/s")
}
