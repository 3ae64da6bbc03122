package verify

import (
	"io"

	"mkt/publish/layout"
	"mkt/publish/table"
)

type summarizer = func(io.ReaderAt, int64) (table.Summary, error)

// tables has, for every kind of file, a function that counts and digests its rows.
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
