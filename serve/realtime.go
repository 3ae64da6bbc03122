package serve

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"mkt/internal/listen"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/pipeline"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/response"
	"mkt/serve/internal/socketio"
)

// Realtime are the settings of the socket. A zero field has the default that its comment
// names.
type Realtime struct {
	Tick           time.Duration // between ticks; 0 = 2 s
	PingInterval   time.Duration // 0 = 10 s
	PingTimeout    time.Duration // 0 = 10 s
	ConnectTimeout time.Duration // for the handshake; 0 = 5 s
	UpgradeTimeout time.Duration // from polling to websocket; 0 = 10 s
	WriteTimeout   time.Duration // of a write without progress; 0 = 10 s
	Connections    int           // maximum of one account; 0 = 8
	Sessions       int           // maximum over all accounts; 0 = 20,000
	Pending        int           // maximum of sessions that have not sent their token; 0 = 2,000, or fewer if Options.Connections is small
	PendingOfPeer  int           // the same for one address; 0 = half of Pending
	QueueBytes     int           // that may wait for one connection before it is dropped; 0 = 1 MiB
	WebsocketOnly  bool          // no polling, for replicas without sticky sessions
	Channels       []string      // to offer; nil = changes and live
}

// realtimePath is the path of the socket, with or without a trailing slash, which the
// official client adds.
const realtimePath = "/realtime"

func isRealtime(r *http.Request) bool {
	return r.URL.Path == realtimePath || r.URL.Path == realtimePath+"/"
}

func (s *server) openRealtime(o *Options) {
	var channels []api.Channel
	for _, c := range o.Realtime.Channels {
		channels = append(channels, api.Channel(c))
	}
	s.realtime = realtime.New(realtime.Options{
		Gate: s.gate, Sockets: s.openSockets, Usage: s.usage, Library: s.library, NewRequestID: response.NewRequestID, Now: s.now, Log: s.log,
		Connected: func(a *account.Account, p football.Product) bool { return pipeline.Of(a, s.library).Connected(p) },
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
		MaxTarget: maxURL, MaxHeader: maxHeader,
		WebsocketOnly: o.Realtime.WebsocketOnly, KeepHeaders: realtime.KeepHeaders, Log: s.log,
	})
}

// serveRealtime passes a request to the protocol. The API's methods and its limit of
// requests in flight do not apply: a poll waits, and a websocket stays open.
func (s *server) serveRealtime(a *response.Writer, r *http.Request) {
	a.Route = realtimePath
	a.AddFields()
	a.Header().Del("Vary") // the engine sets its own
	r.Body = listen.FromContext(r.Context()).Body(r.Body)
	s.sockets.ServeHTTP(a, r)
}

// closeSockets starts to close all connections, which ends before ctx does.
func (s *server) closeSockets(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- s.sockets.Shutdown(ctx) }()
	return done
}
