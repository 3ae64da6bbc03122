package direct

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mkt/serve/internal/listen"
)

// answer is the http.ResponseWriter of a plain request.
type answer struct {
	conn   *listen.Conn
	date   []string
	header http.Header
	names  []string // of header
	status int      // 0 until the handler has set it
	head   []byte
	body   []byte // what was written
	parts  [3][]byte
	toSend net.Buffers // of parts
	sent   bool
	close  bool // the connection must be closed after the answer
	err    error
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

var errSent = errors.New("the answer has been sent")

// Write implements http.ResponseWriter. The answer is sent when the handler returns.
func (a *answer) Write(p []byte) (int, error) {
	if a.sent {
		return 0, errSent
	}
	a.WriteHeader(http.StatusOK)
	a.body = append(a.body, p...)
	return len(p), nil
}

// WriteAll sends the answer, whose body has two parts, without copying them. It returns how many bytes of
// the body were sent.
func (a *answer) WriteAll(first, second []byte) (int64, error) {
	if a.sent {
		return 0, errSent
	}
	a.WriteHeader(http.StatusOK)
	n := a.send(first, second)
	return n, a.err
}

// OnDisconnect calls f when the client disconnects, until stop is called.
func (a *answer) OnDisconnect(f func()) (stop func()) { return a.conn.OnDisconnect(f) }

// send sends the answer and returns how many bytes of the body were sent.
func (a *answer) send(first, second []byte) int64 {
	a.sent = true
	h := a.header
	switch {
	case a.status == http.StatusNoContent || a.status == http.StatusNotModified: // which have no body
		first, second = nil, nil
		delete(h, "Content-Length")
		if a.status == http.StatusNotModified {
			delete(h, "Content-Type")
		}
	default: // the handler may have declared another one
		h["Content-Length"] = []string{strconv.Itoa(len(first) + len(second))}
	}
	a.writeHead()
	a.parts = [...][]byte{a.head, first, second}
	a.toSend = a.parts[:]
	n, err := a.conn.WriteAll(&a.toSend)
	a.err = err
	return max(0, n-int64(len(a.head)))
}

var newlinesToSpaces = strings.NewReplacer("\n", " ", "\r", " ")

// writeHead renders the head, with its fields sorted by name.
func (a *answer) writeHead() {
	h := a.header
	h["Date"] = a.date
	if a.close = a.close || h.Get("Connection") == "close"; a.close {
		h["Connection"] = []string{"close"}
	}
	for name := range h {
		a.names = append(a.names, name)
	}
	slices.Sort(a.names)
	b := append(a.head, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(a.status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(a.status)...)
	b = append(b, newline...)
	for _, name := range a.names {
		for _, value := range h[name] {
			b = append(b, name...)
			b = append(b, ": "...)
			b = append(b, newlinesToSpaces.Replace(value)...)
			b = append(b, newline...)
		}
	}
	a.head = append(b, newline...)
}

// reset prepares the answer for another request.
func (a *answer) reset() {
	clear(a.header)
	body := a.body[:0]
	if cap(body) > maxKept {
		body = nil
	}
	*a = answer{header: a.header, names: a.names[:0], head: a.head[:0], body: body}
}
