package daemon

import (
	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
)

// StoreCollectors returns the metrics of an object store.
func StoreCollectors(s *store.Store) []prometheus.Collector {
	return []prometheus.Collector{storeMetrics{s}}
}

type storeMetrics struct{ store *store.Store }

var (
	storeRequests = prometheus.NewDesc("mkt_store_requests_total", "Requests to the object store, by operation (get, head, put, list, delete) and result (ok, failed).", []string{"op", "result"}, nil)
	storeBytes    = prometheus.NewDesc("mkt_store_bytes_total", "Bytes of objects, received from the object store and sent to it.", []string{"direction"}, nil)
)

// Describe implements [prometheus.Collector].
func (m storeMetrics) Describe(to chan<- *prometheus.Desc) { to <- storeRequests; to <- storeBytes }

// Collect implements [prometheus.Collector].
func (m storeMetrics) Collect(to chan<- prometheus.Metric) {
	for _, op := range object.Operations {
		ok, failed := m.store.Stats.Of(op)
		to <- prometheus.MustNewConstMetric(storeRequests, prometheus.CounterValue, float64(ok), op, "ok")
		to <- prometheus.MustNewConstMetric(storeRequests, prometheus.CounterValue, float64(failed), op, "failed")
	}
	received, sent := m.store.Stats.Bytes()
	to <- prometheus.MustNewConstMetric(storeBytes, prometheus.CounterValue, float64(received), "received")
	to <- prometheus.MustNewConstMetric(storeBytes, prometheus.CounterValue, float64(sent), "sent")
}
