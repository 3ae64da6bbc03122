package listen

import (
	"io"
	"net/http"
	"time"

	"mkt/internal/deadline"
)

// maxLingering is the maximum number of bytes that Linger reads.
const maxLingering = 4 << 20

// Linger sends what has been written of an answer, and then reads and discards the rest of
// the request's body for at most d. A connection that is closed with unread bytes is reset,
// and its client may never read the answer.
func Linger(w http.ResponseWriter, r *http.Request, d time.Duration) {
	control := http.NewResponseController(w)
	if control.Flush() != nil || deadline.Read(control, d) != nil {
		return
	}
	io.CopyN(io.Discard, FromContext(r.Context()).Body(r.Body), maxLingering)
}

// BoundBody sets the deadline of a request's body. Until the body has been read to its end
// and the caller has deleted the header Connection, the connection is closed after the
// answer, because net/http would otherwise wait for the rest before it writes the answer.
// The returned function then discards for at most d what arrives after the answer.
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
