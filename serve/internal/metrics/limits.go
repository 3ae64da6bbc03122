package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/cluster"
	"mkt/serve/limits"
)

// ObserveLimits returns the observer of the commands to Redis.
func (m *Metrics) ObserveLimits() func(cluster.Outcome, time.Duration) {
	m.limits = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mkt_limits_command_duration_seconds",
		Help:    "Time of a command to Redis, by outcome: answered, slow, unreachable or refused.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05}}, []string{"outcome"})
	byOutcome := map[cluster.Outcome]prometheus.Observer{}
	for _, o := range cluster.Outcomes() {
		byOutcome[o] = m.limits.WithLabelValues(string(o))
	}
	return func(o cluster.Outcome, took time.Duration) { byOutcome[o].Observe(took.Seconds()) }
}

// limitsCollectors are the metrics of limits that several replicas share.
func limitsCollectors(of *limits.Shared) []prometheus.Collector {
	gauge := func(name, help string, value func(limits.Stats) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(of.Stats()) })
	}
	return []prometheus.Collector{
		gauge("mkt_limits_exact", "1 if limits are exact over all replicas, 0 while this replica allows its share.", func(st limits.Stats) float64 {
			if st.Exact {
				return 1
			}
			return 0
		}),
		gauge("mkt_limits_replicas", "Replicas alive when Redis last answered.", func(st limits.Stats) float64 { return float64(st.Replicas) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "mkt_limits_shares_total", Help: "Requests and sockets that were judged by this replica's share."},
			func() float64 { return float64(of.Stats().Shares) }),
	}
}
