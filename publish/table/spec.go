package table

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// Row is one of the kinds of row.
type Row interface {
	FixtureRow | MarketRow | ListingRow | EventRow |
		LiveRow | LiveCounterRow | LiveTimelineRow | LiveBucketRow | LivePeriodRow | LiveStateRow
}

// leaf is one column that holds values, in the order of the schema.
type leaf struct {
	name     string // "selections.line": the path without Parquet's list.element
	path     []string
	kind     parquet.Kind
	optional bool // the value itself may be null
	maxDef   byte
}

// spec is what a table is, worked out once from its row type.
type spec struct {
	name    string
	schema  *parquet.Schema
	leaves  []leaf
	sorting []string
	stats   map[string]bool // leaves with minimum and maximum; nil = all
	columns string          // JSON: what each column means
	absent  []absentList
}

// absentList is a column that names columns beside it that were not sent.
type absentList struct {
	leaf  int              // its own place
	named map[string][]int // name → leaves it speaks of
}

// marketStats are the columns of markets with minimum and maximum: it is a large
// table, and these are what is searched for.
var marketStats = map[string]bool{"fixture_id": true, "market_id": true, "market": true, "period": true, "origin_type": true}

// specs has every table, each worked out when it is first needed.
var specs = map[reflect.Type]func() *spec{
	reflect.TypeFor[FixtureRow]():      specFor("fixtures", FixtureRow{}, nil, "fixture_id"),
	reflect.TypeFor[MarketRow]():       specFor("markets", MarketRow{}, marketStats, "fixture_id", "market_id"),
	reflect.TypeFor[ListingRow]():      specFor("listing", ListingRow{}, nil, "fixture_id"),
	reflect.TypeFor[EventRow]():        specFor("changes", EventRow{}, nil, "seq"),
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
	s.sorting, s.stats, s.columns = sorting, stats, s.describe()
	return s
}

// specIn is what a table is by the columns of a schema.
func specIn(name string, schema *parquet.Schema) *spec {
	s := &spec{name: name, schema: schema}
	for _, path := range s.schema.Columns() {
		column, _ := s.schema.Lookup(path...)
		s.leaves = append(s.leaves, leaf{
			name:     plainName(path),
			path:     path,
			kind:     column.Node.Type().Kind(),
			optional: column.Node.Optional(),
			maxDef:   byte(column.MaxDefinitionLevel),
		})
	}
	s.findAbsentLists()
	return s
}

// plainName leaves out the two levels that Parquet puts into every list.
func plainName(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".list.element", "")
}

// findAbsentLists pairs every "absent" column with the columns beside it.
func (s *spec) findAbsentLists() {
	for i, l := range s.leaves {
		beside, ok := strings.CutSuffix(l.name, "absent")
		if !ok {
			continue
		}
		list := absentList{leaf: i, named: map[string][]int{}}
		for j, other := range s.leaves {
			if name, ok := strings.CutPrefix(other.name, beside); ok && other.optional {
				// The provider's digits and the number are one field of the provider.
				name = strings.TrimSuffix(name, "_text")
				list.named[name] = append(list.named[name], j)
			}
		}
		s.absent = append(s.absent, list)
	}
}

// describe is the JSON for people that every file carries. It panics on a
// column without a description: that is a mistake in this package.
func (s *spec) describe() string {
	words := map[string]string{}
	for _, l := range s.leaves {
		text, ok := descriptions[s.name][l.name]
		if !ok {
			panic(fmt.Sprintf("table %s: column %s has no description", s.name, l.name))
		}
		words[l.name] = text
	}
	data, err := json.Marshal(words)
	if err != nil {
		panic(err)
	}
	return string(data)
}
