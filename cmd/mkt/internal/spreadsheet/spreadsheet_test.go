package spreadsheet

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/check"
)

func written(t *testing.T, names []string, rows ...[]any) []byte {
	t.Helper()
	w, err := New(t.TempDir())
	check.Must(t, err)
	defer w.Close()
	check.Must(t, w.Columns(names))
	for _, row := range rows {
		check.Must(t, w.Row(row))
	}
	var b bytes.Buffer
	check.Must(t, w.Finish(&b))
	return b.Bytes()
}

// part is a file in a spreadsheet.
func part(t *testing.T, data []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	check.Must(t, err)
	f, err := z.Open(name)
	check.Must(t, err)
	text, err := io.ReadAll(f)
	check.Must(t, err)
	return string(text)
}

// cellsOf reads the cells without the library that wrote them: "A2 inlineStr 1.90".
func cellsOf(t *testing.T, data []byte) (list []string) {
	t.Helper()
	var s struct {
		Cells []struct {
			Ref     string  `xml:"r,attr"`
			Type    string  `xml:"t,attr"`
			Formula *string `xml:"f"`
			Value   string  `xml:"v"`
			Text    string  `xml:"is>t"`
		} `xml:"sheetData>row>c"`
	}
	check.Must(t, xml.Unmarshal([]byte(part(t, data, "xl/worksheets/sheet1.xml")), &s))
	for _, c := range s.Cells {
		if c.Formula != nil {
			t.Errorf("%s has a formula: %s", c.Ref, *c.Formula)
		}
		list = append(list, strings.Join([]string{c.Ref, c.Type, c.Value + c.Text}, " "))
	}
	return list
}

func TestCells(t *testing.T) {
	values := []any{
		"1.90", "=HYPERLINK(\"http://x\")", "+1", "-1.5", "@SUM(A1)", " padded\n", "", nil,
		true, int32(-7), int64(999999999999999), int64(1000000000000000), uint64(math.MaxUint64), 2.5, json.Number("1.50"), json.Number("1234567890.123456"),
		[]any{"a", nil}, map[string]any{"b": 1, "a": "<"}, "<&>\u202e _x0041_", "a\x1b[2J\xff\ufffd",
	}
	names := make([]string, len(values))
	for i := range names {
		names[i] = "=c"
	}
	data := written(t, names, values)
	want := []string{
		"A2 inlineStr 1.90", `B2 inlineStr =HYPERLINK("http://x")`, "C2 inlineStr +1", "D2 inlineStr -1.5", "E2 inlineStr @SUM(A1)", "F2 inlineStr  padded\n", "G2 inlineStr ",
		"I2 b 1", "J2  -7", "K2  999999999999999", "L2 inlineStr 1000000000000000", "M2 inlineStr 18446744073709551615", "N2  2.5", "O2  1.5", "P2 inlineStr 1234567890.123456",
		`Q2 inlineStr ["a",null]`, `R2 inlineStr {"a":"<","b":1}`, "S2 inlineStr <&>\u202e _x005F_x0041_", `T2 inlineStr a\u001b[2J\xff` + "\ufffd",
	}
	if diff := cmp.Diff(want, cellsOf(t, data)[len(names):]); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(data, written(t, names, values)) {
		t.Error("the same rows gave other bytes")
	}
	if text := part(t, data, "xl/worksheets/sheet1.xml"); strings.Contains(text, "<dimension") {
		t.Error("the sheet states a dimension, which is not known before its rows")
	}
	if core := part(t, data, "docProps/core.xml"); strings.Contains(core, "created") || !strings.Contains(core, "<dc:creator>mkt<") {
		t.Error(core)
	}
}

// What does not fit is an error that says where, and never a shorter text or table.
func TestLimits(t *testing.T) {
	w, err := New(t.TempDir())
	check.Must(t, err)
	defer w.Close()
	if err := w.Columns(make([]string, 16385)); err == nil || !strings.Contains(err.Error(), "16385 columns, and a spreadsheet at most 16384") {
		t.Error(err)
	}
	check.Must(t, w.Columns([]string{"labels"}))
	check.Must(t, w.Row([]any{strings.Repeat("é", 32767)}))
	if err := w.Row([]any{strings.Repeat("\U0001F1EB", 16384)}); err == nil || !strings.Contains(err.Error(), "row 2, column labels: the text has 32768 characters, and a cell at most 32767") {
		t.Error(err)
	}
	w.rows = 1048574
	check.Must(t, w.Row([]any{nil}))
	if err := w.Row([]any{nil}); err == nil || !strings.Contains(err.Error(), "more than 1048575 rows") {
		t.Error(err)
	}
}
