package listen

import (
	"io"
	"net/http"
	"time"

	"mkt/internal/deadline"
)

// maxLingering is the maximum number of bytes read by [Linger].
const maxLingering = 4 << 20

// Linger sends the part of an answer that is written already. Then it reads and discards
// the rest of the request's body for at most d. A connection closed with unread bytes is
// reset, and its client may never read the answer.
func Linger(w http.ResponseWriter, r *http.Request, d time.Duration) {
	control := http.NewResponseController(w)
	if control.Flush() != nil || deadline.Read(control, d) != nil {
		return
	}
	io.CopyN(io.Discard, FromContext(r.Context()).Body(r.Body), maxLingering)
}

// BoundBody sets the deadline of a request's body. The connection is closed after the
// answer unless the caller reads the body to its end and deletes the header Connection:
// net/http would otherwise wait for the rest before it writes the answer. The returned
// function discards, for at most d, the bytes that arrive after the answer.
func BoundBody(w http.ResponseWriter, r *http.Request, limit, d time.Duration) (done func()) {
	deadline.Read(http.NewResponseController(w), limit)
	w.Header().Set("Connection", "close")
	return func() {
		if w.Header().Get("Connection") == "close" {
			Linger(w, r, d)
		}
	}
}

// HeaderBytes returns the approximate size of headers on the wire.
func HeaderBytes(h http.Header) (size int) {
	for name, values := range h {
		for _, value := range values {
			size += len(name) + len(value) + len(": \r\n")
		}
	}
	return size
}
