package batch

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/schedule/cyclestate"
	"mkt/publish/football"
)

// quotas collects, at the time of the request, the quotas reported by providers for all
// running accounts, and the postponed jobs. There is no label for the tenant, see [cycleMetrics].
type quotas struct{ *timetable }

var (
	postponedDesc = cycleDesc("mkt_schedule_postponed_jobs", "Accounts whose provider must not be asked yet: its quota is used up, or it refused.", "reason")
	slowedDesc    = cycleDesc("mkt_schedule_slowed_jobs", "Accounts whose cycles run less often than tenants.yaml says, because the provider's quota does not carry more.")
	slowestDesc   = cycleDesc("mkt_schedule_slowest_pace_seconds", "Least time between two cycles of the slowest of these accounts; 0 if there is none.")
	quotaLeft     = quotaDesc("mkt_provider_quota_left", "The rest of the quota of the account with the least, by the provider's newest report.")
	quotaUsedUp   = quotaDesc("mkt_provider_quota_used_up_accounts", "Accounts whose quota is used up.")
	quotaWait     = quotaDesc("mkt_provider_quota_wait_seconds", "Seconds until no account's quota is used up; 0 if none is.")
)

func quotaDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"provider"}, nil)
}

// Describe implements [prometheus.Collector].
func (c quotas) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{postponedDesc, slowedDesc, slowestDesc, quotaLeft, quotaUsedUp, quotaWait} {
		to <- d
	}
}

type quotaSum struct {
	left   *int64
	usedUp int
	wait   time.Duration
}

// Collect implements [prometheus.Collector].
func (c quotas) Collect(to chan<- prometheus.Metric) {
	f := c.share.File()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	now := c.group.Now()
	sums := map[string]*quotaSum{}
	postponed := map[string]map[cyclestate.Why]int{}
	for _, p := range football.Products() {
		postponed[string(p)] = map[cyclestate.Why]int{}
	}
	for i := range f.Tenants {
		tenant := &f.Tenants[i]
		s := Selection{All: true}
		jobs, _ := s.due(tenant, now)
		if len(jobs) == 0 || !c.share.RunsHere(tenant.ID) {
			continue
		}
		for _, j := range jobs {
			if p := c.group.postponed(j); p != nil {
				postponed[string(j.Product)][p.Why]++
			}
		}
		sum := sums[tenant.Provider.Name]
		if sum == nil {
			sum = new(quotaSum)
			sums[tenant.Provider.Name] = sum
		}
		q := c.group.quotaOf(tenant)
		if until, usedUp := q.UsedUp(now); usedUp {
			sum.usedUp++
			sum.wait = max(sum.wait, until.Sub(now))
		}
		if left := q.Remaining(now); left != nil && (sum.left == nil || *left < *sum.left) {
			sum.left = left
		}
	}
	for _, p := range football.Products() {
		slowed, slowest := c.slowed(p)
		gauge(slowedDesc, float64(slowed), string(p))
		gauge(slowestDesc, slowest.Seconds(), string(p))
	}
	for product, reasons := range postponed {
		for _, why := range cyclestate.Whys {
			gauge(postponedDesc, float64(reasons[why]), product, string(why))
		}
	}
	for provider, sum := range sums {
		if sum.left != nil {
			gauge(quotaLeft, float64(*sum.left), provider)
		}
		gauge(quotaUsedUp, float64(sum.usedUp), provider)
		gauge(quotaWait, sum.wait.Seconds(), provider)
	}
}
