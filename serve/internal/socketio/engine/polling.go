package engine

import (
	"context"
	"errors"
	"net"
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

type connKey struct{}

// ConnContext is for http.Server.ConnContext: with it what waits for a client that
// polls is bounded as well.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

const plainText = "text/plain; charset=UTF-8"

// noopDelay is how long a GET waits for an upgrade to be completed: a client whose
// websocket went silent behind the probe must not poll as fast as it can.
const noopDelay = 100 * time.Millisecond

// goodbyeDelay is how long a close packet waits for the GET that the client sent
// beside it.
const goodbyeDelay = 100 * time.Millisecond

// pollRequest answers a GET with what waits, or with what comes.
func (s *Session) pollRequest(w http.ResponseWriter, r *http.Request) {
	answer, refused := s.wait()
	if refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	// The timeouts of the outer server are for requests that do not wait. A poll ends
	// with the next ping, or with the session.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.server.silence()))
	if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		boundSendBuffer(c)
	}
	select {
	case list := <-answer:
		if list == nil {
			s.server.refuse(w, r, badRequest)
			return
		}
		s.deliver(w, list)
	case <-r.Context().Done():
		s.cutPoll(answer)
	}
}

// wait makes a request the waiting GET. It is refused when there is one, which
// ends the session, or when the session has ended or is a websocket. An empty
// answer is a refusal too: the session became a websocket.
func (s *Session) wait() (answer chan []entry, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil && s.state != ending {
		return nil, refused
	}
	if s.poll != nil {
		s.lose(Protocol)
		return nil, &badRequest
	}
	answer = make(chan []entry, 1)
	s.poll = answer
	if s.state == ending {
		s.answer(s.queue.take())
		s.lose("")
	}
	s.pump()
	if s.probed {
		s.hurry()
	}
	if s.leaving != nil {
		close(s.leaving)
		s.leaving = nil
	}
	return answer, nil
}

// hurry ends the waiting GET soon, for an upgrade waits for that; mu is held.
func (s *Session) hurry() {
	waiting := s.poll
	if waiting == nil {
		return
	}
	time.AfterFunc(noopDelay, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.poll == waiting {
			s.answer([]entry{{m: noopPacket}})
		}
	})
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
	s.setDelivering(true)
	err := s.server.write(w, http.StatusOK, plainText, s.patience, body...)
	s.setDelivering(false)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lose(Transport)
	}
}

func (s *Session) setDelivering(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivering = on
}

// respond writes a whole answer.
func (v *Server) respond(w http.ResponseWriter, status int, contentType string, body []byte) {
	v.write(w, status, contentType, v.writeTimeout, body) // whether it arrives is the client's affair
}

// write writes a whole answer, each part of which may take as long as patience says
// at its beginning.
func (v *Server) write(w http.ResponseWriter, status int, contentType string, patience func() time.Duration, body ...[]byte) error {
	size := 0
	for _, b := range body {
		size += len(b)
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(v.o.WriteTimeout))
	w.WriteHeader(status)
	for _, b := range body {
		for part := range slices.Chunk(b, chunk) {
			control.SetWriteDeadline(time.Now().Add(patience()))
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
