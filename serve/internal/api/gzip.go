package api

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A gzip stream is a header, deflate blocks, and the checksum and length of their
// content. The blocks of a page's head are made once and end at a byte boundary (a sync
// flush). For each request, one stored block with the tail is added, so a compressed
// answer needs no compression.

var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

const gzipLevel = 3

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, gzipLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// GzipHead returns the beginning of the compressed body, which is the same for every
// request. The caller must not modify it.
func (p *Page) GzipHead() []byte {
	p.zip.once.Do(func() {
		p.zip.head = deflate(p.head)
		p.zip.crc = crc32.ChecksumIEEE(p.head)
	})
	return p.zip.head
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(data)/6 + 64)
	b.Write(gzipHeader)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	w.Write(data) // writing to a buffer never fails
	w.Flush()
	return bytes.Clone(b.Bytes())
}

// AppendGzipTail appends the end of the compressed body: tail as a stored block, which
// may have at most 65,535 bytes, and the end of the stream. GzipHead must have been
// called.
func (p *Page) AppendGzipTail(dst, tail []byte) []byte {
	dst = append(dst, 1) // final, stored
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(tail)))
	dst = binary.LittleEndian.AppendUint16(dst, ^uint16(len(tail)))
	dst = append(dst, tail...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Update(p.zip.crc, crc32.IEEETable, tail))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(p.head)+len(tail)))
}
