package listen

import (
	"io"
	"net/http"
	"time"
)

// mostLingering bounds what is read of a body that nobody wants.
const mostLingering = 4 << 20

// Linger sends what has been written of an answer, and then reads what still comes of
// the request's body until the time is over. A connection that is closed over unread
// bytes is reset, and the client may never read its answer.
func Linger(w http.ResponseWriter, r *http.Request, d time.Duration) {
	control := http.NewResponseController(w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(d)) != nil {
		return
	}
	io.CopyN(io.Discard, FromContext(r.Context()).Body(r.Body), mostLingering)
}
