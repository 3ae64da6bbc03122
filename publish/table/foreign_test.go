package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// Files of another writer are read, whatever the version and the size of their pages and row
// groups, and whether a column's pages all use its dictionary.
func TestFilesOfAnotherWriter(t *testing.T) {
	rows := rowstest.Markets(360, 4)
	for i := range rows {
		rows[i].Selections = rows[i].Selections[:i%5]
		if i > 120 && i < 240 { // pages of nulls only, and of empty lists
			rows[i].Market, rows[i].MarketName, rows[i].Lines, rows[i].Selections = nil, nil, nil, nil
		}
		for k := range rows[i].Selections {
			rows[i].Selections[k].Labels = append(rows[i].Selections[k].Labels, make([]table.LabelRow, k)...)
			if i > 240 { // more than a dictionary takes
				name := fmt.Sprint("name ", i, k)
				rows[i].Selections[k].Subject = &name
			}
		}
	}
	want, sum := write(t, rows, 64)
	for name, options := range map[string][]parquet.WriterOption{
		"version 1":              {parquet.DataPageVersion(1)},
		"version 2":              {parquet.DataPageVersion(2)},
		"small pages, version 1": {parquet.DataPageVersion(1), parquet.PageBufferSize(300)},
		"small pages, version 2": {parquet.DataPageVersion(2), parquet.PageBufferSize(300)},
		"small dictionaries":     {parquet.DataPageVersion(1), parquet.PageBufferSize(300), parquet.DictionaryMaxBytes(500)},
		"small row groups":       {parquet.MaxRowsPerRowGroup(7), parquet.DictionaryMaxBytes(40)},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			w := parquet.NewGenericWriter[table.MarketRow](&file, append(options, parquet.KeyValueMetadata("mkt.table", "markets"), parquet.KeyValueMetadata("mkt.format", strconv.Itoa(table.Version)))...)
			for at := 0; at < len(rows); at += 90 {
				if _, err := w.Write(rows[at : at+90]); err != nil {
					t.Fatal(err)
				}
				if at == 180 {
					check.Must(t, w.Flush())
				}
			}
			check.Must(t, w.Close())
			r := reader[table.MarketRow](t, file.Bytes())
			defer r.Close()
			got := make([]table.MarketRow, len(rows)+1)
			n, err := r.Read(got)
			if diff := cmp.Diff(rows, got[:n], sameRows); diff != "" || err != io.EOF {
				t.Fatal(diff, err)
			}
			for _, at := range []int{359, 0, 180, 179, 121, 5, 240, 300} {
				if err := r.SeekRow(int64(at)); err != nil {
					t.Fatal(at, err)
				}
				one := make([]table.MarketRow, 1)
				if _, err := r.Read(one); err != nil && err != io.EOF {
					t.Fatal(at, err)
				}
				if diff := cmp.Diff(rows[at:at+1], one, sameRows); diff != "" {
					t.Errorf("row %d: %s", at, diff)
				}
			}
			if theirs, err := table.Summarize[table.MarketRow](bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil || !cmp.Equal(sum, theirs) {
				t.Errorf("the summary %v, want %v, %v", theirs, sum, err)
			}
			var out bytes.Buffer
			copied := table.NewWriter[table.MarketRow](&out, header)
			check.Must(t, table.Merge(copied, nil, reader[table.MarketRow](t, file.Bytes()), func(string) table.MergeSource { return table.FromNew }))
			if _, err := copied.Close(); err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Error("merging gives other bytes than writing", err)
			}
		})
	}
}

// A column that may be null is not read as one that always has a value: a null would become an
// empty text.
func TestNullsInAColumnWithout(t *testing.T) {
	type row struct {
		FixtureID         string  `parquet:"fixture_id"`
		ProviderFixtureID *string `parquet:"provider_fixture_id,optional"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.KeyValueMetadata("mkt.table", "listing"), parquet.KeyValueMetadata("mkt.format", "1"))
	if _, err := w.Write([]row{{FixtureID: "fx"}}); err != nil {
		t.Fatal(err)
	}
	check.Must(t, w.Close())
	r, err := table.NewReader[table.ListingRow](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err == nil {
		rows := make([]table.ListingRow, 1)
		_, err = r.Read(rows)
		t.Errorf("the row is %+v, %v", rows, err)
	} else if !errors.Is(err, table.ErrFormat) {
		t.Error(err)
	}
}
