package table_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// Rows that reach the limits of pages, dictionaries and lengths are read back as they are, and
// have the same bytes however they are written.
func TestRoundTripAtLimits(t *testing.T) {
	for name, row := range map[string]struct {
		rows int
		of   func(i int) table.MarketRow
	}{
		"nulls":                     {3, func(int) table.MarketRow { return table.MarketRow{} }},
		"a dictionary of one value": {20_000, func(int) table.MarketRow { return table.MarketRow{Market: some("A")} }},
		"long texts": {11, func(i int) table.MarketRow {
			text := strings.Repeat("x", []int{0, 1, 127, 128, 129, 16383, 16384, 16385, 65535, 65536, 200_000}[i])
			return table.MarketRow{MarketName: &text, Lines: []string{text, ""}, Selections: []table.SelectionRow{{SelectionID: text}, {}}}
		}},
		"lists and nulls in turn": {3000, func(i int) table.MarketRow {
			return table.MarketRow{Selections: make([]table.SelectionRow, i%4), RawReason: []*string{nil, some("")}[i/1000%2]}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := make([]table.MarketRow, row.rows)
			for i := range rows {
				rows[i] = row.of(i)
				rows[i].FixtureID, rows[i].MarketID = fmt.Sprintf("fx_%06d", i/100), fmt.Sprintf("mk_%06d", i)
			}
			roundTrip(t, rows)
			data, _ := write(t, rows, 64)
			write(t, rowstest.Markets(20, 3), 7) // which uses the same buffers
			if again, _ := write(t, rows, 64); !bytes.Equal(data, again) {
				t.Error("after another table the same rows have other bytes")
			}
		})
	}
}

// Every reader knows these encodings in pages of the first version: hyparquet, for one, does not
// know DELTA_BYTE_ARRAY there.
func TestEncodings(t *testing.T) {
	data, _ := write(t, rowstest.Markets(40, 12), 7)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	for _, c := range file.Metadata().RowGroups[0].Columns {
		switch e := c.MetaData.Encoding[0]; e {
		case format.Plain, format.RLEDictionary, format.DeltaLengthByteArray:
		default:
			t.Errorf("%v is in %v", c.MetaData.PathInSchema, e)
		}
	}
}
