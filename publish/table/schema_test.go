package table_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"mkt/internal/testing/check"
	"mkt/publish/table"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// Columns, their order and types are a format: a change here is a new Version.
func TestSchemas(t *testing.T) {
	got := fmt.Sprintf("format %d\n", table.Version)
	for _, row := range []any{table.FixtureRow{}, table.MarketRow{}, table.ListingRow{}, table.EventRow{}, table.LiveRow{},
		table.LiveCounterRow{}, table.LiveTimelineRow{}, table.LiveBucketRow{}, table.LivePeriodRow{}, table.LiveStateRow{}} {
		got += fmt.Sprintf("\n%s\n", parquet.SchemaOf(row))
	}
	if *update {
		check.Must(t, os.WriteFile("testdata/schemas.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/schemas.txt")
	check.Must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// Files of format 1, which an old build wrote, stay readable: later columns are empty,
// and the digest is the one that was published.
func TestFormat1StaysReadable(t *testing.T) {
	timeline := read1[table.LiveTimelineRow](t, "live_timeline", "e29a88096c1977779b4f4962475a0629df3d3dcbb3ddaa1d9c9f0d94868007e1")
	if len(timeline) != 2 {
		t.Fatalf("%d entries", len(timeline))
	}
	e := timeline[1]
	if e.Minute == nil || *e.Minute != 0 || e.Second == nil || *e.Second != 36 || e.Half != nil || e.ListedAt != nil || e.State != "CALM" ||
		!e.Until.Equal(time.Date(2026, 3, 7, 15, 0, 40, 0, time.UTC)) {
		t.Errorf("%+v", e)
	}
	buckets := read1[table.LiveBucketRow](t, "live_buckets", "7c08692d30bf3901a29929ff7693a5d36cc62906c2e5dd9581fd78848e3b7263")
	if len(buckets) != 2 || buckets[0].Added != 0 || *buckets[0].Home != 3 || *buckets[0].Away != 0 || buckets[1].Home != nil || buckets[1].State != "MISSING" {
		t.Errorf("%+v", buckets)
	}
}

func read1[T table.Row](t *testing.T, name, digest string) []T {
	t.Helper()
	data, err := os.ReadFile("testdata/format1/" + name + ".parquet")
	check.Must(t, err)
	s, err := table.Summarize[T](bytes.NewReader(data), int64(len(data)))
	if err != nil || s.Digest != digest {
		t.Errorf("%s: digest %s, want %s (%v)", name, s.Digest, digest, err)
	}
	r := reader[T](t, data)
	defer r.Close()
	rows := make([]T, r.Len())
	if n, err := r.Read(rows); n != len(rows) || err != nil && err != io.EOF {
		t.Fatalf("%s: %d rows, %v", name, n, err)
	}
	return rows
}
