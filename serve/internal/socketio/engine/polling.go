package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mkt/internal/deadline"
)

// handshake answers the first GET of a polling session.
func (v *Server) handshake(w http.ResponseWriter, r *http.Request) {
	s := v.begin(r)
	if s == nil {
		v.refuse(w, r, tooManySessions)
		return
	}
	v.respond(w, http.StatusOK, plainText, v.openPacket(s).polled)
}

type connKey struct{}

// ConnContext is for http.Server.ConnContext. It is needed to limit the send buffers of
// polling clients.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

const plainText = "text/plain; charset=UTF-8"

// noopDelay is how long a GET waits for an upgrade to be completed. Without it, a client
// whose websocket became silent after the probe would poll without pause.
const noopDelay = 100 * time.Millisecond

// closeDelay is how long a close packet waits for the client's GET, sent at the same time.
const closeDelay = 100 * time.Millisecond

// pollRequest answers a GET with the queued messages, or waits for the next one.
func (s *Session) pollRequest(w http.ResponseWriter, r *http.Request) {
	answer, refused := s.wait()
	if refused != nil {
		s.server.refuse(w, r, *refused)
		return
	}
	// The timeouts of the outer server are for requests that do not wait. A poll ends with
	// the next ping, or with the session.
	deadline.Read(http.NewResponseController(w), s.server.maxSilence())
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

// wait makes a request the waiting GET. It is refused if there is one already, which ends
// the session, or if the session has ended or is a websocket. An empty answer is a refusal
// too: the session became a websocket.
func (s *Session) wait() (answer chan []entry, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.refusal(); refused != nil && s.state != ending {
		return nil, refused
	}
	if s.poll != nil {
		s.abort(Protocol)
		return nil, &badRequest
	}
	answer = make(chan []entry, 1)
	s.poll = answer
	if s.state == ending {
		s.answer(s.queue.take())
		s.abort("")
	}
	s.pump()
	if s.probed {
		s.answerPollSoon()
	}
	if s.pollArrived != nil {
		close(s.pollArrived)
		s.pollArrived = nil
	}
	return answer, nil
}

// answerPollSoon ends the waiting GET soon, because an upgrade waits for that; mu is held.
func (s *Session) answerPollSoon() {
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

// cutPoll ends a session whose GET was disconnected, unless an answer to it has already
// been chosen.
func (s *Session) cutPoll(answer chan []entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll == answer {
		s.poll = nil
		s.abort(Transport)
	}
}

// deliver writes packets as the answer to a GET. A failure loses them, and so ends the
// session.
func (s *Session) deliver(w http.ResponseWriter, list []entry) {
	body := make([][]byte, 0, 2*len(list))
	for _, e := range list {
		if len(e.m.polled) == 0 {
			continue // a control frame of a websocket
		}
		if len(body) > 0 {
			body = append(body, []byte{separator})
		}
		body = append(body, e.m.polled)
	}
	s.setDelivering(true)
	err := s.server.write(w, http.StatusOK, plainText, s.writeTimeout, body...)
	s.setDelivering(false)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.abort(Transport)
	}
}

func (s *Session) setDelivering(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivering = on
}

func (v *Server) respond(w http.ResponseWriter, status int, contentType string, body []byte) {
	v.write(w, status, contentType, v.writeTimeout, body) // an error means that the client has gone
}

// write writes a complete answer. Each part may take as long as timeout returns when the
// part begins.
func (v *Server) write(w http.ResponseWriter, status int, contentType string, timeout func() time.Duration, body ...[]byte) error {
	size := 0
	for _, b := range body {
		size += len(b)
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	deadline.Write(control, v.o.WriteTimeout)
	w.WriteHeader(status)
	for _, b := range body {
		for part := range slices.Chunk(b, chunk) {
			deadline.Write(control, timeout())
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
