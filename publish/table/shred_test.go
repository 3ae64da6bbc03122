package table_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// Rows of every table are taken apart as the library takes them apart: a file that the
// library writes has the digest and the counts of ours.
func TestRowsAsTheLibraryWritesThem(t *testing.T) {
	asTheLibrary[table.FixtureRow](t, "fixtures")
	asTheLibrary[table.MarketRow](t, "markets")
	asTheLibrary[table.ListingRow](t, "listing")
	asTheLibrary[table.EventRow](t, "changes")
	asTheLibrary[table.LiveRow](t, "live")
	asTheLibrary[table.LiveCounterRow](t, "live_counters")
	asTheLibrary[table.LiveTimelineRow](t, "live_timeline")
	asTheLibrary[table.LiveBucketRow](t, "live_buckets")
	asTheLibrary[table.LivePeriodRow](t, "live_periods")
	asTheLibrary[table.LiveStateRow](t, "live_states")
}

func asTheLibrary[T table.Row](t *testing.T, name string) {
	t.Run(name, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		rows := make([]T, 40)
		for i := range rows {
			v := reflect.ValueOf(&rows[i]).Elem()
			rowstest.Fill(v, random)
			if name == "changes" { // the sort columns
				v.FieldByName("Seq").SetInt(int64(i + 1))
			} else {
				v.Field(0).SetString("fx_" + strconv.Itoa(100+i))
			}
		}
		_, ours := write(t, rows, 7)
		var out bytes.Buffer
		w := parquet.NewGenericWriter[T](&out, parquet.KeyValueMetadata("mkt.table", name), parquet.KeyValueMetadata("mkt.format", strconv.Itoa(table.Version)))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		check.Must(t, w.Close())
		theirs, err := table.Summarize[T](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || !reflect.DeepEqual(ours, theirs) {
			t.Errorf("ours %+v, the library's %+v, %v", ours, theirs, err)
		}
	})
}

// Long texts end a row group early, and are no bounds.
func TestLongTexts(t *testing.T) {
	var rows []table.ListingRow
	for i := range 1200 {
		rows = append(rows, table.ListingRow{FixtureID: "fx_" + strconv.Itoa(10_000+i), ProviderFixtureID: strconv.Itoa(i) + string(bytes.Repeat([]byte("x"), 60_000))})
	}
	data, sum := write(t, rows, 7)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(file.RowGroups()) != 2 {
		t.Fatalf("%d row groups, %v", len(file.RowGroups()), err)
	}
	for _, group := range file.Metadata().RowGroups {
		if s := group.Columns[1].MetaData.Statistics; s.MinValue != nil || group.Columns[1].ColumnIndexOffset != 0 {
			t.Errorf("a bound of %d bytes", len(s.MinValue))
		}
	}
	again, err := table.Summarize[table.ListingRow](bytes.NewReader(data), int64(len(data)))
	if err != nil || !reflect.DeepEqual(again, sum) {
		t.Errorf("read as %+v, %v", again, err)
	}
	other, _ := write(t, rows, 500)
	if !bytes.Equal(data, other) {
		t.Error("the same rows in other portions have other bytes")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// A Writer stops at the row group that cannot be written, and not only when it is closed.
func TestWriteError(t *testing.T) {
	w := table.NewWriter[table.EventRow](fullDisk{}, header)
	for seq := range 100_000 {
		err := w.Write(table.EventRow{Seq: int64(seq + 1), FixtureID: strconv.Itoa(seq)})
		if err != nil {
			if seq > 40_000 {
				t.Errorf("the error came after %d rows", seq)
			}
			return
		}
	}
	t.Error("no error")
}
