package table_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// The prices of some fixtures are those of their markets, whichever fixtures are left out, also where
// row groups end.
func TestPricesOf(t *testing.T) {
	t.Parallel()
	rows := rowstest.Markets(40_000, 2)
	for i := range rows {
		rows[i].Selections = rows[i].Selections[:i%3]
		for k := range rows[i].Selections {
			rows[i].Selections[k].Publishable = i%7 > 0
		}
	}
	data, _ := write(t, rows, 64)
	r := rand.New(rand.NewPCG(1, 2))
	number := map[string]int{}
	for i := range rows {
		number[rows[i].FixtureID] = i / 10
	}
	some := r.IntN(4000)
	for name, wanted := range map[string]func(fixture int) bool{
		"all":         func(int) bool { return true },
		"none":        func(int) bool { return false },
		"the first":   func(n int) bool { return n == 0 },
		"the last":    func(n int) bool { return n == 3999 },
		"every 97th":  func(n int) bool { return n%97 == 0 },
		"most":        func(n int) bool { return n%97 > 0 },
		"two groups":  func(n int) bool { return n > 1600 && n < 1700 },
		"from one on": func(n int) bool { return n >= some },
	} {
		want := slices.Clone(rows)
		want = slices.DeleteFunc(want, func(m table.MarketRow) bool { return !wanted(number[m.FixtureID]) })
		n := 0
		for row, err := range table.PricesOfFixtures(reader[table.PriceRow](t, data), func(id string) bool { return wanted(number[id]) }) {
			check.Must(t, err)
			if n == len(want) {
				t.Fatalf("%s: more than %d rows", name, n)
			}
			if diff := cmp.Diff(priceRow(&want[n]), *row, sameRows); diff != "" {
				t.Fatalf("%s: row %d: %s", name, n, diff)
			}
			n++
		}
		if n != len(want) {
			t.Errorf("%s: %d rows of %d", name, n, len(want))
		}
	}
}

func priceRow(m *table.MarketRow) table.PriceRow {
	p := table.PriceRow{FixtureID: m.FixtureID, MarketID: m.MarketID, Market: m.Market, MarketName: m.MarketName, Period: m.Period}
	for _, s := range m.Selections {
		p.Selections = append(p.Selections, table.PriceSelectionRow{
			SelectionID: s.SelectionID, Selection: s.Selection, Line: s.Line, Qualifier: s.Qualifier, OddsFractional: s.OddsFractional,
			OddsDecimalText: s.OddsDecimalText, Subject: s.Subject, Publishable: s.Publishable, Reasons: s.Reasons, Absent: s.Absent,
		})
	}
	return p
}

// A page without rows of the fixtures is not read, and damage of another one is found.
func TestPricesOfADamagedFile(t *testing.T) {
	t.Parallel()
	data, _ := write(t, rowstest.Markets(10_000, 4), 64)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	for _, c := range file.Metadata().RowGroups[0].Columns {
		if c.MetaData.PathInSchema[len(c.MetaData.PathInSchema)-1] == "selection_id" {
			data[c.MetaData.DataPageOffset+c.MetaData.TotalCompressedSize/2]++
		}
	}
	prices := func(wanted string) (rows int, err error) {
		for _, err := range table.PricesOfFixtures(reader[table.PriceRow](t, data), func(id string) bool { return wanted == "" || id == wanted }) {
			if err != nil {
				return rows, err
			}
			rows++
		}
		return rows, nil
	}
	for _, id := range []string{"fx_00000000000000000000000000", "fx_00000000000000000000000999"} {
		if rows, err := prices(id); rows != 10 || err != nil {
			t.Errorf("%s: %d rows, %v", id, rows, err)
		}
	}
	if rows, err := prices(""); rows == 0 || rows == 10_000 || err == nil {
		t.Errorf("%d rows of a damaged file, %v", rows, err)
	}
}
