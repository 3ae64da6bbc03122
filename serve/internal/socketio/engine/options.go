package engine

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options of a server. Comments name the defaults of zero fields.
type Options struct {
	// Open is called for each new session, before the client is answered. It returns the
	// receiver of its messages, or nil to refuse the session.
	Open func(*Session) Receiver

	PingInterval   time.Duration // 0 = 10 s
	PingTimeout    time.Duration // 0 = 10 s
	UpgradeTimeout time.Duration // 0 = 10 s
	ReadTimeout    time.Duration // of a request's body, from its first byte to its last; 0 = 10 s
	WriteTimeout   time.Duration // 0 = 10 s
	MaxPayload     int           // bytes of a packet from a client; 0 = 16,384
	MaxBacklog     int           // bytes of a trusted client's messages waiting for their turn, and of its polling bodies; 0 = 8 times MaxPayload
	Burst          int           // messages of a trusted client at once; 0 = 200
	Pace           time.Duration // for each further message; 0 = 10 ms
	MaxQueued      int           // bytes waiting for a client; 0 = 1 MiB
	MaxSessions    int           // simultaneous sessions, without those that have ended but whose client does not know yet; 0 = 20,000
	MaxTarget      int           // bytes of a request's path and query; 0 = 4 KiB
	MaxHeader      int           // bytes of a request's headers; 0 = 16 KiB
	WebsocketOnly  bool
	Uncompressed   bool     // accept no offer to compress the messages of a websocket
	KeepHeaders    []string // names of headers of the first request

	// Peer returns whom a request comes from, for Session.Peer; nil = the address of the
	// connection.
	Peer func(*http.Request) string

	Log *slog.Logger // nil = none
}

// Receiver receives a client's messages. Its calls for one session never overlap.
type Receiver interface {
	// Message is called for each message, in order. data is valid only until it returns. An
	// error is a violation of the protocol above and closes the session.
	Message(data []byte, binary bool) error

	// Closed is the last call.
	Closed(reason string)
}

// Reasons of Receiver.Closed.
const (
	Transport = "transport close"
	Ping      = "ping timeout"
	Protocol  = "protocol violation"
	Slow      = "slow client"
	Flood     = "message flood"
	Shutdown  = "server shutdown"
	Panic     = "handler panic"
)

func (o *Options) setDefaults() {
	o.PingInterval = cmp.Or(o.PingInterval, 10*time.Second)
	o.PingTimeout = cmp.Or(o.PingTimeout, 10*time.Second)
	o.UpgradeTimeout = cmp.Or(o.UpgradeTimeout, 10*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 10*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	o.MaxPayload = cmp.Or(o.MaxPayload, 16<<10)
	o.MaxBacklog = cmp.Or(o.MaxBacklog, 8*o.MaxPayload)
	o.Burst = cmp.Or(o.Burst, 200)
	o.Pace = cmp.Or(o.Pace, 10*time.Millisecond)
	o.MaxQueued = cmp.Or(o.MaxQueued, 1<<20)
	o.MaxSessions = cmp.Or(o.MaxSessions, 20_000)
	o.MaxTarget = cmp.Or(o.MaxTarget, 4<<10)
	o.MaxHeader = cmp.Or(o.MaxHeader, 16<<10)
	o.KeepHeaders = canonical(o.KeepHeaders)
	if o.Peer == nil {
		o.Peer = addressOf
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func canonical(names []string) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = http.CanonicalHeaderKey(n)
	}
	return list
}
