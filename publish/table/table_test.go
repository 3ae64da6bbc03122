package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

var header = table.Header{ClientID: "acme", Product: "market_engine", CycleID: "20261120T090700Z-market_engine", Provider: "betsapi", DerivationVersion: "1"}

func write[T table.Row](t testing.TB, rows []T, n int) ([]byte, table.Summary) {
	t.Helper()
	var out bytes.Buffer
	w := table.NewWriter[T](&out, header)
	for at := 0; at < len(rows); at += n {
		check.Must(t, w.Write(rows[at:min(at+n, len(rows))]...))
	}
	sum, err := w.Close()
	check.Must(t, err)
	return out.Bytes(), sum
}

func read[T table.Row](t testing.TB, data []byte) []T {
	t.Helper()
	r := reader[T](t, data)
	defer r.Close()
	if r.Header() != header {
		t.Errorf("header %+v", r.Header())
	}
	var rows []T
	for row, err := range r.All {
		check.Must(t, err)
		rows = append(rows, *row)
	}
	return rows
}

var sameRows = cmp.Options{cmpopts.EquateEmpty()}

func roundTrip[T table.Row](t *testing.T, rows []T) {
	t.Helper()
	data, sum := write(t, rows, 7)
	if diff := cmp.Diff(rows, read[T](t, data), sameRows); diff != "" {
		t.Error(diff)
	}
	if sum.Rows != int64(len(rows)) {
		t.Errorf("summary says %d rows of %d", sum.Rows, len(rows))
	}
	again, sumAgain := write(t, rows, len(rows)+1)
	if !bytes.Equal(data, again) || sum.Digest != sumAgain.Digest {
		t.Error("the same rows in other portions have other bytes")
	}
}

func TestRoundTrip(t *testing.T) {
	text, at := "x", time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	t.Run("fixtures", func(t *testing.T) {
		roundTrip(t, []table.FixtureRow{
			{FixtureID: "fx_1", Home: &text, StartsAt: &at, MarketCount: 2, SourceProvider: "betsapi", ProviderFixtureID: "1", ProviderFetchedAt: at, ContentDigest: "d", Absent: []string{"league"}},
			{FixtureID: "fx_2", ProviderFetchedAt: at.Add(time.Millisecond)},
		})
	})
	t.Run("listing", func(t *testing.T) {
		roundTrip(t, []table.ListingRow{{"fx_1", "1", "LISTED", "REFRESHED", nil}, {"fx_2", "2", "LISTED", "NONE", &at}})
	})
	t.Run("changes", func(t *testing.T) {
		roundTrip(t, []table.EventRow{{1, "fixture_markets_updated", "fx_1", at, "c", "1", &text}, {2, "fixture_removed", "fx_2", at, "c", "2", nil}})
	})
	t.Run("markets", func(t *testing.T) { roundTrip(t, rowstest.Markets(40, 12)) })
	t.Run("none", func(t *testing.T) { roundTrip(t, []table.MarketRow{}) })
}

func some[V any](v V) *V { return &v }

// The summary of the rows is equal to the summary of the file.
func TestSummaryOfFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(drawMarket), 0, 5).Draw(t, "rows")
		for i := range rows {
			rows[i].MarketID = fmt.Sprint(i)
		}
		var out bytes.Buffer
		w := table.NewWriter[table.MarketRow](&out, header)
		check.Must(t, w.Write(rows...))
		want, err := w.Close()
		check.Must(t, err)
		got, err := table.Summarize[table.MarketRow](bytes.NewReader(out.Bytes()), int64(out.Len()))
		check.Must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

var (
	texts    = rapid.SampledFrom([]string{"", "a", "odds_decimal", "odds_fractional", "ж"})
	optional = rapid.Ptr(texts, true)
	lists    = rapid.SliceOfN(texts, 0, 3)
)

func drawMarket(t *rapid.T) table.MarketRow {
	return table.MarketRow{
		FixtureID: "fx", Ordinal: rapid.Int32().Draw(t, "ordinal"), Market: optional.Draw(t, "market"), MarketName: optional.Draw(t, "name"),
		Period: optional.Draw(t, "period"), Sections: lists.Draw(t, "sections"), Lines: lists.Draw(t, "lines"), OriginType: texts.Draw(t, "origin"),
		SelectionCount: rapid.Int32().Draw(t, "count"), ProviderMarketIDs: lists.Draw(t, "ids"), Rule: optional.Draw(t, "rule"), RawReason: optional.Draw(t, "reason"),
		Selections: rapid.SliceOfN(rapid.Custom(drawSelection), 0, 4).Draw(t, "selections"),
	}
}

func drawSelection(t *rapid.T) table.SelectionRow {
	s := table.SelectionRow{
		SelectionID: texts.Draw(t, "id"), Selection: optional.Draw(t, "selection"), Line: optional.Draw(t, "line"), Qualifier: optional.Draw(t, "qualifier"),
		OddsDecimal: rapid.Ptr(rapid.SampledFrom([]float64{0, 1.5, -2}), true).Draw(t, "odds"), Dimension: optional.Draw(t, "dimension"),
		Subject: optional.Draw(t, "subject"), Subject2: optional.Draw(t, "subject_2"), GridRow: optional.Draw(t, "row"), GridColumn: optional.Draw(t, "column"),
		QualityStatus: texts.Draw(t, "status"), Publishable: rapid.Bool().Draw(t, "publishable"), Reasons: lists.Draw(t, "reasons"), ProviderSelectionID: optional.Draw(t, "provider id"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "labels") {
		s.Labels = append(s.Labels, table.LabelRow{Field: texts.Draw(t, "field"), Text: texts.Draw(t, "text")})
	}
	return s
}

func TestWriterRefusesDisorder(t *testing.T) {
	w := table.NewWriter[table.ListingRow](&bytes.Buffer{}, header)
	check.Must(t, w.Write(table.ListingRow{FixtureID: "b"}))
	for _, id := range []string{"b", "a"} {
		if err := w.Write(table.ListingRow{FixtureID: id}); err == nil {
			t.Errorf("the writer accepted %s after b", id)
		}
	}
}

func TestReaderRefusesOtherFiles(t *testing.T) {
	listing, _ := write(t, []table.ListingRow{{FixtureID: "a"}}, 1)
	var foreign bytes.Buffer
	w := parquet.NewGenericWriter[table.FixtureRow](&foreign)
	w.Close()
	for name, data := range map[string][]byte{"other table": listing, "foreign file": foreign.Bytes(), "text": []byte("PAR1 no table at all PAR1"), "empty": nil} {
		if _, err := table.NewReader[table.FixtureRow](bytes.NewReader(data), int64(len(data))); err == nil {
			t.Errorf("the reader accepted: %s", name)
		}
	}
}

func TestFileDescribesItself(t *testing.T) {
	data, _ := write(t, rowstest.Markets(1, 1), 1)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	words, _ := file.Lookup("mkt.columns")
	var columns map[string]string
	if err := json.Unmarshal([]byte(words), &columns); err != nil || len(columns) != len(file.Schema().Columns()) {
		t.Errorf("%d descriptions: %v", len(columns), err)
	}
	if by := file.Metadata().CreatedBy; !strings.HasPrefix(by, fmt.Sprintf("mkt table version %d", table.Version)) {
		t.Errorf("created by %q", by)
	}
	if s := file.RowGroups()[0].SortingColumns(); len(s) != 2 {
		t.Errorf("sorted by %v", s)
	}
}

// The digest of a table that was published stays what it is.
func TestDigestOfATableNeverChanges(t *testing.T) {
	markets := append(rowstest.Markets(20, 9), table.MarketRow{FixtureID: "fy", MarketID: "no selections"})
	if _, sum := write(t, markets, 7); sum.Digest != "d037dedb65f9042525cfa9b73397150c4d1d314e2ee6b0689bf9fffa301eb3a7" {
		t.Errorf("the digest of the table is %s", sum.Digest)
	}
}

func BenchmarkWriteMarkets(b *testing.B) {
	rows := rowstest.Markets(12000, 10)
	b.ReportAllocs()
	for b.Loop() {
		write(b, rows, 60)
	}
	b.ReportMetric(float64(len(rows)*10*b.N)/b.Elapsed().Seconds(), "selections/s")
}

// A later column without any value is left out of the summary, whether rows are written or read.
func TestSummaryWithoutALaterColumn(t *testing.T) {
	data, written := write(t, []table.FixtureRow{{FixtureID: "fx_1", SourceProvider: "betsapi", ProviderFixtureID: "1"}}, 1)
	read, err := table.Summarize[table.FixtureRow](bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	if diff := cmp.Diff(written, read); diff != "" {
		t.Error(diff)
	}
}
