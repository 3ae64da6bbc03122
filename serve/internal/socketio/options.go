package socketio

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"mkt/serve/internal/socketio/engine"
)

// Options of a server. Zero fields have the defaults that they name.
type Options struct {
	Namespaces map[string]Handler // by name; "/" is the one that clients join by default

	PingInterval   time.Duration // between a pong and the next ping; 0 = 10 s
	PingTimeout    time.Duration // for the pong; 0 = 10 s
	UpgradeTimeout time.Duration // from a probing websocket's opening to its taking over; 0 = 10 s
	ConnectTimeout time.Duration // for joining a namespace, again after leaving the last one; 0 = 5 s
	ReadTimeout    time.Duration // of a request's body; 0 = 10 s
	WriteTimeout   time.Duration // without any progress of a write; 0 = 10 s

	MaxPayload  int // bytes of a packet from a client, announced to it; 0 = 16,384
	MaxBacklog  int // bytes of messages from a client that wait for their turn, and of a polling body; 0 = 8 times MaxPayload
	MaxQueued   int // bytes waiting for one connection, above which it is dropped; 0 = 1 MiB
	MaxSessions int // at once, of those that have joined; 0 = 20,000
	MaxTarget   int // bytes of a request's path and query; 0 = 4 KiB
	MaxHeader   int // bytes of a request's headers; 0 = 16 KiB
	MaxPending  int // at once, of those that have not joined a namespace, beyond which the oldest makes room; 0 = 2,000
	MaxOfPeer   int // the same of one peer; 0 = half of MaxPending

	// Peer names whom a request comes from; nil = the address of the connection.
	Peer func(*http.Request) string

	Burst int           // messages that a joined client may send at once; 0 = 200
	Pace  time.Duration // for each further one; 0 = 10 ms

	WebsocketOnly bool     // no polling: for replicas without sticky sessions
	KeepHeaders   []string // of the first request, for Socket.Header: all others are let go

	Rand io.Reader    // of session ids; nil = crypto/rand
	Log  *slog.Logger // nil = none; never gets an id, an address, a header or a message
}

// Handler is what lives in a namespace. Calls for one connection never overlap
// and come in the order of the client's packets; calls for different connections
// run at once. While a call runs, and while messages wait for their turn, the end of
// the connection is noticed all the same: then what waits is dropped.
type Handler interface {
	// Connect judges a client that wants to join. auth is its JSON object, nil
	// without one; it may be kept. An error refuses the client: a *Refusal is sent
	// as it is, the cause of any other only goes to the log. What is sent to the
	// socket in here follows the acceptance, and is forgotten after a refusal. ctx
	// ends when the connection closes meanwhile; a nil then still counts as
	// accepted, and Disconnect follows.
	Connect(ctx context.Context, s *Socket, auth json.RawMessage) error

	// Event is one event from a joined client. args (may be empty, may be kept) are
	// what follows the name, each valid JSON. ack is nil where the client asked for
	// none; otherwise it is to be called once, from anywhere at any time: later
	// calls do nothing, nor does a call after the end. Binary arguments are left as
	// the placeholder objects of the protocol: see Socket.Attachments.
	Event(s *Socket, name string, args []json.RawMessage, ack func(args ...any))

	// Disconnect follows each accepted Connect exactly once, whatever ended it, and
	// is the last call for this socket. See the Reason constants.
	Disconnect(s *Socket, reason string)
}

// Refusal is an error of Handler.Connect that the client gets to read.
type Refusal struct {
	Message string // err.message of the official client
	Data    any    // err.data, encoded as JSON; nil = none
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Reasons of a Disconnect. Those of Drop are the caller's own.
const (
	ReasonClient    = "client namespace disconnect" // the client left the namespace
	ReasonServer    = "server namespace disconnect" // Socket.Disconnect
	ReasonTransport = engine.Transport              // the client closed or vanished
	ReasonPing      = engine.Ping                   // no answer to a heartbeat
	ReasonProtocol  = engine.Protocol               // what came was not the protocol, or too large
	ReasonSlow      = engine.Slow                   // more than MaxQueued waiting, or a write without progress
	ReasonFlood     = engine.Flood                  // more than MaxBacklog from the client waiting for its turn
	ReasonShutdown  = engine.Shutdown               // Server.Shutdown
	ReasonPanic     = engine.Panic                  // of a handler
)

// Reasons that are no Disconnect's: no namespace had been joined.
const (
	reasonLate    = "connect timeout"
	reasonEvicted = "evicted before joining"
)
