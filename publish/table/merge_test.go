package table_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mkt/publish/table"
)

func reader[T table.Row](t testing.TB, data []byte) *table.Reader[T] {
	t.Helper()
	r, err := table.NewReader[T](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Merging files gives the same as merging rows, whichever fixtures each side has and is
// chosen for.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		side := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 30, rapid.ID[int])
		old := marketsOf(side.Draw(rt, "old"), "old", rapid.IntRange(1, 90).Draw(rt, "old markets"))
		new := marketsOf(side.Draw(rt, "new"), "new", rapid.IntRange(1, 90).Draw(rt, "new markets"))
		choice := rapid.SliceOfN(rapid.SampledFrom([]table.Source{table.Neither, table.Old, table.New}), 41, 41).Draw(rt, "choice")
		choose := func(id string) table.Source {
			var n int
			fmt.Sscanf(id, "fx_%d", &n)
			return choice[n]
		}
		var want []table.MarketRow
		for n := range 41 {
			id := fmt.Sprintf("fx_%02d", n)
			for _, rows := range map[table.Source][]table.MarketRow{table.Old: old, table.New: new}[choice[n]] {
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
		if err := table.Merge(w, reader[table.MarketRow](t, oldFile), reader[table.MarketRow](t, newFile), choose); err != nil {
			rt.Fatal(err)
		}
		sum, err := w.Close()
		if err != nil {
			rt.Fatal(err)
		}
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

func TestMergeRefusesDisorder(t *testing.T) {
	rows := marketsOf([]int{1, 2, 3}, "x", 30)
	sorted, _ := write(t, rows, 64)
	w := table.NewWriter[table.MarketRow](&bytes.Buffer{}, header)
	twice := func(string) table.Source { return table.Old }
	if err := table.Merge(w, reader[table.MarketRow](t, sorted), nil, twice); err != nil {
		t.Fatal(err)
	}
	if err := table.Merge(w, reader[table.MarketRow](t, sorted), nil, twice); err == nil {
		t.Error("rows were written a second time")
	}
}

func BenchmarkMerge(b *testing.B) {
	old, _ := write(b, sampleMarkets(12000, 10), 64)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		w := table.NewWriter[table.MarketRow](&out, header)
		n := 0
		err := table.Merge(w, reader[table.MarketRow](b, old), reader[table.MarketRow](b, old), func(string) table.Source {
			n++
			return table.Source(1 + n%2)
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(12000*10*b.N)/b.Elapsed().Seconds(), "selections/s")
}
