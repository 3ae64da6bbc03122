package socketio

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"mkt/serve/internal/socketio/engine"
)

// Options of a server. Comments name the defaults of zero fields.
type Options struct {
	Namespaces map[string]Handler // by name; clients join "/" by default

	PingInterval   time.Duration // between a pong and the next ping; 0 = 10 s
	PingTimeout    time.Duration // for the pong; 0 = 10 s
	UpgradeTimeout time.Duration // from the opening of a probing websocket until it takes over; 0 = 10 s
	ConnectTimeout time.Duration // for joining a namespace, also after leaving the last one; 0 = 5 s
	ReadTimeout    time.Duration // of a request's body; 0 = 10 s
	WriteTimeout   time.Duration // of a write without progress; 0 = 10 s

	MaxPayload  int // bytes of a packet from a client, announced to it; 0 = 16,384
	MaxQueued   int // bytes waiting for one connection, above which it is dropped; 0 = 1 MiB
	MaxSessions int // simultaneous sessions that have joined; 0 = 20,000
	MaxTarget   int // bytes of a request's path and query; 0 = 4 KiB
	MaxHeader   int // bytes of a request's headers; 0 = 16 KiB
	MaxPending  int // simultaneous sessions that have not joined a namespace, beyond which the oldest is evicted; 0 = 2,000
	MaxOfPeer   int // the same for one peer; 0 = half of MaxPending

	// Peer returns whom a request comes from; nil = the address of the connection.
	Peer func(*http.Request) string

	WebsocketOnly bool     // no polling: for replicas without sticky sessions
	Uncompressed  bool     // accept no offer to compress the messages of a websocket
	KeepHeaders   []string // of the first request, for Socket.Header; all others are dropped

	Log *slog.Logger // nil = none; never gets an id, an address, a header or a message
}

// Handler handles the clients of a namespace. Calls for one connection never overlap and
// follow the order of the client's packets; calls for different connections run at the same
// time. The end of a connection is noticed even while a call runs or messages are queued;
// the queued messages are then dropped.
type Handler interface {
	// Connect decides whether a client may join. auth is its JSON object, or nil; it may be
	// kept. An error refuses the client: a *[Refusal] is sent to it, any other error is only
	// logged. Messages to the socket during Connect are sent after the acceptance, or dropped
	// after a refusal. ctx ends if the connection closes; if Connect then returns nil, the
	// client still counts as accepted, and Disconnect follows.
	Connect(ctx context.Context, s *Socket, auth json.RawMessage) error

	// Event handles an event of a joined client. args are the arguments after the name, each
	// valid JSON; they may be empty and may be kept. ack is nil unless the client asked for
	// an acknowledgement; otherwise it should be called once, from any goroutine at any time.
	// Later calls, and calls after the end, do nothing. Binary arguments are the placeholder
	// objects of the protocol: see Socket.Attachments.
	Event(s *Socket, name string, args []json.RawMessage, ack func(args ...any))

	// Disconnect follows each accepted Connect exactly once, whatever the reason, and is the
	// last call for the socket. See the Reason constants.
	Disconnect(s *Socket, reason string)
}

// Refusal is an error of [Handler.Connect] for the client.
type Refusal struct {
	Message string // err.message of the official client
	Data    any    // err.data, encoded as JSON; nil = none
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Reasons of a Disconnect. Drop may have others.
const (
	ReasonClient    = "client namespace disconnect" // the client left the namespace
	ReasonServer    = "server namespace disconnect" // Socket.Disconnect
	ReasonTransport = engine.Transport              // the client closed the connection or vanished
	ReasonPing      = engine.Ping                   // no answer to a heartbeat
	ReasonProtocol  = engine.Protocol               // the client violated the protocol, or sent too large a packet
	ReasonSlow      = engine.Slow                   // more than MaxQueued waiting, or a write without progress
	ReasonFlood     = engine.Flood                  // too many messages from the client waiting
	ReasonShutdown  = engine.Shutdown               // Server.Shutdown
	ReasonPanic     = engine.Panic                  // of a handler
)

// Reasons without a Disconnect, because no namespace had been joined.
const (
	reasonLate    = "connect timeout"
	reasonEvicted = "evicted before joining"
)
