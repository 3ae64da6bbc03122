package engine

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// postRequest carries out the packets of a POST.
func (s *Session) postRequest(w http.ResponseWriter, r *http.Request) {
	if refused := s.beginPost(w); refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	defer s.endPost()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/octet-stream") {
		s.broken()
		s.server.refuse(w, r, badRequest)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.server.o.MaxPayload)))
	if err != nil {
		s.cutPost(w, err)
		return
	}
	w.Header().Del("Connection")
	done := s.carryOut(body)
	s.endPost() // before the answer: with it the client may send the next
	if !done {
		s.server.refuse(w, r, badRequest)
		return
	}
	s.server.respond(w, http.StatusOK, "text/html", []byte("ok"))
}

// beginPost refuses when a POST runs already, which ends the session. The end of the
// session ends the reading of the body: there is nobody left to read it for.
func (s *Session) beginPost(w http.ResponseWriter) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil {
		return refused
	}
	if s.posting {
		s.lose(Protocol)
		return &badRequest
	}
	s.posting = true
	s.stopPost = func() { http.NewResponseController(w).SetReadDeadline(time.Now()) }
	return nil
}

func (s *Session) endPost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posting, s.stopPost = false, nil
}

// cutPost is a POST that was not read to its end. What it held is lost, and so is
// the session.
func (s *Session) cutPost(w http.ResponseWriter, err error) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		s.broken()
		s.server.respond(w, http.StatusRequestEntityTooLarge, plainText, []byte("message above the limit"))
		return
	}
	s.mu.Lock()
	s.lose(Transport)
	s.mu.Unlock()
	s.server.respond(w, http.StatusBadRequest, plainText, []byte("the body was cut"))
}

// carryOut is false for a violation, which ends the session.
func (s *Session) carryOut(body []byte) bool {
	packets, err := readPayload(body)
	s.inbound.Lock()
	defer s.inbound.Unlock()
	if err != nil {
		s.broken()
		return false
	}
	for _, p := range packets {
		if !s.receive(p) {
			return false
		}
	}
	return true
}

// refusal is what a polling request gets that the session does not take; mu is
// held.
func (s *Session) refusal() *refusal {
	if s.overdue() {
		s.lose(Ping)
	}
	switch {
	case s.state != open:
		return &sessionUnknown
	case s.ws != nil:
		return &badRequest
	}
	return nil
}
