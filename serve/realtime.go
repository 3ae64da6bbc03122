package serve

import (
	"cmp"
	"context"
	"net/http"

	"mkt/internal/listen"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/pipeline"
	"mkt/serve/internal/realtime"
	"mkt/serve/internal/response"
	"mkt/serve/internal/socketio"
)

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
		Observe:   s.keepMessage,
		Connected: func(a *account.Account, p football.Product) bool { return pipeline.Of(a, s.library).Connected(p) },
		Tick:      o.Realtime.Tick, Connections: o.Realtime.Connections, Channels: channels,
	})
	proxies := listen.Proxies(o.TrustedProxies)
	s.sockets = socketio.New(socketio.Options{
		Namespaces:   map[string]socketio.Handler{"/": s.realtime},
		PingInterval: o.Realtime.PingInterval, PingTimeout: o.Realtime.PingTimeout,
		ConnectTimeout: o.Realtime.ConnectTimeout, UpgradeTimeout: o.Realtime.UpgradeTimeout, ReadTimeout: o.readTime, WriteTimeout: o.Realtime.WriteTimeout,
		MaxSessions: o.Realtime.Sessions, MaxPending: cmp.Or(o.Realtime.Pending, min(2000, max(maxConnections(o.Connections)/4, 4))),
		MaxOfPeer: o.Realtime.PendingOfPeer, Peer: func(r *http.Request) string { return listen.Network(proxies.Client(r)).String() },
		MaxQueued: o.Realtime.QueueBytes,
		MaxTarget: maxURL, MaxHeader: maxHeader,
		WebsocketOnly: o.Realtime.WebsocketOnly, Uncompressed: o.Realtime.Uncompressed, KeepHeaders: realtime.KeepHeaders, Log: s.log,
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
