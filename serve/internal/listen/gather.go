package listen

import (
	"net"
	"sync"
)

// gathered is what is written to a connection while it is held back.
type gathered struct {
	whole  []byte      // what may be kept without copying it, see Gather
	parts  net.Buffers // complete but for the end of copied
	copied []byte
	from   int // where the part of copied that is not in parts begins
	size   int
}

// maxGathered is the most memory that is kept for the next answer. An answer needs what
// net/http buffers, and its tail.
const maxGathered = 16 << 10

var gatheredPool = sync.Pool{New: func() any { return &gathered{copied: make([]byte, 0, maxGathered/2)} }}

func (g *gathered) add(p []byte) {
	g.size += len(p)
	if n, m := len(p), len(g.whole); n > 0 && n <= m && &p[n-1] == &g.whole[m-1] {
		g.closePart()
		g.parts = append(g.parts, p)
		return
	}
	g.copied = append(g.copied, p...)
}

func (g *gathered) closePart() {
	if n := len(g.copied); n > g.from {
		g.parts = append(g.parts, g.copied[g.from:n:n])
		g.from = n
	}
}

func (g *gathered) recycle() {
	if cap(g.copied) > maxGathered {
		return
	}
	*g = gathered{copied: g.copied[:0]}
	gatheredPool.Put(g)
}

// Gather calls write, and then sends in one system call all that write wrote to the
// connection. net/http would send an answer of more than a few kilobytes in several
// pieces, and each costs as much as the rest of the request. write must flush what it
// writes. What it writes is copied, except for a piece at the end of whole, which must
// not change before Gather returns.
//
// unsent is the number of bytes that could not be sent; the connection is closed then,
// because an answer is cut. If c is nil, Gather only calls write.
func (c *Conn) Gather(whole []byte, write func()) (unsent int) {
	if c == nil {
		write()
		return 0
	}
	g := gatheredPool.Get().(*gathered)
	defer g.recycle()
	g.whole = whole
	c.gathered = g
	func() {
		defer func() { c.gathered = nil }()
		write()
	}()
	if unsent = c.send(g); unsent > 0 {
		c.Close()
	}
	return unsent
}

func (c *Conn) send(g *gathered) (unsent int) {
	defer c.timeWrite()()
	g.closePart()
	if len(g.parts) == 1 {
		n, _ := c.Conn.Write(g.parts[0])
		return g.size - n
	}
	n, _ := sendParts(c.Conn, &g.parts)
	return g.size - int(n)
}

// partsWriter is a connection that can send several slices in one system call.
type partsWriter interface {
	WriteParts(*net.Buffers) (int64, error)
}

func sendParts(c net.Conn, parts *net.Buffers) (int64, error) {
	if w, ok := c.(partsWriter); ok {
		return w.WriteParts(parts)
	}
	return parts.WriteTo(c) // one system call if it is one of package net's connections
}

// WriteParts sends several slices, in one system call if possible.
func (c Wrapped) WriteParts(parts *net.Buffers) (int64, error) { return sendParts(c.Conn, parts) }
