package table_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

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
		if err := os.WriteFile("testdata/schemas.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/schemas.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
