package metrics

import "github.com/prometheus/client_golang/prometheus"

// Collectors returns the collectors of the counters and of the values that are read from the sources.
func (m *Metrics) Collectors(from Sources) []prometheus.Collector {
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mkt_http_requests_in_flight",
		Help: "Requests being answered now."}, func() float64 { return float64(from.InFlight.Load()) })
	list := []prometheus.Collector{m.requests, m.took, inFlight, m.shed, collector{from, &m.traffic}}
	if from.Limits != nil {
		list = append(list, append(limitsCollectors(from.Limits), m.limits)...)
	}
	return list
}

func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range descs {
		to <- d
	}
}

func (c collector) Collect(to chan<- prometheus.Metric) {
	of := func(kind prometheus.ValueType) send {
		return func(d *prometheus.Desc, v float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
		}
	}
	for _, collect := range []func(gauge, counter send){c.collectAccounts, c.collectData, c.collectConnections, c.collectSockets} {
		collect(of(prometheus.GaugeValue), of(prometheus.CounterValue))
	}
}
