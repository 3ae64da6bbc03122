// Package spreadsheet writes the rows of a query as a spreadsheet (xlsx), with every value unchanged.
// A text is a cell of text, whatever it begins with: a formula is
// never written. Numbers are cells of numbers if a spreadsheet can represent all their
// digits. Times are texts in UTC, and lists and structs are JSON. NULL is no cell, and an
// empty text is a cell with an empty text.
//
// The same rows give the same bytes: the file has no time of its own.
package spreadsheet

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"mkt/serve/offline"
)

// The limits of a spreadsheet.
const (
	maxRows    = excelize.TotalRows // with the row of the names
	maxColumns = excelize.MaxColumns
	maxText    = excelize.TotalCellChars
	maxDigits  = 15 // of a number in spreadsheets
)

// instead is the advice in every error for a result beyond the limits of a spreadsheet.
const instead = "select less, or write a .parquet or .csv file"

// Writer is an [offline.Answer] in form of a spreadsheet. Close must be called.
type Writer struct {
	file         *excelize.File
	to           *excelize.StreamWriter
	head, asText int // styles
	names        []string
	cells        []any
	rows         int
}

var _ offline.Answer = (*Writer)(nil)

// New returns a writer whose temporary files are in a folder.
func New(tempDir string) (*Writer, error) {
	f := excelize.NewFile(excelize.Options{TmpDir: tempDir})
	w := &Writer{file: f}
	for name, text := range properties {
		f.Pkg.Store(name, []byte(xmlHeader+text))
	}
	var err error
	// Format 49 is text: a spreadsheet does not interpret such a cell when it is edited.
	if w.asText, err = f.NewStyle(&excelize.Style{NumFmt: 49}); err != nil {
		return nil, err
	}
	if w.head, err = f.NewStyle(&excelize.Style{NumFmt: 49, Font: &excelize.Font{Bold: true}}); err != nil {
		return nil, err
	}
	const name = "Sheet1"
	// Readers of large files believe the dimension, which the library states as A1.
	if err := f.SetSheetDimension(name, ""); err != nil {
		return nil, err
	}
	w.to, err = f.NewStreamWriter(name)
	return w, err
}

const xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// properties replace those of the library, whose times are not true.
var properties = map[string]string{
	"docProps/core.xml": `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>mkt</dc:creator></cp:coreProperties>`,
	"docProps/app.xml":  `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>mkt</Application></Properties>`,
}

// Columns implements [offline.Answer].
func (w *Writer) Columns(names []string) error {
	if len(names) > maxColumns {
		return fmt.Errorf("the result has %d columns, and a spreadsheet at most %d: %s", len(names), maxColumns, instead)
	}
	w.names, w.cells = names, make([]any, len(names))
	if err := w.to.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for i, name := range names {
		text, err := w.text(i, name)
		if err != nil {
			return err
		}
		w.cells[i] = excelize.Cell{StyleID: w.head, Value: text}
	}
	return w.to.SetRow("A1", w.cells)
}

// Row implements [offline.Answer].
func (w *Writer) Row(values []any) error {
	w.rows++
	if w.rows >= maxRows {
		return fmt.Errorf("the result has more than %d rows, the most that a spreadsheet has below the names of the columns: %s", maxRows-1, instead)
	}
	for i, v := range values {
		cell, err := w.cell(i, v)
		if err != nil {
			return err
		}
		w.cells[i] = cell
	}
	return w.to.SetRow("A"+strconv.Itoa(w.rows+1), w.cells)
}

func (w *Writer) cell(column int, v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64:
		return v, nil
	case json.Number: // of a decimal or a whole number of 128 bits
		if number, err := v.Float64(); err == nil && digits(v.String()) <= maxDigits {
			return number, nil
		}
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		if digits(fmt.Sprint(v)) <= maxDigits {
			return v, nil
		}
	}
	text, err := w.text(column, offline.Text(v))
	return excelize.Cell{StyleID: w.asText, Value: text}, err
}

func digits(number string) (n int) {
	for _, c := range number {
		if '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}

// text returns the text of a cell. A character outside XML is an escape, such as \u001b.
func (w *Writer) text(column int, text string) (string, error) {
	units := 0 // of UTF-16, in which spreadsheets count
	var b strings.Builder
	for at, c := range text {
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(text[at:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[at])
			units += 4
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0xFFFE, c == 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, c)
			units += 6
		default:
			b.WriteRune(c)
			units++
			if c > 0xFFFF {
				units++
			}
		}
	}
	if units > maxText {
		return "", fmt.Errorf("row %d, column %s: the text has %d characters, and a cell at most %d: %s", w.rows, w.names[column], units, maxText, instead)
	}
	return b.String(), nil
}

// Finish writes the file. No row can follow.
func (w *Writer) Finish(to io.Writer) error {
	if err := w.to.Flush(); err != nil {
		return err
	}
	// The library would collect the file in memory.
	w.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(to) })
	_, err := w.file.WriteToBuffer()
	return err
}

// Close removes the temporary files.
func (w *Writer) Close() error { return w.file.Close() }
