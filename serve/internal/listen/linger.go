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
