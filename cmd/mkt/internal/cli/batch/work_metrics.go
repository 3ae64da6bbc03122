package batch

import (
	"github.com/prometheus/client_golang/prometheus"
)

// sharing collects, at the time of the request, this process's share of the work. Without the
// setting work there are no such metrics.
type sharing struct{ *timetable }

func workDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	workReady      = workDesc("mkt_work_ready", "1 if leases can be taken, 0 if not; /readyz says why.")
	workWorkers    = workDesc("mkt_work_workers", "Workers that share the accounts, as this one sees it; 0 if it does not take part.")
	workAccounts   = workDesc("mkt_work_accounts", "Accounts that this worker runs.")
	workHeld       = workDesc("mkt_work_leases_held", "Leases held: cycles under way here.")
	workLeases     = workDesc("mkt_work_leases_total", "Leases asked for: taken, busy (another held it), failed (NATS could not be asked), and lost ones among those taken.", "outcome")
	workReconnects = workDesc("mkt_work_reconnects_total", "Times that the connection to NATS was repaired.")
	workDifference = workDesc("mkt_work_clock_difference_seconds", "The clock of the NATS servers less this one.")
	workReplicas   = workDesc("mkt_work_replicas", "NATS servers that keep the leases: 3 survive the loss of one.")
	workNews       = workDesc("mkt_work_news_total", "Publications that were announced.")
)

// Describe implements [prometheus.Collector].
func (c sharing) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{workReady, workWorkers, workAccounts, workHeld, workLeases, workReconnects, workDifference, workReplicas, workNews} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c sharing) Collect(to chan<- prometheus.Metric) {
	conn := c.group.leases.conn
	if conn == nil || c.member == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	ready := 0.
	if conn.Trouble() == nil {
		ready = 1
	}
	s := conn.Stats()
	gauge(workReady, ready)
	gauge(workWorkers, float64(c.member.Team()))
	gauge(workAccounts, float64(c.member.Accounts()))
	gauge(workHeld, float64(s.Held))
	gauge(workReplicas, float64(s.Replicas))
	if s.Compared {
		gauge(workDifference, s.Difference.Seconds())
	}
	count(workLeases, s.Taken, "taken")
	count(workLeases, s.Busy, "busy")
	count(workLeases, s.Failed, "failed")
	count(workLeases, s.Lost, "lost")
	count(workReconnects, s.Reconnects)
	count(workNews, s.Announced)
}
