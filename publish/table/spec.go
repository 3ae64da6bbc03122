package table

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"mkt/publish/table/columnar"
	"mkt/publish/table/parquetfile"
)

// Row is any kind of row.
type Row interface {
	FixtureRow | MarketRow | PriceRow | ListingRow | EventRow | StepRow |
		LiveRow | LiveCounterRow | LiveTimelineRow | LiveBucketRow | LivePeriodRow | LiveStateRow
}

// spec defines a table: its columns, its order and how its files are written.
type spec struct {
	*columnar.Layout
	sorting []string
	stats   map[string]bool // leaves with minimum and maximum; nil = all
	// pageRows is the most rows of a page; 0 for no bound.
	pageRows int64
	columns  string // JSON: the meaning of each column
	footer   func() format.FileMetaData
	buffers  sync.Pool // of *buffers
}

// marketStats are the columns of markets with minimum and maximum. The table is large, so only
// searched columns have them.
var marketStats = map[string]bool{"fixture_id": true, "market_id": true, "market": true, "period": true, "origin_type": true}

// stepStats are the columns of steps used to find a path.
var stepStats = map[string]bool{"fixture_id": true, "market_id": true}

// stepPageRows keeps the pages of steps small: a path is a few rows of many files.
const stepPageRows = 256

// specs holds the spec of every table, computed when it is first needed.
var specs = map[reflect.Type]func() *spec{
	reflect.TypeFor[FixtureRow]():      specFor("fixtures", FixtureRow{}, nil, "fixture_id"),
	reflect.TypeFor[MarketRow]():       specFor("markets", MarketRow{}, marketStats, "fixture_id", "market_id"),
	reflect.TypeFor[PriceRow]():        specFor("markets", PriceRow{}, nil, "fixture_id", "market_id"),
	reflect.TypeFor[ListingRow]():      specFor("listing", ListingRow{}, nil, "fixture_id"),
	reflect.TypeFor[EventRow]():        specFor("changes", EventRow{}, nil, "seq"),
	reflect.TypeFor[StepRow]():         specFor("steps", StepRow{}, stepStats, "fixture_id", "market_id", "selection_id", "seq"),
	reflect.TypeFor[LiveRow]():         specFor("live", LiveRow{}, nil, "fixture_id"),
	reflect.TypeFor[LiveCounterRow]():  specFor("live_counters", LiveCounterRow{}, nil, "fixture_id", "metric"),
	reflect.TypeFor[LiveTimelineRow](): specFor("live_timeline", LiveTimelineRow{}, nil, "fixture_id", "ordinal"),
	reflect.TypeFor[LiveBucketRow]():   specFor("live_buckets", LiveBucketRow{}, nil, "fixture_id", "minute", "added"),
	reflect.TypeFor[LivePeriodRow]():   specFor("live_periods", LivePeriodRow{}, nil, "fixture_id", "half"),
	reflect.TypeFor[LiveStateRow]():    specFor("live_states", LiveStateRow{}, map[string]bool{"fixture_id": true}, "fixture_id"),
}

func specFor(name string, row any, stats map[string]bool, sorting ...string) func() *spec {
	return sync.OnceValue(func() *spec { return newSpec(name, row, sorting, stats) })
}

func specOf[T Row]() *spec { return specs[reflect.TypeFor[T]()]() }

// LayoutOf returns where the columns of a table are.
func LayoutOf[T Row]() *columnar.Layout { return specOf[T]().Layout }

func newSpec(name string, row any, sorting []string, stats map[string]bool) *spec {
	s := &spec{Layout: columnar.NewLayout(name, row), sorting: sorting, stats: stats}
	s.columns = s.describe()
	if s.Row == reflect.TypeFor[StepRow]() {
		s.pageRows = stepPageRows
	}
	s.footer = sync.OnceValue(s.newFooter)
	return s
}

// describe returns the descriptions of the columns as JSON. Every file carries them for people.
// It panics if a column has none, which is a bug in this package.
func (s *spec) describe() string {
	means := map[string]string{}
	for _, l := range s.Leaves {
		if means[l.Name] = s.Tags[l.Name].Get("means"); means[l.Name] == "" {
			panic(fmt.Sprintf("table %s: column %s has no description", s.Name, l.Name))
		}
	}
	data, err := json.Marshal(means)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// newFooter returns the common part of the footers of a table's files.
func (s *spec) newFooter() format.FileMetaData {
	footer, err := parquetfile.NewFooter(s.Schema, "mkt table", strconv.Itoa(Version))
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", s.Name, err))
	}
	return footer
}

// sortingColumns are the numbers of the columns by which rows are sorted.
func (s *spec) sortingColumns() (sorting []int) {
	for _, name := range s.sorting {
		sorting = append(sorting, slices.IndexFunc(s.Leaves, func(l parquetfile.Leaf) bool { return l.Name == name }))
	}
	return sorting
}
