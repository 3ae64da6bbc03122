package table

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mkt/publish/table/parquetfile"
)

// Row is any kind of row.
type Row interface {
	FixtureRow | MarketRow | PriceRow | ListingRow | EventRow | StepRow |
		LiveRow | LiveCounterRow | LiveTimelineRow | LiveBucketRow | LivePeriodRow | LiveStateRow
}

type spec struct {
	name    string
	schema  *parquet.Schema
	leaves  []parquetfile.Leaf
	sorting []string
	stats   map[string]bool // leaves with minimum and maximum; nil = all
	// pageRows is the most rows of a page; 0 for no bound.
	pageRows int64
	tags     map[string]reflect.StructTag // of the row type's fields, by column
	columns  string                       // JSON: the meaning of each column
	absent   []absentList
	footer   func() format.FileMetaData
	row      reflect.Type
	slots    []slot       // of the row type
	codes    func() []int // see digestCodes
	buffers  sync.Pool    // of *buffers
}

// absentList is a column with the names of the row's columns that were not sent.
type absentList struct {
	leaf  int              // the column itself
	named map[string][]int // name → its leaves
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

func newSpec(name string, row any, sorting []string, stats map[string]bool) *spec {
	s := specIn(name, parquet.SchemaOf(row))
	s.sorting, s.stats, s.tags = sorting, stats, map[string]reflect.StructTag{}
	s.row = reflect.TypeOf(row)
	s.slots = slotsOf(s.row, 0, 0)
	tagsOf(s.tags, "", reflect.TypeOf(row))
	s.columns = s.describe()
	if s.row == reflect.TypeFor[StepRow]() {
		s.pageRows = stepPageRows
	}
	s.footer = sync.OnceValue(s.newFooter)
	s.codes = sync.OnceValue(s.digestCodes)
	s.buffers.New = s.newBuffers
	return s
}

// specIn returns the spec of a table with the columns of a schema.
func specIn(name string, schema *parquet.Schema) *spec {
	s := &spec{name: name, schema: schema, leaves: parquetfile.Leaves(schema)}
	s.findAbsentLists()
	return s
}

// findAbsentLists pairs every "absent" column with the columns beside it.
func (s *spec) findAbsentLists() {
	for i, l := range s.leaves {
		beside, ok := strings.CutSuffix(l.Name, "absent")
		if !ok {
			continue
		}
		list := absentList{leaf: i, named: map[string][]int{}}
		for j, other := range s.leaves {
			if name, ok := strings.CutPrefix(other.Name, beside); ok && other.Optional {
				// The provider's digits and the number are one field of the provider.
				name = strings.TrimSuffix(name, "_text")
				list.named[name] = append(list.named[name], j)
			}
		}
		s.absent = append(s.absent, list)
	}
}

// describe returns the descriptions of the columns as JSON. Every file carries them for people.
// It panics if a column has none, which is a bug in this package.
func (s *spec) describe() string {
	means := map[string]string{}
	for _, l := range s.leaves {
		if means[l.Name] = s.tags[l.Name].Get("means"); means[l.Name] == "" {
			panic(fmt.Sprintf("table %s: column %s has no description", s.name, l.Name))
		}
	}
	data, err := json.Marshal(means)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// digestCodes returns the code of every leaf in the content digest. It panics on a column that
// has none and is not excluded.
func (s *spec) digestCodes() []int {
	codes := make([]int, len(s.leaves))
	for i, l := range s.leaves {
		tag := s.tags[l.Name].Get("digest")
		code, err := strconv.Atoi(tag)
		if tag == "-" {
			code, err = notDigested, nil
		}
		if err != nil || code > math.MaxUint8 || code >= 0 && slices.Contains(codes[:i], code) {
			panic(fmt.Sprintf("table %s: column %s needs a digest code of its own, or \"-\"", s.name, l.Name))
		}
		codes[i] = code
	}
	return codes
}

func tagsOf(tags map[string]reflect.StructTag, prefix string, row reflect.Type) {
	for i := range row.NumField() {
		f := row.Field(i)
		name := prefix + columnName(f)
		tags[name] = f.Tag
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			tagsOf(tags, name+".", f.Type.Elem())
		}
	}
}

func columnName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	return name
}

// newFooter returns the common part of the footers of a table's files.
func (s *spec) newFooter() format.FileMetaData {
	footer, err := parquetfile.NewFooter(s.schema, "mkt table", strconv.Itoa(Version))
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", s.name, err))
	}
	return footer
}
