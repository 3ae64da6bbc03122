package serve

import (
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// outcome is the result of a request with an account's token.
type outcome int

const (
	answered outcome = iota
	refused
	rateLimited
	shed
	failed
)

var outcomes = [...]string{answered: "answered", refused: "refused", rateLimited: "rate_limited", shed: "shed", failed: "failed"}

func (a *answer) outcome() outcome {
	switch {
	case a.code == "":
		return answered
	case a.code == api.RateLimited:
		return rateLimited
	case a.shed != notShed:
		return shed
	case a.code == api.InternalError:
		return failed
	}
	return refused
}

// accountCounts counts requests by account and outcome. Safe for concurrent use.
type accountCounts struct{ byID sync.Map } // client id → *[len(outcomes)]atomic.Int64

func (c *accountCounts) add(clientID string, o outcome) {
	n, ok := c.byID.Load(clientID)
	if !ok {
		n, _ = c.byID.LoadOrStore(clientID, new([len(outcomes)]atomic.Int64))
	}
	n.(*[len(outcomes)]atomic.Int64)[o].Add(1)
}

// accountMetrics collects the counts of the current accounts, and deletes those of removed
// ones. A request that was in progress when its account was removed may create a count
// again, which the next scrape deletes.
type accountMetrics struct {
	counts   *accountCounts
	registry *account.Registry
}

var (
	accountRequests = prometheus.NewDesc("mkt_account_requests_total",
		"Requests with an account's token, by outcome: answered, refused, rate_limited, shed (SERVICE_UNAVAILABLE) or failed.", []string{"client_id", "outcome"}, nil)
	accountStates = prometheus.NewDesc("mkt_accounts", "Accounts, by status.", []string{"status"}, nil)
)

// Describe implements prometheus.Collector.
func (m accountMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- accountRequests
	to <- accountStates
}

// Collect implements prometheus.Collector.
func (m accountMetrics) Collect(to chan<- prometheus.Metric) {
	g := m.registry.Load()
	m.counts.byID.Range(func(id, n any) bool {
		if _, known := g.Find(id.(string)); !known {
			m.counts.byID.Delete(id)
			return true
		}
		for o, name := range outcomes {
			to <- prometheus.MustNewConstMetric(accountRequests, prometheus.CounterValue,
				float64(n.(*[len(outcomes)]atomic.Int64)[o].Load()), id.(string), name)
		}
		return true
	})
	states := map[account.Status]int{account.Active: 0, account.Suspended: 0, account.Revoked: 0}
	for _, a := range g.Accounts() {
		states[a.Status]++
	}
	for status, n := range states {
		to <- prometheus.MustNewConstMetric(accountStates, prometheus.GaugeValue, float64(n), string(status))
	}
}
