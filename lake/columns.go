package lake

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The first columns of the rows; the columns of a row of package table follow. One struct with
// two embedded ones would not do: the Parquet library writes a pointer to zero in an embedded
// struct as NULL.
type (
	owner struct {
		ClientID string `parquet:"client_id,dict" means:"account whose data it is"`
		Product  string `parquet:"product,dict" means:"product whose data it is"`
	}
	account struct {
		ClientID string `parquet:"client_id,dict" means:"account whose data it is"`
		Product  string `parquet:"product,dict" means:"product whose data it is"`
		Version  int64  `parquet:"version" means:"number of the publication that the row is of, from 1"`
	}
	publication struct {
		ClientID    string    `parquet:"client_id,dict" means:"account whose data it is"`
		Product     string    `parquet:"product,dict" means:"product whose data it is"`
		Version     int64     `parquet:"version" means:"number of the publication that the row is of, from 1"`
		CycleID     string    `parquet:"cycle_id,dict" means:"processing cycle of the publication"`
		PublishedAt time.Time `parquet:"published_at,timestamp(millisecond)" means:"when the publication became readable, UTC"`
	}
)

// recordRow is a row of the table of publications.
type recordRow struct {
	HistoryID      string `parquet:"history_id,dict" means:"history of the change log; a restored data root begins a new one"`
	CommitSHA256   string `parquet:"commit_sha256" means:"SHA-256 of the commit record, which proves everything before it"`
	ManifestSHA256 string `parquet:"manifest_sha256" means:"SHA-256 of the manifest of the snapshot"`
	Coverage       string `parquet:"coverage,dict" means:"REFRESHED: the lake has the rows that are not the same as in the publication before; ALL: it has every row of the publication; MISSING: retention deleted the snapshot before all of its rows were read"`
	Events         string `parquet:"events,dict" means:"COMPLETE: the lake has all change events of the publication; INCOMPLETE: retention deleted some or all before they were read"`
}

// Values of the columns coverage and events of publications.
const (
	coverageRefreshed = "REFRESHED"
	coverageAll       = "ALL"
	coverageMissing   = "MISSING"
	eventsComplete    = "COMPLETE"
	eventsIncomplete  = "INCOMPLETE"
)

// schemaOf returns the Iceberg schema of rows with the columns of head, then those of row. Its
// ids are provisional: the catalog assigns the ids of a new table, and a table keeps its ids when
// columns are added.
func schemaOf(head, row reflect.Type) *iceberg.Schema {
	id := 0
	return iceberg.NewSchema(0, append(fieldsOf(head, &id), fieldsOf(row, &id)...)...)
}

func fieldsOf(row reflect.Type, id *int) (fields []iceberg.NestedField) {
	for i := range row.NumField() {
		f := row.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		*id++
		field := iceberg.NestedField{ID: *id, Name: name, Doc: f.Tag.Get("means"), Required: f.Type.Kind() != reflect.Pointer}
		if field.Required == strings.Contains(options, "optional") {
			panic(fmt.Sprintf("lake: column %s: only a pointer may be optional, and it must be", name))
		}
		field.Type = typeOf(f.Type, id)
		fields = append(fields, field)
	}
	return fields
}

func typeOf(t reflect.Type, id *int) iceberg.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return iceberg.PrimitiveTypes.TimestampTz
	case t.Kind() == reflect.String:
		return iceberg.PrimitiveTypes.String
	case t.Kind() == reflect.Bool:
		return iceberg.PrimitiveTypes.Bool
	case t.Kind() == reflect.Int32:
		return iceberg.PrimitiveTypes.Int32
	case t.Kind() == reflect.Int64:
		return iceberg.PrimitiveTypes.Int64
	case t.Kind() == reflect.Float64:
		return iceberg.PrimitiveTypes.Float64
	case t.Kind() == reflect.Slice:
		*id++
		list := &iceberg.ListType{ElementID: *id, ElementRequired: true}
		list.Element = typeOf(t.Elem(), id)
		return list
	case t.Kind() == reflect.Struct:
		return &iceberg.StructType{FieldList: fieldsOf(t, id)}
	}
	panic(fmt.Sprintf("lake: no type of Iceberg for %s", t))
}

// node is a node of a Parquet schema with the field id by which readers of Iceberg find it.
type node struct {
	parquet.Node
	id     int
	fields []parquet.Field
}

func (n *node) ID() int                 { return n.id }
func (n *node) Fields() []parquet.Field { return n.fields }

type field struct {
	*node
	of parquet.Field
}

func (f *field) Name() string                           { return f.of.Name() }
func (f *field) Value(base reflect.Value) reflect.Value { return f.of.Value(base) }

// withIDs returns the Parquet schema of such rows, with the field ids of an Iceberg table and
// times in microseconds. scaled marks the columns in milliseconds, whose values must be
// multiplied by a thousand.
func withIDs(head, row *parquet.Schema, to *iceberg.Schema) (schema *parquet.Schema, scaled []bool) {
	root := &node{Node: row}
	for _, part := range []*parquet.Schema{head, row} {
		for _, f := range part.Fields() {
			of, found := to.FindFieldByName(f.Name())
			if !found {
				panic(fmt.Sprintf("lake: the table has no column %s", f.Name()))
			}
			root.fields = append(root.fields, identified(f, of.ID, of.Type))
		}
		for _, path := range part.Columns() {
			leaf, _ := part.Lookup(path...)
			scaled = append(scaled, isMillis(leaf.Node))
		}
	}
	return parquet.NewSchema("row", root), scaled
}

func identified(f parquet.Field, id int, of iceberg.Type) parquet.Field {
	n := &node{Node: f, id: id}
	switch of := of.(type) {
	case *iceberg.ListType:
		list := f.Fields()[0]
		element := identified(list.Fields()[0], of.ElementID, of.Element)
		n.fields = []parquet.Field{&field{&node{Node: list, fields: []parquet.Field{element}}, list}}
	case *iceberg.StructType:
		for _, child := range f.Fields() {
			at := indexOf(of.FieldList, child.Name())
			n.fields = append(n.fields, identified(child, of.FieldList[at].ID, of.FieldList[at].Type))
		}
	default:
		if isMillis(f) {
			n.Node = parquet.Timestamp(parquet.Microsecond)
			if f.Optional() {
				n.Node = parquet.Optional(n.Node)
			}
		}
	}
	return &field{n, f}
}

func indexOf(fields []iceberg.NestedField, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("lake: the table has no column %s", name))
}

func isMillis(n parquet.Node) bool {
	if !n.Leaf() {
		return false
	}
	logical := n.Type().LogicalType()
	if logical == nil {
		return false
	}
	stamp, is := logical.Value.(*format.TimestampType)
	if !is {
		return false
	}
	_, is = stamp.Unit.Value.(*format.MilliSeconds)
	return is
}
