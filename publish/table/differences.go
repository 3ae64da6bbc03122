package table

import (
	"fmt"
	"reflect"
	"slices"
)

// Differences returns the names of the columns in which two rows differ, in the
// table's order. A column of a nested row is named as "selections.line". An empty list
// equals a missing one, as in Parquet.
func Differences[T Row](a, b T) []string {
	return differences("", reflect.ValueOf(a), reflect.ValueOf(b))
}

func differences(prefix string, a, b reflect.Value) (names []string) {
	for i := range a.NumField() {
		name, x, y := prefix+columnName(a.Type().Field(i)), a.Field(i), b.Field(i)
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

// Column returns a column of a row as text for people: NULL if it has no value, and
// for a list of rows how many there are.
func Column[T Row](row T, column string) string {
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		if columnName(v.Type().Field(i)) == column {
			return textOf(v.Field(i))
		}
	}
	return ""
}

func textOf(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return "NULL"
	case v.Kind() == reflect.Pointer:
		return fmt.Sprint(v.Elem().Interface())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		return fmt.Sprintf("%d rows", v.Len())
	}
	return fmt.Sprint(v.Interface())
}
