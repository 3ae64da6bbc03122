package serve

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mkt/internal/listen"
	"mkt/serve/internal/api"
)

const (
	maxURL    = 4 << 10
	maxHeader = 16 << 10
	maxBody   = 64 << 10 // no route uses a body; a small one is discarded
)

func withinSize(r *http.Request, b body) error {
	if len(r.RequestURI) > maxURL || listen.HeaderBytes(r.Header) > maxHeader {
		return api.Refuse(api.RequestTooLarge)
	}
	return b.refusal()
}

// body is the result of reading a request's body, which no route of the API uses.
type body uint8

const (
	bodyWhole body = iota // it was read to its end, or there is none
	bodyLarge             // larger than maxBody; it was not read to its end
	bodyCut               // the rest did not arrive in time
)

// lingerTime is how long a connection whose request body was not read to its end is
// kept open after the answer, so that the client can read the answer.
const lingerTime = time.Second

// discardBody reads a body, so that the connection can be used again unless the body was
// sent in chunks.
func discardBody(w http.ResponseWriter, r *http.Request) body {
	if r.ContentLength > maxBody {
		return bodyLarge
	}
	from := listen.FromContext(r.Context()).Body(r.Body)
	switch n, err := io.Copy(io.Discard, io.LimitReader(from, maxBody+1)); {
	case err != nil:
		return bodyCut
	case n > maxBody:
		return bodyLarge
	}
	if len(r.TransferEncoding) > 0 {
		return bodyWhole // but closed: net/http does not say whether it also had a length, at which a proxy may have ended it
	}
	w.Header().Del("Connection")
	http.NewResponseController(w).SetReadDeadline(time.Time{}) // net/http reads on to notice a disconnection
	return bodyWhole
}

func (b body) refusal() error {
	switch b {
	case bodyLarge:
		return api.Refuse(api.RequestTooLarge)
	case bodyCut:
		return api.Refusef(api.BadRequest, "the request's body did not arrive completely")
	}
	return nil
}

// normalizePath gives the path of a request the one form for the router, which compares
// bytes: nothing is percent-encoded without need. Paths with no other difference
// are the same (RFC 3986, section 6.2.2). An encoded slash stays encoded and does not
// separate segments.
func normalizePath(u *url.URL) {
	sent := u.RawPath
	if sent == "" {
		sent = u.EscapedPath()
	}
	if !strings.Contains(sent, "%") {
		return
	}
	segments := strings.Split(sent, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(decoded(s))
	}
	u.RawPath = strings.Join(segments, "/")
}

func decoded(segment string) string {
	plain, err := url.PathUnescape(segment)
	if err != nil {
		return segment // unreachable: net/http refuses a path with an invalid escape
	}
	return plain
}
