package table_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"mkt/publish/table"
)

// FuzzReader reads arbitrary files: each is read or refused with an error, and none
// ends the process. Callers check the hash of a file first; this is the second line
// of defence.
func FuzzReader(f *testing.F) {
	line, at := "2.5", time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	small := map[string][]byte{}
	small["markets"], _ = write(f, []table.MarketRow{{FixtureID: "fx_a", MarketID: "mk_a", Lines: []string{"2.5"},
		Selections: []table.SelectionRow{{SelectionID: "sl_a", Line: &line, Labels: []table.LabelRow{{Field: "name", Text: "Over"}}}, {SelectionID: "sl_b"}}}}, 1)
	small["fixtures"], _ = write(f, []table.FixtureRow{{FixtureID: "fx_a", Home: &line, StartsAt: &at, ProviderFetchedAt: at, Absent: []string{"away"}}}, 1)
	small["changes"], _ = write(f, []table.EventRow{{Seq: 1, PublishedAt: at}, {Seq: 2, PublishedAt: at}}, 2)
	small["live"], _ = write(f, []table.LiveRow{{FixtureID: "fx_a", At: at, FreshAt: at, ProviderFetchedAt: at}}, 1)
	for _, data := range small {
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(append(bytes.Clone(data[:len(data)-8]), data[len(data)-4:]...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return // large inputs find nothing that small ones do not
		}
		drain[table.MarketRow](data)
		drain[table.PriceRow](data)
		drain[table.FixtureRow](data)
		drain[table.EventRow](data)
		drain[table.LiveRow](data)
	})
}

// drain reads as much of a table as it can, and summarizes it.
func drain[T table.Row](data []byte) {
	r, err := table.NewReader[T](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	defer r.Close()
	if prices, ok := any(r).(*table.Reader[table.PriceRow]); ok {
		rows, fixtures := 0, 0
		for range table.PricesOfFixtures(prices, func(string) bool { fixtures++; return fixtures%2 == 1 }) {
			if rows++; rows == 1<<16 {
				break
			}
		}
		return
	}
	rows, left := make([]T, 16), 1<<16
	for n := 0; left > 0; left -= n {
		if n, err = r.Read(rows); err != nil || n == 0 {
			break
		}
	}
	for range r.FixtureRows("fx_a") {
		break
	}
	for _, column := range [][]string{{"fixture_id"}, {"selections", "list", "element", "selection_id"}} {
		_, _ = r.FindRow("fx_a", column...) // an error is fine
	}
	if err == io.EOF {
		_, _ = table.Summarize[T](bytes.NewReader(data), int64(len(data))) // an error is fine
	}
}
