package listen

import (
	"bytes"
	"net"
	"sync"

	"mkt/internal/deadline"
)

// maxKept is the greatest buffer kept for another answer.
const maxKept = 64 << 10

// gathering collects the writes of one answer. The parts lie in the order of the writes.
type gathering struct {
	lines []byte // header fields that are still to be inserted
	own   []byte // the caller's bytes, which are not copied
	buf   []byte // copies of everything else
	head  int    // bytes of buf before the caller's bytes; -1 = those were not written yet
	rest  []byte // the part of own not copied
	parts [3][]byte
}

var gatherings = sync.Pool{New: func() any { return new(gathering) }}

// add adds a write. Only the end of own arrives in one piece, because net/http fills the
// buffer of the header with its beginning.
func (g *gathering) add(p []byte) {
	if g.lines != nil { // the first write begins with the status line
		end := bytes.IndexByte(p, '\n') + 1
		g.buf = append(append(g.buf, p[:end]...), g.lines...)
		p, g.lines = p[end:], nil
	}
	if g.head < 0 && len(p) > 0 && len(p) <= len(g.own) && &p[len(p)-1] == &g.own[len(g.own)-1] {
		g.head, g.rest = len(g.buf), p
		return
	}
	g.buf = append(g.buf, p...)
}

// Gather calls send, and passes on all its writes to the connection in one system call.
// Without it, net/http sends the header with the first kilobytes of a body, and then the
// rest. send must flush its writes. lines are header fields, each with its line end, which are
// inserted into the answer's header. The bytes of own, which send writes among others, are not
// copied and must not change. If the answer cannot be passed on, the connection ends.
func (c *Conn) Gather(lines, own []byte, send func()) {
	g := gatherings.Get().(*gathering)
	g.lines, g.own, g.buf, g.head, g.rest = lines, own, g.buf[:0], -1, nil
	c.gathered = g
	defer func() {
		c.gathered = nil
		if err := c.passOn(g); err != nil {
			c.Conn.Close() // its owner notices at the next read or write
		}
		if g.lines, g.own, g.rest, g.parts = nil, nil, nil, [3][]byte{}; cap(g.buf) <= maxKept {
			gatherings.Put(g)
		}
	}()
	send()
}

func (c *Conn) passOn(g *gathering) error {
	head := max(g.head, 0)
	g.parts = [...][]byte{g.buf[:head], g.rest, g.buf[head:]}
	c.writing.Store(int64(deadline.Elapsed()))
	defer c.writing.Store(0)
	parts := net.Buffers(g.parts[:])
	_, err := parts.WriteTo(innermost(c.Conn))
	return err
}

// innermost returns the connection of the operating system, which can write several buffers
// at once.
func innermost(c net.Conn) net.Conn {
	for {
		outer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = outer.NetConn()
	}
}
