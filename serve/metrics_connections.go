package serve

var (
	connectionsDesc = desc("mkt_connections", "Open connections: waiting for a request or the rest of one, or busy, which includes sockets.", "state")
	evictedDesc     = desc("mkt_connections_evicted_total", "Waiting connections that were closed in favour of new ones.")
	refusedDesc     = desc("mkt_connections_refused_total", "Connections that were refused because of a limit.")
)

// collectConnections collects the statistics of the listener.
func (s *server) collectConnections(gauge, counter send) {
	l := s.connections.Stats()
	gauge(connectionsDesc, float64(l.Waiting), "waiting")
	gauge(connectionsDesc, float64(l.Open-l.Waiting), "busy")
	counter(evictedDesc, float64(l.Evicted))
	counter(refusedDesc, float64(l.Refused))
}
