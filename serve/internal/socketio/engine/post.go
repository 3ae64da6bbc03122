package engine

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"mkt/internal/deadline"
)

func (s *Session) postRequest(w http.ResponseWriter, r *http.Request) {
	limit, refused := s.beginPost(w)
	if refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	defer s.endPost()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/octet-stream") {
		s.invalidPacket()
		s.server.refuse(w, r, badRequest)
		return
	}
	body, err := readBody(w, r, limit)
	switch {
	case err == nil:
		s.bodyRead(w, r)
		err = s.handleBody(body)
	case errors.Is(err, errIncomplete):
		s.mu.Lock()
		s.abort(Transport)
		s.mu.Unlock()
	default:
		s.invalidPacket()
	}
	s.endPost() // before the answer, after which the client may send the next POST
	switch {
	case err == nil:
		s.server.respond(w, http.StatusOK, "text/html", []byte("ok"))
	case errors.Is(err, errLarge):
		s.server.respond(w, http.StatusRequestEntityTooLarge, plainText, []byte("the message is larger than the limit"))
	case errors.Is(err, errIncomplete):
		s.server.respond(w, http.StatusBadRequest, plainText, []byte("the request body is incomplete"))
	default:
		s.server.refuse(w, r, badRequest)
	}
}

// beginPost returns how many bytes the body may have. It refuses a POST while another one
// is being read, which ends the session. The end of the session ends the reading of the
// body.
func (s *Session) beginPost(w http.ResponseWriter) (limit int, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil {
		return 0, refused
	}
	if s.posting {
		s.abort(Protocol)
		return 0, &badRequest
	}
	s.posting = true
	s.stopPost = func() { deadline.Read(http.NewResponseController(w), 0) }
	_, _, limit = s.bounds()
	return limit, nil
}

// bodyRead makes the connection reusable after the body was read. net/http then reads on
// to notice a disconnection, and a read deadline would break the connection. A connection
// with a chunked body is closed instead.
func (s *Session) bodyRead(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopPost = nil
	if len(r.TransferEncoding) > 0 {
		return // keep Connection: close, because the body may also have had a length, at which a proxy ended it
	}
	w.Header().Del("Connection")
	http.NewResponseController(w).SetReadDeadline(time.Time{})
}

func (s *Session) endPost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posting, s.stopPost = false, nil
}

// Errors of a POST. Each of them ends the session. A body that was cut may have contained
// messages, which are lost.
var (
	errIncomplete = errors.New("the request body is incomplete")
	errFlood      = errors.New("too many messages")
	errViolation  = errors.New("a message was a violation")
)

// readBody reads a body of at most limit bytes. A client that does not know the limit of a
// packet, such as those before Socket.IO 4.5, puts many packets into one body.
func readBody(w http.ResponseWriter, r *http.Request, limit int) ([]byte, error) {
	if r.ContentLength > int64(limit) {
		return nil, errLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errLarge
	}
	if err != nil {
		return nil, errIncomplete
	}
	return body, nil
}

// handleBody handles a body. If it returns an error, the session has ended.
func (s *Session) handleBody(body []byte) error {
	packets, err := readPayload(body, s.server.o.MaxPayload)
	if err != nil {
		s.invalidPacket()
		return err
	}
	n := slices.IndexFunc(packets, func(p packet) bool {
		return p.kind != typeMessage && p.kind != typeBinary && p.kind != typePong && p.kind != typeNoop
	})
	if n < 0 {
		return s.handleAll(packets)
	}
	// Packets after the end, or after an unexpected one, are ignored.
	if err := s.handleAll(packets[:n]); err != nil {
		return err
	}
	if packets[n].kind != typeClose {
		s.invalidPacket()
		return errPacket
	}
	s.awaitReceiver()
	s.endByClient()
	return nil
}

// handleAll handles messages and pongs in order, as far as the turn of the messages has
// come.
func (s *Session) handleAll(packets []packet) error {
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

// refusal returns the error for a polling request that the session does not accept, or
// nil; mu is held.
func (s *Session) refusal() *refusal {
	if s.overdue() {
		s.abort(Ping)
	}
	switch {
	case s.state != open:
		return &sessionUnknown
	case s.ws != nil:
		return &badRequest
	}
	return nil
}
