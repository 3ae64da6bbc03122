package upstream

import (
	"net/http"
	"time"

	"mkt/fetch/provider"
)

// Answer is one answer as received, accepted or not, perhaps in part.
type Answer struct {
	Attempt int // of its request, from 1
	Status  int
	Header  http.Header
	Body    []byte    // unpacked
	At      time.Time // when its last byte was there
	Verdict provider.Verdict
}

// attempt is the result of sending a request once.
type attempt struct {
	answer   Answer
	number   int64    // of the request, in the order in which they are sent
	answered bool     // the header was received
	failed   *failure // there is no answer, or not all of it
	turn     *turn    // of a large answer; nil for others
}
