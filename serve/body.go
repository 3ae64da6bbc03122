package serve

import (
	"io"
	"net/http"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/listen"
)

// body is what came of a request's body, which no route of the API has a use for.
type body uint8

const (
	bodyWhole body = iota // it was read to its end, or there is none
	bodyLarge             // above mostBody; it was not read to its end
	bodyCut               // the rest did not come in time
)

// lingerTime is how long a connection that is closed with a request's body unread
// takes what still comes, so that the client gets to read its answer.
const lingerTime = time.Second

// boundBody gives a request's body its deadline, and has the connection closed
// behind the answer unless the body is read to its end: net/http would wait for the
// rest. The function that is returned takes what still comes behind the answer.
func (s *server) boundBody(w http.ResponseWriter, r *http.Request) (done func()) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.readTime))
	w.Header().Set("Connection", "close")
	return func() {
		if w.Header().Get("Connection") == "close" {
			listen.Linger(w, r, lingerTime)
		}
	}
}

// passOver reads a body, so that the connection can be used again, unless the body
// came in chunks.
func (a *answer) passOver(r *http.Request) body {
	if r.ContentLength > mostBody {
		return bodyLarge
	}
	from := listen.FromContext(r.Context()).Body(r.Body)
	switch n, err := io.Copy(io.Discard, io.LimitReader(from, mostBody+1)); {
	case err != nil:
		return bodyCut
	case n > mostBody:
		return bodyLarge
	}
	if len(r.TransferEncoding) > 0 {
		return bodyWhole // and closed: net/http does not tell whether it had a length, too, by which a proxy may have ended it elsewhere
	}
	a.Header().Del("Connection")
	http.NewResponseController(a).SetReadDeadline(time.Time{}) // net/http reads on, to notice that the client goes
	return bodyWhole
}

// refusal is what a request with such a body gets; nil when it is answered.
func (b body) refusal() error {
	switch b {
	case bodyLarge:
		return api.Refuse(api.RequestTooLarge)
	case bodyCut:
		return api.Refusef(api.BadRequest, "the request's body did not come in full")
	}
	return nil
}
