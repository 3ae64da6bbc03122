package listen

import "sync"

// MaxHeld is the size up to which it is worth holding an answer back: a copy costs less than a
// second system call.
const MaxHeld = 32 << 10

// held is what was written to a connection since Hold.
type held struct{ buf []byte }

var helds = sync.Pool{New: func() any { return &held{make([]byte, 0, MaxHeld/4)} }}

// Hold makes the connection hold back what is written to it until Send is called, which then
// needs one system call. net/http would send an answer in pieces of 4 KB, and a piece costs as
// much as the rest of a request. Only the handler of a request may call it. c may be nil.
func (c *Conn) Hold() {
	if c != nil && c.held == nil {
		c.held = helds.Get().(*held)
	}
}

// Send sends what was held back, if anything was; the handler must have flushed its answer. It
// should be the last thing that the handler does: a client that has its answer sends the next
// request, and net/http would be woken for it while the handler is still running. If not
// everything can be sent, it closes the connection, because an answer is cut. c may be nil.
func (c *Conn) Send() {
	if c == nil || c.held == nil {
		return
	}
	h := c.held
	c.held = nil
	if _, err := c.Write(h.buf); err != nil {
		c.Close()
	}
	if cap(h.buf) <= 2*MaxHeld {
		h.buf = h.buf[:0]
		helds.Put(h)
	}
}
