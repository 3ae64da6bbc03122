package batch

import (
	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/dataset"
	"mkt/internal/evidence/doctor"
	"mkt/publish/football"
	"mkt/publish/payloads"
)

// payloadMetrics collects, at the time of the request, what changed in the answers of providers, of the accounts that
// run here. There is no label for the tenant, see [cycleMetrics].
type payloadMetrics struct{ *timetable }

var payloadChanges = prometheus.NewDesc("mkt_payload_changes", "Accounts in whose provider's answers a member is gone (field_gone) or new (field_new), or a market is gone (market_gone), or has an unknown name (market_new).",
	[]string{"provider", "product", "kind"}, nil)

// Describe implements [prometheus.Collector].
func (c payloadMetrics) Describe(to chan<- *prometheus.Desc) { to <- payloadChanges }

// Collect implements [prometheus.Collector].
func (c payloadMetrics) Collect(to chan<- prometheus.Metric) {
	type series struct {
		provider string
		product  football.Product
		kind     payloads.Kind
	}
	accounts := map[series]int{}
	f, all := c.share.File(), Selection{All: true}
	for i := range f.Tenants {
		jobs, _ := all.due(&f.Tenants[i], c.group.Now())
		if !c.share.RunsHere(f.Tenants[i].ID) {
			continue
		}
		for _, j := range jobs {
			changed := c.changesOf(j)
			for _, kind := range payloads.Kinds {
				accounts[series{j.Tenant.Provider.Name, j.Product, kind}] += min(1, len(changed.Of(kind)))
			}
		}
	}
	for s, n := range accounts {
		to <- prometheus.MustNewConstMetric(payloadChanges, prometheus.GaugeValue, float64(n), s.provider, string(s.product), string(s.kind))
	}
}

// changesOf returns the changes of a job; none if they cannot be read, which mkt doctor reports.
func (c payloadMetrics) changesOf(j Job) payloads.Report {
	root, err := (dataset.Dataset{Data: c.group.Data, Tenant: j.Tenant.ID, Product: j.Product}).Open()
	if err != nil {
		return payloads.Report{}
	}
	defer root.Close()
	report, err := doctor.PayloadReport(root, j.Tenant)
	if err != nil {
		return payloads.Report{}
	}
	return report
}
