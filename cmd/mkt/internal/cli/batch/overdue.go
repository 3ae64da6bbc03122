package batch

import (
	"time"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/health"
	"mkt/serve/account"
)

// catchUpFrom is the shortest cadence of which an overdue run is made up for. Below
// it the next tick comes soon enough, and a run in between would put a sample where
// the clock has none.
const catchUpFrom = time.Minute

// overdue names the entries whose newest fetch is older than their cadence, or
// that have none: a restart must not cost an hour, and a new tenant must not wait
// for one.
func (g *Group) overdue(f *tenants.File) []string {
	var list []string
	for i := range f.Tenants {
		for _, p := range account.Products() {
			s, err := schedule.Parse(f.Tenants[i].Expression(p))
			if err != nil {
				continue
			}
			now := g.Now()
			cadence := schedule.Cadence(s, now)
			if cadence >= catchUpFrom && now.Sub(g.LastFetch(Job{&f.Tenants[i], p})) >= cadence {
				list = append(list, entryName(f.Tenants[i].ID, p))
			}
		}
	}
	return list
}

// LastFetch is when the newest fetch began; the zero time when there is none, or
// when it cannot be read: running once too often does no harm.
func (g *Group) LastFetch(j Job) time.Time {
	run := g.NewestRun(j.Tenant.ID, j.Product, health.StepFetch)
	if run == nil {
		return time.Time{}
	}
	return run.StartedAt
}
