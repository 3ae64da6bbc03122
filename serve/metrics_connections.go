package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"mkt/serve/internal/listen"
)

// connectionMetrics collects the statistics of the listener.
type connectionMetrics struct{ listener *listen.Listener }

var (
	connectionsDesc = desc("mkt_connections", "Connections held: waiting for the rest of a request or for the next one, or busy (sockets among them).", "state")
	evictedDesc     = desc("mkt_connections_evicted_total", "Connections closed while they kept the server waiting, in favour of new ones.")
	refusedDesc     = desc("mkt_connections_refused_total", "Connections for which there was no room.")
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
