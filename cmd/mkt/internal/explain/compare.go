package explain

import (
	"fmt"
	"reflect"
	"strings"

	"mkt/publish/table"
)

// differences names the columns in which a market that is read again differs from
// the one served. Ids are left out: they take the id key, which is not here.
func differences(served, again table.MarketRow) (names []string) {
	again.MarketID = served.MarketID
	for i := range again.Selections {
		if i < len(served.Selections) {
			again.Selections[i].SelectionID = served.Selections[i].SelectionID
		}
	}
	a, b := reflect.ValueOf(served), reflect.ValueOf(again)
	for i := range a.NumField() {
		column, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("parquet"), ",")
		if column == "selections" {
			names = append(names, selectionDifferences(served.Selections, again.Selections)...)
			continue
		}
		if !alike(a.Field(i), b.Field(i)) {
			names = append(names, column)
		}
	}
	return names
}

func selectionDifferences(served, again []table.SelectionRow) (names []string) {
	if len(served) != len(again) {
		return []string{fmt.Sprintf("the number of selections (%d, served %d)", len(again), len(served))}
	}
	seen := map[string]bool{}
	for i := range served {
		a, b := reflect.ValueOf(served[i]), reflect.ValueOf(again[i])
		for k := range a.NumField() {
			column, _, _ := strings.Cut(a.Type().Field(k).Tag.Get("parquet"), ",")
			if name := "selections." + column; !seen[name] && !alike(a.Field(k), b.Field(k)) {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// alike compares two columns; an empty list and none are the same in Parquet.
func alike(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func list(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
