package batch

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/sharing"
	"mkt/publish/football"
)

// agesOfCycles collects, at the time of the request, the ages of the newest successful cycles
// of the tenants allowed to run.
type agesOfCycles struct{ *timetable }

func cycleDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, append([]string{"product"}, labels...), nil)
}

var (
	jobsDesc   = cycleDesc("mkt_schedule_jobs", "Accounts whose cycles run: current, overdue (no successful cycle for two cadences), or never (none yet).", "state")
	newestGood = cycleDesc("mkt_cycle_newest_good_age_seconds", "Seconds since the newest successful cycle of any account.")
	oldestGood = cycleDesc("mkt_cycle_oldest_good_age_seconds", "Seconds since the newest successful cycle of the account whose one is the oldest.")
)

// Describe implements [prometheus.Collector].
func (c agesOfCycles) Describe(to chan<- *prometheus.Desc) {
	to <- jobsDesc
	to <- newestGood
	to <- oldestGood
}

// Collect implements [prometheus.Collector].
func (c agesOfCycles) Collect(to chan<- prometheus.Metric) {
	f := c.share.File()
	for _, p := range football.Products() {
		count, newest, oldest := c.judge(f, p)
		for state, n := range count {
			to <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(n), string(p), state)
		}
		if count["current"]+count["overdue"] > 0 {
			to <- prometheus.MustNewConstMetric(newestGood, prometheus.GaugeValue, newest.Seconds(), string(p))
			to <- prometheus.MustNewConstMetric(oldestGood, prometheus.GaugeValue, oldest.Seconds(), string(p))
		}
	}
}

func (c agesOfCycles) judge(f *accounts.File, p football.Product) (count map[string]int, newest, oldest time.Duration) {
	count = map[string]int{"current": 0, "overdue": 0, "never": 0}
	now := c.group.Now()
	known := map[string]bool{}
	for i := range f.Tenants {
		tenant := &f.Tenants[i]
		when, err := cadence.Parse(tenant.Expression(p))
		s := Selection{Product: string(p)}
		if due, _ := s.due(tenant, now); err != nil || len(due) == 0 || !c.share.RunsHere(tenant.ID) {
			continue
		}
		name := sharing.Entry(tenant.ID, p)
		known[name] = true
		at := c.lastGood(Job{tenant, p})
		if at.IsZero() {
			count["never"]++
			continue
		}
		age := max(0, now.Sub(at))
		if count["current"]+count["overdue"] == 0 || age < newest {
			newest = age
		}
		oldest = max(oldest, age)
		if age > cadence.OverdueAfter*cadence.Of(cadence.Slower(when, c.paceOf(name)), now) {
			count["overdue"]++
			continue
		}
		count["current"]++
	}
	c.metrics.forget(p, known)
	return count, newest, oldest
}

// lastGood returns when the newest successful cycle of a job ended, the zero time if there was
// none or it cannot be read. The state file is read once after each cycle.
func (c agesOfCycles) lastGood(j Job) time.Time {
	m, name := c.metrics, sharing.Entry(j.Tenant.ID, j.Product)
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, known := m.lastGood[name]; known {
		return at
	}
	run := cyclestate.NewestRun(c.group.Data, j.Tenant.ID, j.Product, "publish")
	if run == nil || run.LastOKAt == nil {
		return time.Time{}
	}
	m.lastGood[name] = *run.LastOKAt
	return *run.LastOKAt
}
