package engine

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// handshake answers the first GET of a polling session.
func (v *Server) handshake(w http.ResponseWriter, r *http.Request) {
	s := v.begin(r)
	if s == nil {
		v.refuse(w, r, noRoom)
		return
	}
	v.respond(w, http.StatusOK, plainText, v.openPacket(s).polled)
}

const plainText = "text/plain; charset=UTF-8"

// noopDelay keeps a client whose websocket went silent behind the probe from
// polling as fast as it can.
const noopDelay = 100 * time.Millisecond

// pollRequest answers a GET with what waits, or with what comes.
func (s *Session) pollRequest(w http.ResponseWriter, r *http.Request) {
	answer, hurry, refused := s.wait()
	if refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	// The server's timeouts are for requests that do not wait.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	var late <-chan time.Time
	if hurry {
		late = time.After(noopDelay)
	}
	select {
	case list := <-answer:
		s.deliver(w, list)
	case <-late:
		s.deliver(w, s.orElse(answer, []entry{{m: noopPacket}}))
	case <-r.Context().Done():
		s.cutPoll(answer)
	}
}

// wait makes a request the waiting GET. It is refused when there is one, which
// ends the session, or when the session has ended or is a websocket. With hurry
// there is an upgrade that waits for the GET to end.
func (s *Session) wait() (answer chan []entry, hurry bool, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil && s.state != ending {
		return nil, false, refused
	}
	if s.poll != nil {
		s.lose(Protocol)
		return nil, false, &badRequest
	}
	answer = make(chan []entry, 1)
	s.poll = answer
	if s.state == ending {
		s.answer(s.queue.take())
		s.lose("")
	}
	s.pump()
	return answer, s.probed, nil
}

// orElse takes a GET out of its wait with an answer, unless it has another.
func (s *Session) orElse(answer chan []entry, list []entry) []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll == answer {
		s.poll = nil
		return list
	}
	return <-answer
}

// cutPoll is a GET whose client has gone. Once an answer was chosen this no longer
// counts: it was first.
func (s *Session) cutPoll(answer chan []entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll == answer {
		s.poll = nil
		s.lose(Transport)
	}
}

// deliver writes packets as a GET's answer. What cannot be written is lost, and
// the session with it.
func (s *Session) deliver(w http.ResponseWriter, list []entry) {
	body := make([][]byte, 0, 2*len(list))
	for _, e := range list {
		if len(e.m.polled) == 0 {
			continue // a websocket's own
		}
		if len(body) > 0 {
			body = append(body, []byte{separator})
		}
		body = append(body, e.m.polled)
	}
	if err := s.server.respond(w, http.StatusOK, plainText, body...); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lose(Transport)
	}
}

// respond writes a whole answer, with time of its own to be written.
func (v *Server) respond(w http.ResponseWriter, status int, contentType string, body ...[]byte) error {
	size := 0
	for _, b := range body {
		size += len(b)
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	defer control.SetWriteDeadline(time.Time{})
	control.SetWriteDeadline(time.Now().Add(v.o.WriteTimeout))
	w.WriteHeader(status)
	for _, b := range body {
		for part := range slices.Chunk(b, chunk) {
			control.SetWriteDeadline(time.Now().Add(v.o.WriteTimeout))
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	if err := control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
