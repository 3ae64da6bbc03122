package engine

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// postRequest carries out the packets of a POST.
func (s *Session) postRequest(w http.ResponseWriter, r *http.Request) {
	most, refused := s.beginPost(w)
	if refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	defer s.endPost()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/octet-stream") {
		s.broken()
		s.server.refuse(w, r, badRequest)
		return
	}
	body, err := readBody(w, r, most)
	switch {
	case err == nil:
		s.bodyRead(w, r)
		err = s.carryOut(body)
	case errors.Is(err, errCut):
		s.mu.Lock()
		s.lose(Transport)
		s.mu.Unlock()
	default:
		s.broken()
	}
	s.endPost() // before the answer: with it the client may send the next
	switch {
	case err == nil:
		s.server.respond(w, http.StatusOK, "text/html", []byte("ok"))
	case errors.Is(err, errLarge):
		s.server.respond(w, http.StatusRequestEntityTooLarge, plainText, []byte("message above the limit"))
	case errors.Is(err, errCut):
		s.server.respond(w, http.StatusBadRequest, plainText, []byte("the body was cut"))
	default:
		s.server.refuse(w, r, badRequest)
	}
}

// beginPost returns how many bytes the body may have. It refuses when a POST runs
// already, which ends the session. The end of the session ends the reading of the
// body: there is nobody left to read it for.
func (s *Session) beginPost(w http.ResponseWriter) (most int, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil {
		return 0, refused
	}
	if s.posting {
		s.lose(Protocol)
		return 0, &badRequest
	}
	s.posting = true
	s.stopPost = func() { http.NewResponseController(w).SetReadDeadline(time.Now()) }
	_, _, most = s.bounds()
	return most, nil
}

// bodyRead leaves the connection to the next request. Behind a body net/http reads
// on, to notice that the client goes; a deadline that ends that reading would spoil
// the connection. One that brought a body in chunks is closed.
func (s *Session) bodyRead(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopPost = nil
	if len(r.TransferEncoding) > 0 {
		return // it stays to be closed: the body may have had a length, too, by which a proxy ended it elsewhere
	}
	w.Header().Del("Connection")
	http.NewResponseController(w).SetReadDeadline(time.Time{})
}

func (s *Session) endPost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posting, s.stopPost = false, nil
}

// What is wrong with a POST; whatever it is costs the session. A cut one may have
// held messages, which are lost.
var (
	errCut       = errors.New("the body was cut")
	errFlood     = errors.New("too many messages")
	errViolation = errors.New("a message was a violation")
)

// readBody reads a body of at most so many bytes. A client that does not know the
// limit of a packet, as those before Socket.IO 4.5, puts many into one body.
func readBody(w http.ResponseWriter, r *http.Request, most int) ([]byte, error) {
	if r.ContentLength > int64(most) {
		return nil, errLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(most)))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errLarge
	}
	if err != nil {
		return nil, errCut
	}
	return body, nil
}

// carryOut carries out a body. An error has ended the session.
func (s *Session) carryOut(body []byte) error {
	packets, err := readPayload(body, s.server.o.MaxPayload)
	if err != nil {
		s.broken()
		return err
	}
	n := slices.IndexFunc(packets, func(p packet) bool {
		return p.kind != typeMessage && p.kind != typeBinary && p.kind != typePong && p.kind != typeNoop
	})
	if n < 0 {
		return s.takeAll(packets)
	}
	// What comes behind the end, or a packet that does not belong here, is ignored.
	if err := s.takeAll(packets[:n]); err != nil {
		return err
	}
	if packets[n].kind != typeClose {
		s.broken()
		return errPacket
	}
	s.settle()
	s.goodbye()
	return nil
}

// takeAll carries out messages and pongs, in order, as far as the turn of the
// messages has come.
func (s *Session) takeAll(packets []packet) error {
	mine := false
	for _, p := range packets {
		if p.kind == typeNoop {
			continue
		}
		s.alive(p.kind)
		if p.kind == typePong {
			continue
		}
		ok, first := s.enqueue(p)
		if !ok {
			return errFlood
		}
		mine = mine || first
	}
	if mine && !s.handOver() {
		return errViolation
	}
	return nil
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
