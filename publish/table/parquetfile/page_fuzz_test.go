package parquetfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// FuzzPage reads arbitrary pages. Each is read or refused, and every entry of one that is read can
// be used.
func FuzzPage(f *testing.F) {
	texts := binary.LittleEndian.AppendUint32(nil, 2)
	f.Add(uint8(0), uint8(0), uint8(0), uint16(1), []byte(nil), []byte(nil), append(texts, "ab"...), []byte(nil))
	f.Add(uint8(1), uint8(1), uint8(1), uint16(3), []byte{2 << 1, 0, 1 << 1, 1}, []byte{3 << 1, 1}, []byte{8, 3 << 1, 0}, append(texts, "ab"...))
	f.Add(uint8(2), uint8(0), uint8(1), uint16(8), []byte(nil), []byte{3, 0b10101010}, make([]byte, 64), []byte(nil))
	f.Add(uint8(6), uint8(2), uint8(3), uint16(2), []byte{2 << 1, 0}, []byte{2 << 1, 3}, []byte{128, 1, 4, 2, 2, 0, 0, 0, 0, 0, 'a'}, []byte(nil))
	kinds := []parquet.Kind{parquet.ByteArray, parquet.Boolean, parquet.Int64, parquet.Int32, parquet.Double}
	encodings := []format.Encoding{format.Plain, format.RLEDictionary, format.DeltaLengthByteArray}
	f.Fuzz(func(t *testing.T, kind, maxRep, maxDef uint8, entries uint16, reps, defs, values, dictionary []byte) {
		l := &Leaf{Kind: kinds[int(kind)%len(kinds)], MaxRep: maxRep % 4, MaxDef: maxDef % 8}
		if l.MaxRep > l.MaxDef {
			return // no schema has it
		}
		p := NewColumnReader(l, 0, new(Source))
		page := dataPage{entries: int(entries), encoding: encodings[int(kind/8)%len(encodings)], reps: reps, defs: defs, values: values}
		if len(dictionary) > 0 {
			p.hasDictionary, p.dictionaryLen = true, int(dictionary[0])
			if p.dictionary.load(p.source, l.Kind, format.Plain, dictionary[1:], p.dictionaryLen) != nil {
				return
			}
		}
		if loaded(&p, &page) != nil {
			return
		}
		if p.Entries != page.entries {
			t.Fatalf("%d entries of %d", p.Entries, page.entries)
		}
		for ; p.At < p.Entries; p.At++ {
			if l.MaxRep > 0 && p.Reps[p.At] > l.MaxRep {
				t.Fatalf("entry %d is in a list of level %d", p.At, p.Reps[p.At])
			}
			if !p.IsValue(p.At) {
				continue
			}
			if i := p.NextValue(); l.Kind == parquet.ByteArray {
				_ = p.Texts[i]
			} else {
				_ = p.Numbers[i]
			}
		}
	})
}

// loaded loads a page as a Reader does: a panic of the library is an error.
func loaded(p *ColumnReader, page *dataPage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return p.load(page)
}

// FuzzRuns compares the length of runs with what the library decodes of them.
func FuzzRuns(f *testing.F) {
	f.Add([]byte{8, 3 << 1, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8}, uint16(11))
	f.Add([]byte{0, 3 << 1}, uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		all, err := indexes(nil, slices.Clip(data), int(n))
		if err == nil && len(all) != int(n) {
			t.Fatalf("%d indexes of %d", len(all), n)
		}
		if cap(all) > 4*(int(n)+64) {
			t.Fatalf("memory for %d indexes instead of %d", cap(all), n)
		}
	})
}
