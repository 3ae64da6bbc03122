//go:build ignore

// This program shows how much memory github.com/parquet-go/parquet-go allocates for a page whose
// header states more than the page has. Run it in a module that requires the library:
//
//	go run docs/upstream/page_header.go
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

type row struct {
	Name  string `parquet:"name,delta,zstd"`
	Maybe *int64 `parquet:"maybe,optional,plain,zstd"`
}

func main() {
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.DataPageVersion(1))
	seven := int64(7)
	if _, err := w.Write([]row{{"a", &seven}, {"b", nil}}); err != nil {
		fail(err)
	}
	if err := w.Close(); err != nil {
		fail(err)
	}
	const much = 1 << 28 // a header can state eight times as much
	for _, c := range []struct {
		states string
		column int
		change func(h *format.PageHeader)
	}{
		{"nothing that is wrong", 0, func(*format.PageHeader) {}},
		{"256 MiB of uncompressed bytes", 0, func(h *format.PageHeader) { h.UncompressedPageSize = much }},
		{"256 MiB of compressed bytes", 0, func(h *format.PageHeader) { h.CompressedPageSize = much }},
		{"268 million values of a required column", 0, func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = much }},
		{"268 million values of an optional column", 1, func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = much }},
	} {
		changed := withHeader(file.Bytes(), c.column, c.change)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		err := read(changed)
		runtime.ReadMemStats(&after)
		fmt.Printf("a header in %d bytes that states %s: %d MiB allocated, error: %v\n", len(changed), c.states, (after.TotalAlloc-before.TotalAlloc)>>20, err)
	}
}

// read reads all rows. A panic is an error.
func read(file []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r := parquet.NewGenericReader[row](bytes.NewReader(file))
	defer r.Close()
	for {
		if _, err := r.Read(make([]row, 10)); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// withHeader returns a file in which the header of a column's first page is changed. The rest moves,
// and the footer says so.
func withHeader(file []byte, column int, change func(*format.PageHeader)) []byte {
	protocol := new(thrift.CompactProtocol)
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var footer format.FileMetaData
	if err := thrift.Unmarshal(protocol, file[end:len(file)-8], &footer); err != nil {
		fail(err)
	}
	at := footer.RowGroups[0].Columns[column].MetaData.DataPageOffset
	in := protocol.NewReaderFromBytes(file[at:])
	var h format.PageHeader
	if err := thrift.NewDecoder(in).Decode(&h); err != nil {
		fail(err)
	}
	change(&h)
	head, err := thrift.Marshal(protocol, &h)
	if err != nil {
		fail(err)
	}
	out := append(append(bytes.Clone(file[:at]), head...), file[int(at)+int(in.BytesRead()):end]...)
	longer := int64(len(out) - end)
	for i := range footer.RowGroups[0].Columns {
		c := &footer.RowGroups[0].Columns[i]
		if i == column {
			c.MetaData.TotalCompressedSize += longer
		}
		for _, offset := range []*int64{&c.MetaData.DataPageOffset, &c.OffsetIndexOffset, &c.ColumnIndexOffset} {
			if *offset > at {
				*offset += longer
			}
		}
	}
	encoded, err := thrift.Marshal(protocol, &footer)
	if err != nil {
		fail(err)
	}
	return append(binary.LittleEndian.AppendUint32(append(out, encoded...), uint32(len(encoded))), "PAR1"...)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
