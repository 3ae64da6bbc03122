package columnar

import (
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"

	"mkt/publish/table/parquetfile"
)

// Layout says where the columns of a table are: in Parquet, and in the memory of a row.
type Layout struct {
	Name   string // of the table
	Schema *parquet.Schema
	Leaves []parquetfile.Leaf
	// Of the row type; empty in the layout of a file:
	Row    reflect.Type
	Slots  []Slot
	Tags   map[string]reflect.StructTag // of the fields, by column
	absent []absentList
}

// absentList is a column with the names of the row's columns that were not sent.
type absentList struct {
	leaf  int              // the column itself
	named map[string][]int // name → its leaves
}

// NewLayout returns the layout of a table with rows of a type. It panics on a type of field that is
// unknown, which is a mistake in the definition of the table.
func NewLayout(name string, row any) *Layout {
	l := FileLayout(name, parquet.SchemaOf(row))
	l.Row, l.Tags = reflect.TypeOf(row), map[string]reflect.StructTag{}
	l.Slots = slotsOf(l.Row, 0, 0)
	tagsOf(l.Tags, "", l.Row)
	return l
}

// FileLayout returns the layout of a table with the columns of a schema.
func FileLayout(name string, schema *parquet.Schema) *Layout {
	s := &Layout{Name: name, Schema: schema, Leaves: parquetfile.Leaves(schema)}
	s.findAbsentLists()
	return s
}

// findAbsentLists pairs every "absent" column with the columns beside it.
func (s *Layout) findAbsentLists() {
	for i, l := range s.Leaves {
		beside, ok := strings.CutSuffix(l.Name, "absent")
		if !ok {
			continue
		}
		list := absentList{leaf: i, named: map[string][]int{}}
		for j, other := range s.Leaves {
			if name, ok := strings.CutPrefix(other.Name, beside); ok && other.Optional {
				// The provider's digits and the number are one field of the provider.
				name = strings.TrimSuffix(name, "_text")
				list.named[name] = append(list.named[name], j)
			}
		}
		s.absent = append(s.absent, list)
	}
}

func tagsOf(tags map[string]reflect.StructTag, prefix string, row reflect.Type) {
	for i := range row.NumField() {
		f := row.Field(i)
		name := prefix + ColumnName(f)
		tags[name] = f.Tag
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			tagsOf(tags, name+".", f.Type.Elem())
		}
	}
}

// ColumnName returns the name of the column of a field.
func ColumnName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	return name
}
