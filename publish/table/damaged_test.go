package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mkt/internal/testing/check"
)

// A footer that states fewer rows or more than the columns have is refused, also by a reader that
// begins in the middle.
func TestRowsOfARowGroup(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter[ListingRow](&file, Header{})
	for i := range 9 {
		check.Must(t, w.Write(ListingRow{FixtureID: string(rune('a' + i))}))
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for rows := range int64(12) {
		data := withRows(t, file.Bytes(), rows, rows)
		for name, do := range map[string]func() error{
			"read": func() error { return readFrom(data, 0) },
			"seek": func() error { return readFrom(data, min(rows, 5)) },
			"summarize": func() error {
				_, err := Summarize[ListingRow](bytes.NewReader(data), int64(len(data)))
				return err
			},
		} {
			if name == "seek" && rows <= 5 {
				continue // nothing is read
			}
			if err := do(); (err == nil) != (rows == 9) {
				t.Errorf("%s: a row group of 9 rows, which are said to be %d: %v", name, rows, err)
			}
		}
	}
}

// The numbers of rows of the file and of its row groups agree.
func TestRowsOfAFile(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter[ListingRow](&file, Header{})
	check.Must(t, w.Write(ListingRow{FixtureID: "a"}))
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for rows, want := range []error{ErrFormat, nil, ErrFormat} {
		if err := readFrom(withRows(t, file.Bytes(), int64(rows), 1), 0); !errors.Is(err, want) {
			t.Errorf("a file of 1 row, which is said to have %d: %v", rows, err)
		}
	}
}

func readFrom(data []byte, row int64) error {
	r, err := NewReader[ListingRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	defer r.Close()
	if row > 0 {
		if err := r.SeekRow(row); err != nil {
			return err
		}
	}
	for {
		if _, err := r.Read(make([]ListingRow, 2)); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// withRows changes the numbers of rows in the footer of a file.
func withRows(t *testing.T, file []byte, rows, group int64) []byte {
	t.Helper()
	at := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var footer format.FileMetaData
	check.Must(t, thrift.Unmarshal(new(thrift.CompactProtocol), file[at:len(file)-8], &footer))
	footer.NumRows, footer.RowGroups[0].NumRows = rows, group
	encoded, err := thrift.Marshal(new(thrift.CompactProtocol), &footer)
	check.Must(t, err)
	out := append(bytes.Clone(file[:at]), encoded...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(encoded))), "PAR1"...)
}
