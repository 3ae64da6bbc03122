package verify

import (
	"io"
	"strings"

	"mkt/publish/layout"
	"mkt/publish/table"
)

type summarizer = func(io.ReaderAt, int64) (table.Summary, error)

// tables are how the rows of every kind of file are counted and digested.
var tables = map[string]summarizer{
	layout.FixturesFile:     table.Summarize[table.FixtureRow],
	layout.MarketsFile:      table.Summarize[table.MarketRow],
	layout.ListingFile:      table.Summarize[table.ListingRow],
	layout.LiveFile:         table.Summarize[table.LiveRow],
	layout.LiveCountersFile: table.Summarize[table.LiveCounterRow],
	layout.LiveTimelineFile: table.Summarize[table.LiveTimelineRow],
	layout.LiveBucketsFile:  table.Summarize[table.LiveBucketRow],
	layout.LivePeriodsFile:  table.Summarize[table.LivePeriodRow],
	layout.LiveStatesFile:   table.Summarize[table.LiveStateRow],
}

// tableOf is the name that manifests have for a file's table, and how to read it.
func tableOf(file string) (string, summarizer) {
	return strings.TrimSuffix(file, ".parquet"), tables[file]
}
