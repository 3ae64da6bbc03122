package direct

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/serve/internal/listen"
)

// Server answers plain requests.
type Server struct {
	Handler http.Handler
	Root    string           // the beginning of the paths that it answers
	Now     func() time.Time // for the field Date

	idle sync.Pool // of *exchange
	date atomic.Pointer[date]
}

// exchange is a request and its answer, whose memory is used again.
type exchange struct {
	request
	answer
}

// maxKept is the capacity up to which a buffer is used again.
const maxKept = 32 << 10

// Answer implements listen.Answerer.
func (s *Server) Answer(c *listen.Conn, b []byte) listen.Outcome {
	e, ok := s.idle.Get().(*exchange)
	if !ok {
		e = &exchange{request{header: http.Header{}}, answer{header: http.Header{}}}
	}
	whole, plain := e.request.read(b)
	outcome := listen.Unknown
	switch {
	case whole && plain && strings.HasPrefix(e.url.Path, s.Root):
		outcome = s.answer(c, e)
	case whole:
		outcome = listen.Whole
	}
	e.request.reset()
	s.idle.Put(e) // unless the handler panicked, and may keep it
	return outcome
}

func (s *Server) answer(c *listen.Conn, e *exchange) listen.Outcome {
	a := &e.answer
	a.conn, a.date, a.close = c, s.dateNow(), e.request.close
	s.Handler.ServeHTTP(a, &e.request.http)
	if !a.sent {
		a.WriteHeader(http.StatusOK)
		a.send(a.body, nil)
	}
	outcome := listen.Answered
	if a.close || a.err != nil {
		outcome = listen.Close
	}
	a.reset()
	return outcome
}

// date is a second and its text in the field Date.
type date struct {
	second int64
	text   []string
}

func (s *Server) dateNow() []string {
	now := s.Now()
	d := s.date.Load()
	if d == nil || d.second != now.Unix() {
		d = &date{now.Unix(), []string{now.UTC().Format(http.TimeFormat)}}
		s.date.Store(d)
	}
	return d.text
}
