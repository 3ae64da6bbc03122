package batch

import (
	"github.com/prometheus/client_golang/prometheus"
)

// workMetrics collects, at the time of the request, this process's share of the work. Without the
// setting redis there are no such metrics.
type workMetrics struct{ *timetable }

func workDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	workReady    = workDesc("mkt_work_ready", "1 if this worker shares the accounts, 0 if not; /readyz says why.")
	workWorkers  = workDesc("mkt_work_workers", "Workers that share the accounts, as this one sees it; 0 if it does not take part.")
	workAccounts = workDesc("mkt_work_accounts", "Accounts that this worker runs.")
	workLeases   = workDesc("mkt_work_leases_total", "Leases asked for: taken, busy (another held it), failed (no answer), and lost ones among those taken.", "outcome")
	workNews     = workDesc("mkt_work_news_total", "Publications that were announced.")
)

// Describe implements [prometheus.Collector].
func (c workMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{workReady, workWorkers, workAccounts, workLeases, workNews} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c workMetrics) Collect(to chan<- prometheus.Metric) {
	conn, member := c.group.leases.Conn, c.share.Member()
	if conn == nil || member == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	ready := 0.
	if member.Trouble() == nil {
		ready = 1
	}
	s := conn.Stats()
	gauge(workReady, ready)
	gauge(workWorkers, float64(member.Team()))
	gauge(workAccounts, float64(c.share.Accounts()))
	count(workLeases, s.Taken, "taken")
	count(workLeases, s.Busy, "busy")
	count(workLeases, s.Failed, "failed")
	count(workLeases, s.Lost, "lost")
	count(workNews, s.Announced)
}
