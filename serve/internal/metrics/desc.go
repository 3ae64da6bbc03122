package metrics

import "github.com/prometheus/client_golang/prometheus"

// descs are those of everything that is read at a scrape.
var descs []*prometheus.Desc

func desc(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	descs = append(descs, d)
	return d
}

type send func(d *prometheus.Desc, v float64, labels ...string)
