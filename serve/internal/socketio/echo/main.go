// Command echo is the server that the public test suites of Engine.IO protocol 4 and
// Socket.IO protocol 5 expect: /engine.io/ and /socket.io/ on port 3000, IPv4 and IPv6, with
// short heartbeats and no authorisation. It is for tests.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"mkt/serve/internal/socketio"
	"mkt/serve/internal/socketio/engine"
)

// The test suites expect these values.
const (
	pingInterval   = 300 * time.Millisecond
	connectTimeout = time.Second
	maxPayload     = 1_000_000
)

func main() {
	listen := flag.String("listen", ":3000", "address; port 0 takes a free one")
	pingTimeout := flag.Duration("ping-timeout", 200*time.Millisecond, "for a pong")
	flag.Parse()
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on port", l.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(l, handler(*pingTimeout)))
}

func handler(pingTimeout time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/engine.io/", engine.New(engine.Options{
		Open:         func(s *engine.Session) engine.Receiver { return mirror{s} },
		PingInterval: pingInterval, PingTimeout: pingTimeout, MaxPayload: maxPayload, MaxQueued: 4 * maxPayload,
	}))
	mux.Handle("/socket.io/", socketio.New(socketio.Options{
		Namespaces:   map[string]socketio.Handler{"/": echo{}, "/custom": echo{}, "/refused": refused{}},
		PingInterval: pingInterval, PingTimeout: pingTimeout, ConnectTimeout: connectTimeout,
		MaxPayload: maxPayload, MaxQueued: 4 * maxPayload,
	}))
	return mux
}

// mirror sends every message back.
type mirror struct{ session *engine.Session }

func (m mirror) Message(data []byte, binary bool) error {
	if binary {
		m.session.Send(engine.NewBinary(data))
	} else {
		m.session.Send(engine.NewMessage(data))
	}
	return nil
}

func (mirror) Closed(string) {}

// echo answers message with message-back, and message-with-ack with its ack.
type echo struct{}

func (echo) Connect(_ context.Context, s *socketio.Socket, auth json.RawMessage) error {
	if auth == nil {
		auth = json.RawMessage("{}")
	}
	// Not immediately: the suites wait for one message after the other, and lose the second
	// of two that arrive together.
	time.AfterFunc(50*time.Millisecond, func() { s.Send(socketio.NewRawPacket("auth", auth)) })
	return nil
}

func (echo) Event(s *socketio.Socket, name string, args []json.RawMessage, ack func(...any)) {
	same := make([]any, 0, len(args)+1)
	for _, a := range args {
		same = append(same, a)
	}
	if list := s.Attachments(); list != nil {
		same = append(same, list)
	}
	switch {
	case name == "message":
		if p, err := socketio.NewPacket("message-back", same...); err == nil {
			s.Send(p)
		}
	case name == "message-with-ack" && ack != nil:
		ack(same...)
	case name == "leave":
		s.Disconnect()
	case name == "drop":
		s.Drop("dropped")
	}
}

func (echo) Disconnect(*socketio.Socket, string) {}

// refused refuses all clients.
type refused struct{ echo }

func (refused) Connect(context.Context, *socketio.Socket, json.RawMessage) error {
	return &socketio.Refusal{Message: "Invalid API token", Data: map[string]string{"code": "INVALID_API_TOKEN"}}
}
