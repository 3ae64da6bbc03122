package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mkt/fetch"
	"mkt/publish/health"
)

func newFetch(a *app) *cobra.Command {
	s := selection{asks: true}
	cmd := &cobra.Command{
		Use:   "fetch --tenant ID | --all",
		Short: "Ask the provider and archive its answers (step 1 of a cycle)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAll(cmd.Context(), &s, func() ([]step, error) {
				fetch, err := a.fetchStep()
				return []step{fetch}, err
			})
		},
	}
	s.flags(a, cmd)
	a.keys.sealFlag(a.set, cmd)
	return cmd
}

// fetchStep is the stage fetch with its key at hand. The circuits remember,
// from run to run, which providers are down.
func (a *app) fetchStep() (step, error) {
	open, err := a.keys.opener()
	if err != nil {
		return nil, err
	}
	circuits := new(fetch.Circuits)
	return func(ctx context.Context, t task) (report, error) {
		began := a.now()
		tenant, err := t.tenant.FetchTenant()
		if err != nil {
			return newReport("fetch", t.cycle, a.now().Sub(began)), err
		}
		var bar *bar
		if a.bars {
			bar = a.newBar("fetch " + t.tenant.ID)
		}
		s, err := fetch.Run(ctx, fetch.Options{
			Tenant: tenant, Product: t.product, Cycle: t.cycle, Root: t.root,
			Open:     open,
			Provider: a.adapter, Circuits: circuits, Quota: a.quotaOf(t.tenant), Stopping: t.stopping,
			Now: a.now, Log: a.log, Progress: bar.set,
		})
		bar.done()
		return fetchReport(s, a.now().Sub(began)), err
	}, nil
}

func fetchReport(s fetch.Summary, took time.Duration) report {
	r := newReport("fetch", s.Cycle, took)
	r.Counts = map[string]any{"outcome": s.Outcome, "already": s.Already, "requests": s.Requests, "responses": s.Responses,
		"rejected": s.Rejected, "bytes": s.Bytes, "listed": s.Listed, "filtered": s.Filtered, "failed": s.Failed,
		"not_offered": s.NotOffered, "listing_short": s.ListingShort}
	if q := s.Quota; q != nil && q.Left != nil {
		r.Counts["quota_left"] = *q.Left
	}
	if q := s.Quota; q != nil && q.UsedUpUntil != nil {
		r.Counts["quota_used_up_until"] = *q.UsedUpUntil
	}
	r.Code = s.Code
	switch {
	case s.Already:
		r.text = "was fetched before"
	default:
		r.text = plural(s.Listed, "fixture") + ", " + plural(s.Requests, "request") + ", " + size(s.Bytes)
		if s.Filtered > 0 {
			r.text += ", " + strconv.Itoa(s.Filtered) + " filtered"
		}
		if s.NotOffered > 0 {
			r.text += ", " + strconv.Itoa(s.NotOffered) + " without markets"
		}
		if s.Failed > 0 {
			r.text += ", " + plural(s.Failed, "fixture") + " not answered (data kept)"
		}
		if s.Code == health.CodeRateLimited && s.Quota != nil && s.Quota.UsedUpUntil != nil {
			r.text += ", the provider's quota is used up until " + clockTime(*s.Quota.UsedUpUntil)
		}
		if s.ListingShort {
			r.text += ", the list falls short of its own count (nothing is removed)"
		}
	}
	return r
}
