package table_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mkt/internal/testing/check"
	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// claim is a change of a file whose hashes and checksums match: what a page or the footer states.
type claim struct {
	column     string
	dictionary bool                      // the page of the dictionary instead of the first one with data
	body       func(plain []byte) []byte // changes the page before compression
	header     func(h *format.PageHeader)
	footer     func(f *format.FileMetaData)
}

const billions = math.MaxInt32

// A page or a footer that states sizes that it does not have is refused before memory is allocated
// for them.
func TestClaims(t *testing.T) {
	run := binary.AppendUvarint(nil, billions<<1) // of one value
	for name, c := range map[string]claim{
		"values": {column: "fixture_id", header: values(billions)},
		"values and rows": {column: "fixture_id", header: values(billions), footer: func(f *format.FileMetaData) {
			f.NumRows, f.RowGroups[0].NumRows = billions, billions
			for i := range f.RowGroups[0].Columns {
				f.RowGroups[0].Columns[i].MetaData.NumValues = billions
			}
		}},
		"values of a list": {column: "selections.selection_id", header: values(billions)},
		"values of a list, and of its chunk": {column: "selections.selection_id", header: values(billions), footer: func(f *format.FileMetaData) {
			for i := range f.RowGroups[0].Columns {
				f.RowGroups[0].Columns[i].MetaData.NumValues = billions
			}
		}},
		"values of a dictionary": {column: "fixture_id", dictionary: true, header: func(h *format.PageHeader) { h.DictionaryPageHeader.V.NumValues = billions }},
		"compressed size":        {column: "market_id", header: func(h *format.PageHeader) { h.CompressedPageSize = billions }},
		"size":                   {column: "market_id", header: func(h *format.PageHeader) { h.UncompressedPageSize = billions }},
		"size of the page and of its chunk": {column: "market_id", header: func(h *format.PageHeader) { h.UncompressedPageSize = billions }, footer: func(f *format.FileMetaData) {
			for i := range f.RowGroups[0].Columns {
				f.RowGroups[0].Columns[i].MetaData.TotalUncompressedSize = billions
			}
		}},
		"size of the chunk": {column: "market_id", header: func(h *format.PageHeader) { h.CompressedPageSize = billions }, footer: func(f *format.FileMetaData) {
			for i := range f.RowGroups[0].Columns {
				f.RowGroups[0].Columns[i].MetaData.TotalCompressedSize = billions
			}
		}},
		"a page that decompresses to more": {column: "market_id", body: func(plain []byte) []byte { return append(plain, make([]byte, 256<<20)...) }, header: func(h *format.PageHeader) { h.UncompressedPageSize = 1000 }},
		"run of levels": {column: "selections.selection_id", body: func(plain []byte) []byte {
			levels := append(bytes.Clone(run), 0)
			return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...), plain[4+binary.LittleEndian.Uint32(plain):]...)
		}},
		"run of indexes": {column: "fixture_id", body: func([]byte) []byte { return append(append([]byte{8}, run...), 0) }},
		"lengths of texts": {column: "market_id", body: func(plain []byte) []byte {
			at := 0
			for range 2 {
				_, n := binary.Uvarint(plain[at:])
				at += n
			}
			_, n := binary.Uvarint(plain[at:])
			return append(binary.AppendUvarint(bytes.Clone(plain[:at]), billions), plain[at+n:]...)
		}},
		"length of an index": {column: "market_id", footer: func(f *format.FileMetaData) {
			for i := range f.RowGroups[0].Columns {
				c := &f.RowGroups[0].Columns[i]
				c.OffsetIndexLength, c.ColumnIndexLength = billions, billions
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			data, _ := write(t, rowstest.Markets(40, 3), 7)
			data = c.apply(t, data)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := table.Summarize[table.MarketRow](bytes.NewReader(data), int64(len(data)))
			search(data, c.column)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
				t.Errorf("reading %d bytes allocated %d MiB", len(data), took>>20)
			}
			if err == nil {
				t.Error("the table was read")
			}
		})
	}
}

// search reads a table as explain does. An error is fine.
func search(data []byte, column string) {
	r, err := table.NewReader[table.MarketRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	defer r.Close()
	_, _ = r.FindRow("x", path(column)...)
	for range r.FixtureRows("fx_00000") {
	}
}

func path(column string) []string {
	if column == "selections.selection_id" {
		return []string{"selections", "list", "element", "selection_id"}
	}
	return []string{column}
}

func values(n int32) func(h *format.PageHeader) {
	return func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = n }
}

// apply returns the file with the change.
func (c claim) apply(t *testing.T, file []byte) []byte {
	t.Helper()
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var footer format.FileMetaData
	protocol := new(thrift.CompactProtocol)
	check.Must(t, thrift.Unmarshal(protocol, file[end:len(file)-8], &footer))
	var m *format.ColumnMetaData
	for i := range footer.RowGroups[0].Columns {
		if has := &footer.RowGroups[0].Columns[i].MetaData; slices.Equal(has.PathInSchema, path(c.column)) {
			m = has
		}
	}
	at := m.DataPageOffset
	if c.dictionary {
		at = m.DictionaryPageOffset
	}
	var h format.PageHeader
	in := protocol.NewReaderFromBytes(file[at:])
	check.Must(t, thrift.NewDecoder(in).Decode(&h))
	first := at + int64(in.BytesRead())
	last := first + int64(h.CompressedPageSize)
	body := file[first:last]
	if c.body != nil {
		body = c.body(decompress(t, body))
		h.UncompressedPageSize = int32(len(body))
		body = compress(t, body)
		h.CompressedPageSize, h.CRC = int32(len(body)), int32(crc32.ChecksumIEEE(body))
	}
	if c.header != nil {
		c.header(&h)
	}
	head, err := thrift.Marshal(protocol, &h)
	check.Must(t, err)
	out := append(append(append(bytes.Clone(file[:at]), head...), body...), file[last:end]...)
	longer := int64(len(out) - end)
	m.TotalCompressedSize += longer
	for i := range footer.RowGroups[0].Columns {
		column := &footer.RowGroups[0].Columns[i]
		for _, offset := range []*int64{&column.MetaData.DataPageOffset, &column.MetaData.DictionaryPageOffset, &column.OffsetIndexOffset, &column.ColumnIndexOffset} {
			if *offset > at {
				*offset += longer
			}
		}
	}
	if c.footer != nil {
		c.footer(&footer)
	}
	encoded, err := thrift.Marshal(protocol, &footer)
	check.Must(t, err)
	return append(binary.LittleEndian.AppendUint32(append(out, encoded...), uint32(len(encoded))), "PAR1"...)
}

func compress(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	check.Must(t, err)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

func decompress(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := zstd.NewReader(nil)
	check.Must(t, err)
	defer r.Close()
	out, err := r.DecodeAll(data, nil)
	check.Must(t, err)
	return out
}

// A change that changes nothing leaves a file that is read, so that the others fail for what they
// change.
func TestNoClaim(t *testing.T) {
	data, want := write(t, rowstest.Markets(40, 3), 7)
	for _, column := range []string{"fixture_id", "market_id", "selections.selection_id"} {
		c := claim{column: column, body: bytes.Clone}
		data := c.apply(t, data)
		if got, err := table.Summarize[table.MarketRow](bytes.NewReader(data), int64(len(data))); err != nil || got.Digest != want.Digest {
			t.Errorf("%s: %v", column, err)
		}
	}
}
