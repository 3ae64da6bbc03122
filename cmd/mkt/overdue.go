package main

import (
	"time"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
)

// overdue names the entries whose newest fetch is older than their cadence, or
// that have none: a restart must not cost an hour, nor a new tenant wait for one.
func (a *app) overdue(f *tenants.File) []string {
	var list []string
	for i := range f.Tenants {
		for _, p := range built {
			s, err := schedule.Parse(f.Tenants[i].Expression(p))
			if err != nil {
				continue
			}
			now := a.now()
			if now.Sub(a.lastFetch(job{&f.Tenants[i], p})) >= schedule.Cadence(s, now) {
				list = append(list, entryName(f.Tenants[i].ID, p))
			}
		}
	}
	return list
}

// lastFetch is when the newest fetch began; the zero time when there is none, or
// when it cannot be read: running once too often does no harm.
func (a *app) lastFetch(j job) time.Time {
	run := a.newestRun(j.tenant.ID, string(j.product), "fetch")
	if run == nil {
		return time.Time{}
	}
	return run.StartedAt
}
