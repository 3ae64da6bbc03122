package lake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	icetable "github.com/apache/iceberg-go/table"

	"mkt/internal/testing/needs"
)

// values are the columns of a row: texts for numbers and times (in milliseconds), nil for
// NULL, and maps and lists of them.
type values = map[string]any

// reader reads the rows of a table of acme's lake.
type reader func(t *testing.T, lake, name string) []values

// byLibrary reads with the library that wrote the table.
func byLibrary(t *testing.T, lake, name string) (rows []values) {
	t.Helper()
	return byLibraryAt(t, lake, "", name)
}

func byLibraryAt(t *testing.T, lake, location, name string) (rows []values) {
	t.Helper()
	c, err := openCatalog(lake, location)
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := c.LoadTable(t.Context(), icetable.Identifier{"acme", name})
	if err != nil {
		t.Fatal(err)
	}
	_, batches, err := tbl.Scan().ToArrowRecords(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for batch, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(batch.NumRows()) {
			row := values{}
			for j, column := range batch.Columns() {
				row[batch.ColumnName(j)] = arrowValue(column, i)
			}
			rows = append(rows, row)
		}
		batch.Release()
	}
	return rows
}

func arrowValue(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.String:
		return strings.Clone(a.Value(i))
	case *array.LargeString:
		return strings.Clone(a.Value(i))
	case *array.Boolean:
		return a.Value(i)
	case *array.Int32:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'f', -1, 64)
	case *array.Timestamp:
		return strconv.FormatInt(int64(a.Value(i))/1000, 10)
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		list := []any{}
		for k := from; k < to; k++ {
			list = append(list, arrowValue(a.ListValues(), int(k)))
		}
		return list
	case *array.Struct:
		row := values{}
		for k := range a.NumField() {
			row[a.DataType().(*arrow.StructType).Field(k).Name] = arrowValue(a.Field(k), i)
		}
		return row
	}
	panic(fmt.Sprintf("no value for %T", a))
}

// byIcebird reads with a reader that shares no code with the writer.
func byIcebird(t *testing.T, lake, name string) (rows []values) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "read.js", filepath.Join(lake, "acme", name))
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = filepath.Join("testdata", "node"), &errs
	cmd.Env = append(os.Environ(), "LAKE="+lake)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("icebird: %v\n%s", err, errs.String())
	}
	for lines := json.NewDecoder(bufio.NewReader(bytes.NewReader(out))); lines.More(); {
		var line struct{ Row values }
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, line.Row)
	}
	return rows
}

// needsIcebird skips a test if icebird is not installed. make check-lake installs it and sets
// CHECK_LAKE; the test fails if it is missing then.
func needsIcebird(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("testdata", "node", "node_modules", "icebird")); err != nil {
		needs.Env(t, "CHECK_LAKE", "make check-lake, for icebird")
		t.Fatal("icebird is not installed: ", err)
	}
}

// valuesOf returns the columns of a row of package table.
func valuesOf(row any) values { return goValue(reflect.ValueOf(row)).(values) }

func goValue(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if at, is := v.Interface().(time.Time); is {
		return strconv.FormatInt(at.UnixMilli(), 10)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, goValue(v.Index(i)))
		}
		return list
	case reflect.Struct:
		row := values{}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
			row[name] = goValue(v.Field(i))
		}
		return row
	}
	panic("no value for " + v.Type().String())
}
