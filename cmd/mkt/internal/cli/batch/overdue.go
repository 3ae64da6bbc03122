package batch

import (
	"time"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/health"
	"mkt/serve/account"
)

// catchUpFrom is the shortest cadence whose overdue runs are made up for. With a shorter
// one the next tick comes soon enough, and live samples must stay on their ticks.
const catchUpFrom = time.Minute

// overdue returns the entries whose newest fetch is older than their cadence, or that have
// none: neither a restart nor a new tenant must cost an hour.
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

// LastFetch returns when the newest fetch began, the zero time if there is none or if that
// cannot be read: to run once too often does no harm.
func (g *Group) LastFetch(j Job) time.Time {
	run := g.NewestRun(j.Tenant.ID, j.Product, health.StepFetch)
	if run == nil {
		return time.Time{}
	}
	return run.StartedAt
}
