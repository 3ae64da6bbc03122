package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/columnar"
)

// Columns returns the names of the columns in which two rows differ, in the
// table's order. A column of a nested row is named as "selections.line". An empty list
// equals a missing one, as in Parquet.
func Columns[T table.Row](a, b T) []string {
	return differences("", reflect.ValueOf(a), reflect.ValueOf(b))
}

func differences(prefix string, a, b reflect.Value) (names []string) {
	for i := range a.NumField() {
		name, x, y := prefix+columnar.ColumnName(a.Type().Field(i)), a.Field(i), b.Field(i)
		if x.Kind() != reflect.Slice {
			if !reflect.DeepEqual(x.Interface(), y.Interface()) {
				names = append(names, name)
			}
			continue
		}
		if x.Len() != y.Len() {
			names = append(names, name)
			continue
		}
		for k := range x.Len() {
			nested := []string{name}
			if x.Index(k).Kind() == reflect.Struct {
				nested = differences(name+".", x.Index(k), y.Index(k))
			} else if reflect.DeepEqual(x.Index(k).Interface(), y.Index(k).Interface()) {
				continue
			}
			for _, n := range nested {
				if !slices.Contains(names, n) {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

// Text returns a column of a row as text. It is missing if the row says so of the provider, and
// null if it has no value. Times are in RFC 3339, texts of a list are separated by commas, and a
// list of rows is given as their number.
func Text[T any](row *T, name string) football.Field[string] {
	v := reflect.ValueOf(row).Elem()
	indexes := columnsOf(v.Type())
	index, ok := indexes[name]
	if !ok {
		return football.Field[string]{}
	}
	if text, ok := textOf(v.Field(index)); ok {
		return football.Of(text)
	}
	if absent, ok := indexes["absent"]; ok {
		sent := strings.TrimSuffix(name, "_text") // the digits, and the number beside them, are one value
		if list := v.Field(absent).Interface().([]string); len(list) > 0 && slices.Contains(list, sent) {
			return football.Field[string]{}
		}
	}
	return football.NullField[string]()
}

var columnIndexes sync.Map // reflect.Type → map[string]int

func columnsOf(row reflect.Type) map[string]int {
	if known, ok := columnIndexes.Load(row); ok {
		return known.(map[string]int)
	}
	indexes := make(map[string]int)
	for i := range row.NumField() {
		indexes[columnar.ColumnName(row.Field(i))] = i
	}
	columnIndexes.Store(row, indexes)
	return indexes
}

// textOf returns a value as text; false if there is none.
func textOf(v reflect.Value) (string, bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", false
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return v.String(), true
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano), true
	case []string:
		return strings.Join(value, ", "), true
	default:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			return fmt.Sprintf("%d rows", v.Len()), true
		}
		return fmt.Sprint(value), true
	}
}
