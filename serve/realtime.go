package serve

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/listen"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/socketio"
)

// Realtime are the settings of the socket. Zero fields have the defaults that
// they name.
type Realtime struct {
	Tick           time.Duration // between pushes; 0 = 2 s
	PingInterval   time.Duration // 0 = 10 s
	PingTimeout    time.Duration // 0 = 10 s
	ConnectTimeout time.Duration // for the handshake; 0 = 5 s
	UpgradeTimeout time.Duration // from polling to websocket; 0 = 10 s
	WriteTimeout   time.Duration // of a write that makes no progress; 0 = 10 s
	Connections    int           // of one account at once; 0 = 8
	Sessions       int           // over all accounts at once; 0 = 20,000
	Pending        int           // that have not sent their token, at once; 0 = 2,000, fewer where Options.Connections are few
	PendingOfPeer  int           // the same of one address; 0 = half of Pending
	QueueBytes     int           // waiting for one connection before it is dropped; 0 = 1 MiB
	WebsocketOnly  bool          // no polling: for replicas without sticky sessions
	Channels       []string      // offered; nil = changes and live
}

// realtimePath is where the socket is, with and without a slash behind it: the
// official client writes one.
const realtimePath = "/realtime"

func isRealtime(r *http.Request) bool {
	return r.URL.Path == realtimePath || r.URL.Path == realtimePath+"/"
}

// openRealtime makes the service behind the socket and mounts it on the protocol.
func (s *server) openRealtime(o *Options) {
	var channels []api.Channel
	for _, c := range o.Realtime.Channels {
		channels = append(channels, api.Channel(c))
	}
	s.realtime = realtime.New(realtime.Options{
		Gate: s.gate, Usage: s.usage, Library: s.library, NewRequestID: newRequestID, Now: s.now, Log: s.log,
		Connected: func(a *account.Account) bool { return s.connection(a).Usable() },
		Tick:      o.Realtime.Tick, Connections: o.Realtime.Connections, Channels: channels,
	})
	proxies := listen.Proxies(o.TrustedProxies)
	s.sockets = socketio.New(socketio.Options{
		Namespaces:   map[string]socketio.Handler{"/": s.realtime},
		PingInterval: o.Realtime.PingInterval, PingTimeout: o.Realtime.PingTimeout,
		ConnectTimeout: o.Realtime.ConnectTimeout, UpgradeTimeout: o.Realtime.UpgradeTimeout, ReadTimeout: o.readTime, WriteTimeout: o.Realtime.WriteTimeout,
		MaxSessions: o.Realtime.Sessions, MaxPending: cmp.Or(o.Realtime.Pending, min(2000, max(connections(o.Connections)/4, 4))),
		MaxOfPeer: o.Realtime.PendingOfPeer, Peer: func(r *http.Request) string { return listen.Network(proxies.Client(r)).String() },
		MaxQueued: o.Realtime.QueueBytes,
		MaxTarget: mostURL, MaxHeader: mostHeader,
		WebsocketOnly: o.Realtime.WebsocketOnly, KeepHeaders: realtime.KeepHeaders, Log: s.log,
	})
}

// serveRealtime hands a request to the protocol. Neither the API's methods nor its
// bound on requests in flight hold here: a poll waits, a websocket stays.
func (s *server) serveRealtime(a *answer, r *http.Request) {
	a.route = realtimePath
	a.Header().Del("Vary") // the engine says its own
	r.Body = listen.FromContext(r.Context()).Body(r.Body)
	s.sockets.ServeHTTP(a, r)
}

// closeSockets ends every connection before ctx does.
func (s *server) closeSockets(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- s.sockets.Shutdown(ctx) }()
	return done
}
