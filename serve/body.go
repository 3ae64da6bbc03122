package serve

import (
	"io"
	"net/http"
	"time"

	"mkt/internal/listen"
	"mkt/serve/internal/api"
)

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
func (a *answer) discardBody(r *http.Request) body {
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
	a.Header().Del("Connection")
	http.NewResponseController(a).SetReadDeadline(time.Time{}) // net/http reads on to notice a disconnection
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
