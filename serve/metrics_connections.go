package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"mkt/serve/internal/listen"
)

// connectionMetrics collects the statistics of the listener.
type connectionMetrics struct{ listener *listen.Listener }

var (
	connectionsDesc = desc("mkt_connections", "Open connections: waiting for a request or the rest of one, or busy, which includes sockets.", "state")
	evictedDesc     = desc("mkt_connections_evicted_total", "Waiting connections that were closed in favour of new ones.")
	refusedDesc     = desc("mkt_connections_refused_total", "Connections that were refused because of a limit.")
)

// Describe implements prometheus.Collector.
func (m connectionMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{connectionsDesc, evictedDesc, refusedDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m connectionMetrics) Collect(to chan<- prometheus.Metric) {
	gauge, counter := sending(to, prometheus.GaugeValue), sending(to, prometheus.CounterValue)
	s := m.listener.Stats()
	gauge(connectionsDesc, float64(s.Waiting), "waiting")
	gauge(connectionsDesc, float64(s.Open-s.Waiting), "busy")
	counter(evictedDesc, float64(s.Evicted))
	counter(refusedDesc, float64(s.Refused))
}
