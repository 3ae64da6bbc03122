package main

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
func (a *app) overdue(f *tenants.File) []string {
	var list []string
	for i := range f.Tenants {
		for _, p := range account.Products() {
			s, err := schedule.Parse(f.Tenants[i].Expression(p))
			if err != nil {
				continue
			}
			now := a.now()
			cadence := schedule.Cadence(s, now)
			if cadence >= catchUpFrom && now.Sub(a.lastFetch(job{&f.Tenants[i], p})) >= cadence {
				list = append(list, entryName(f.Tenants[i].ID, p))
			}
		}
	}
	return list
}

// lastFetch is when the newest fetch began; the zero time when there is none, or
// when it cannot be read: running once too often does no harm.
func (a *app) lastFetch(j job) time.Time {
	run := a.newestRun(j.tenant.ID, j.product, health.StepFetch)
	if run == nil {
		return time.Time{}
	}
	return run.StartedAt
}
