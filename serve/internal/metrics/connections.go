package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

var (
	socketsDesc       = desc("mkt_socket_connections", "Sockets connected.")
	socketHoldersDesc = desc("mkt_socket_accounts", "Accounts with sockets connected.")
	subscribedDesc    = desc("mkt_socket_subscriptions", "Subscriptions.", "channel")
	handshakesDesc    = desc("mkt_socket_handshakes_total", "Handshakes, by the code of the refusal (empty if accepted).", "code")
	messagesDesc      = desc("mkt_socket_messages_refused_total", "Messages that were refused.", "code")
	closedDesc        = desc("mkt_socket_channels_closed_total", "Subscriptions ended by channel_closed.", "code")
	disconnectsDesc   = desc("mkt_socket_disconnects_total", "Sockets that ended, by reason.", "reason")
	pushesDesc        = desc("mkt_socket_pushes_total", "Pushes sent.", "channel")
	eventsDesc        = desc("mkt_socket_events_total", "Change events in the pushes.")

	sessionsDesc        = desc("mkt_socket_sessions", "Engine.IO sessions, including those that have not authenticated yet.", "transport")
	pendingDesc         = desc("mkt_socket_sessions_pending", "Sessions that have not authenticated yet.")
	queuedDesc          = desc("mkt_socket_queued_bytes", "Bytes that wait for clients to read them, without compression.")
	openedDesc          = desc("mkt_socket_sessions_opened_total", "Sessions opened.")
	refusedSessionsDesc = desc("mkt_socket_sessions_refused_total", "Sessions that were refused because of a limit.")
	evictedSessionsDesc = desc("mkt_socket_sessions_evicted_total", "Sessions that had not authenticated and were closed in favour of others.")
)

// collectSockets collects the statistics of the realtime service and of the protocol below
// it. Labels are the contract's channels and codes, and words of package realtime.
func (c collector) collectSockets(gauge, counter send) {
	r := c.Realtime.Stats()
	gauge(socketsDesc, float64(r.Connections))
	gauge(socketHoldersDesc, float64(r.Accounts))
	for channel, n := range r.Subscriptions {
		gauge(subscribedDesc, float64(n), string(channel))
	}
	counter(handshakesDesc, float64(r.Connected), "")
	counter(eventsDesc, float64(r.Events))
	for channel, n := range r.Pushes {
		counter(pushesDesc, float64(n), string(channel))
	}
	for d, counts := range map[*prometheus.Desc]map[string]uint64{handshakesDesc: r.Refused, messagesDesc: r.MessagesRefused, closedDesc: r.Closed, disconnectsDesc: r.Disconnected} {
		for word, n := range counts {
			counter(d, float64(n), word)
		}
	}
	p := c.Sockets.Stats()
	gauge(sessionsDesc, float64(p.Websockets), "websocket")
	gauge(sessionsDesc, float64(p.Sessions-p.Websockets), "polling")
	gauge(pendingDesc, float64(p.Pending))
	gauge(queuedDesc, float64(p.QueuedBytes))
	counter(openedDesc, float64(p.Opened))
	counter(refusedSessionsDesc, float64(p.Refused))
	counter(evictedSessionsDesc, float64(p.Evicted))
}

var (
	connectionsDesc = desc("mkt_connections", "Open connections: waiting for a request or the rest of one, or busy, which includes sockets.", "state")
	evictedDesc     = desc("mkt_connections_evicted_total", "Waiting connections that were closed in favour of new ones.")
	refusedDesc     = desc("mkt_connections_refused_total", "Connections that were refused because of a limit.")
)

func (c collector) collectConnections(gauge, counter send) {
	l := c.Connections.Stats()
	gauge(connectionsDesc, float64(l.Waiting), "waiting")
	gauge(connectionsDesc, float64(l.Open-l.Waiting), "busy")
	counter(evictedDesc, float64(l.Evicted))
	counter(refusedDesc, float64(l.Refused))
}
