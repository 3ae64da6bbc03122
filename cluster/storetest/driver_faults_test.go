package storetest

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// fault is a fault of one request. The zero value is none.
type fault struct {
	refuse      *refusal      // answered in place of the server, which is not asked
	dropRequest bool          // the connection is closed, and the server is not asked
	dropAnswer  bool          // the connection is closed when the server has done the work
	truncate    bool          // the connection is closed in the middle of the answer's body
	flipBody    bool          // one bit of the request's body is flipped
	flipAnswer  bool          // one bit of the answer's body is flipped
	delay       time.Duration // before the server is asked
}

// network is the network between a driver and its server.
type network struct {
	server http.Handler

	mu   sync.Mutex
	n    int // requests since the rule was set
	rule func(n int, r *http.Request) fault
}

// inject sets the rule for the faults of requests; n is 1 for the first request. nil ends all
// faults.
func (w *network) inject(rule func(n int, r *http.Request) fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n, w.rule = 0, rule
}

func (w *network) next(r *http.Request) fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	if w.rule == nil {
		return fault{}
	}
	return w.rule(w.n, r)
}

func (w *network) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f := w.next(r)
	if f.delay > 0 {
		select {
		case <-time.After(f.delay):
		case <-r.Context().Done():
			return
		}
	}
	if f.dropRequest {
		panic(http.ErrAbortHandler)
	}
	if f.refuse != nil {
		out.Header().Set("Content-Type", "application/xml")
		out.WriteHeader(f.refuse.Status)
		_ = xml.NewEncoder(out).Encode(struct {
			XMLName       xml.Name `xml:"Error"`
			Code, Message string
		}{Code: f.refuse.Code, Message: "canary of the store"})
		return
	}
	if f.flipBody && len(body) > 0 {
		body = flipped(body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Del("Expect") // the body is here already
	answer := httptest.NewRecorder()
	w.server.ServeHTTP(answer, r)
	if f.dropAnswer {
		panic(http.ErrAbortHandler)
	}
	data := answer.Body.Bytes()
	if f.flipAnswer {
		data = flipped(data)
	}
	for name, values := range answer.Header() {
		out.Header()[name] = values
	}
	if r.Method != http.MethodHead && answer.Code != http.StatusNoContent && answer.Code != http.StatusNotModified {
		out.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	out.WriteHeader(answer.Code)
	if f.truncate {
		_, _ = out.Write(data[:len(data)/2])
		_ = http.NewResponseController(out).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = out.Write(data)
}

// flipped returns data with one bit flipped near its end: in every form of a request the bytes of
// the object are there.
func flipped(data []byte) []byte {
	data = bytes.Clone(data)
	if marker := bytes.LastIndex(data, []byte(pattern)); marker >= 0 {
		data[marker] ^= 1
	}
	return data
}
