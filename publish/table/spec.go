package table

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// Row is one of the five kinds of row.
type Row interface {
	FixtureRow | MarketRow | ListingRow | EventRow
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

var specs = struct {
	fixtures, markets, listing, events func() *spec
}{
	fixtures: sync.OnceValue(func() *spec {
		return newSpec("fixtures", FixtureRow{}, []string{"fixture_id"}, nil)
	}),
	markets: sync.OnceValue(func() *spec {
		stats := map[string]bool{"fixture_id": true, "market_id": true, "market": true, "period": true, "origin_type": true}
		return newSpec("markets", MarketRow{}, []string{"fixture_id", "market_id"}, stats)
	}),
	listing: sync.OnceValue(func() *spec {
		return newSpec("listing", ListingRow{}, []string{"fixture_id"}, nil)
	}),
	events: sync.OnceValue(func() *spec {
		return newSpec("changes", EventRow{}, []string{"seq"}, nil)
	}),
}

func specOf[T Row]() *spec {
	var row T
	switch any(row).(type) {
	case FixtureRow:
		return specs.fixtures()
	case MarketRow:
		return specs.markets()
	case ListingRow:
		return specs.listing()
	}
	return specs.events()
}

func newSpec(name string, row any, sorting []string, stats map[string]bool) *spec {
	s := &spec{name: name, schema: parquet.SchemaOf(row), sorting: sorting, stats: stats}
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
	s.columns = s.describe()
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
				list.named[name] = append(list.named[name], j)
			}
		}
		// The provider's digits and the number are one field of the provider.
		list.named["odds_decimal"] = append(list.named["odds_decimal"], list.named["odds_decimal_text"]...)
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
