package table_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// The Reader reads the same markets as the library.
func TestReaderReadsAsTheLibrary(t *testing.T) {
	same := func(t interface {
		Helper()
		Fatal(...any)
		Errorf(string, ...any)
	}, data []byte, n int) {
		t.Helper()
		slow := parquet.NewGenericReader[table.MarketRow](bytes.NewReader(data))
		defer slow.Close()
		want := make([]table.MarketRow, n)
		if got, err := slow.Read(want); got != n || err != nil && err != io.EOF {
			t.Fatal(got, err)
		}
		r, err := table.NewReader[table.MarketRow](bytes.NewReader(data), int64(len(data)))
		check.Must(t, err)
		defer r.Close()
		got := make([]table.MarketRow, n)
		for at := 0; at < n; {
			k, err := r.Read(got[at:min(at+7, n)])
			if at += k; k == 0 || err != nil && err != io.EOF {
				t.Fatal(at, err)
			}
		}
		if diff := cmp.Diff(want, got, sameRows); diff != "" {
			t.Errorf("%s", diff)
		}
	}
	data, _ := write(t, rowstest.Markets(500, 9), 11)
	same(t, data, 500)
	rapid.Check(t, func(rt *rapid.T) {
		row := drawMarket(rt)
		data, _ := write(t, []table.MarketRow{row}, 1)
		same(rt, data, 1)
	})
}

func BenchmarkReadMarkets(b *testing.B) {
	data, _ := write(b, rowstest.Markets(2000, 6), 64)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := reader[table.MarketRow](b, data)
		for _, err := range r.All {
			if err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
	b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "markets/s")
}
