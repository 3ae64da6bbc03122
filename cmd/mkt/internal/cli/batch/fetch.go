package batch

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mkt/fetch"
	"mkt/internal/terminal"
	"mkt/publish/health"
)

func newFetch(g *Group) *cobra.Command {
	cmd := g.newStage("fetch", "Ask the provider and archive its answers (step 1 of 3)", "  mkt fetch --tenant acme", true,
		func() ([]Step, error) {
			fetch, err := g.FetchStep()
			return []Step{fetch}, err
		})
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

// FetchStep returns the fetch stage with its key. Its circuit breakers remember between runs
// which providers are down.
func (g *Group) FetchStep() (Step, error) {
	open, err := g.Keys.Opener()
	if err != nil {
		return nil, err
	}
	circuits := new(fetch.Circuits)
	return func(ctx context.Context, t Task) (Report, error) {
		began := g.Now()
		tenant, err := t.Tenant.FetchTenant()
		if err != nil {
			return NewReport("fetch", t.Cycle, g.Now().Sub(began)), err
		}
		bar := g.bar(t, "fetch", "requests")
		defer bar.Done()
		s, err := fetch.Run(ctx, fetch.Options{
			Tenant: tenant, Product: t.Product, Cycle: t.Cycle, Root: t.Root,
			Open:     open,
			Provider: g.Provider, Circuits: circuits, Quota: g.quotaOf(t.Tenant), Received: t.received, Stopping: t.stopping,
			Now: g.Now, Log: g.Log, Progress: func(p fetch.Progress) { bar.SetSoFar(p.Done, p.Total, quotaWords(p.Left)) },
		})
		return fetchReport(s, g.Now().Sub(began)), err
	}, nil
}

// bar shows how far the step of a task is.
func (g *Group) bar(t Task, step, units string) *terminal.Bar {
	if !g.bars {
		return nil
	}
	return g.NewBar(t.Tenant.ID+" "+string(t.Product)+" "+step, units)
}

// quotaWords says how many requests are left.
func quotaWords(left *int) string {
	if left == nil {
		return ""
	}
	return fmt.Sprintf("%d left of the quota", *left)
}

func fetchReport(s fetch.Summary, took time.Duration) Report {
	r := NewReport("fetch", s.Cycle, took)
	r.Counts = map[string]any{"outcome": s.Outcome, "already": s.Already, "requests": s.Requests, "responses": s.Responses,
		"rejected": s.Rejected, "bytes": s.Bytes, "listed": s.Listed, "filtered": s.Filtered, "failed": s.Failed,
		"not_offered": s.NotOffered, "listing_short": s.ListingShort}
	if q := s.Quota; q != nil && q.Left != nil {
		r.Counts["quota_left"] = *q.Left
	}
	if q := s.Quota; q != nil && q.UsedUpUntil != nil {
		r.Counts["quota_used_up_until"] = *q.UsedUpUntil
	}
	r.Code = string(s.Code)
	switch {
	case s.Already:
		r.text = "was already fetched"
	default:
		r.text = terminal.Plural(s.Listed, "fixture") + ", " + terminal.Plural(s.Requests, "request") + ", " + terminal.Size(s.Bytes)
		if s.Filtered > 0 {
			r.text += ", " + strconv.Itoa(s.Filtered) + " filtered"
		}
		if s.NotOffered > 0 {
			r.text += ", " + strconv.Itoa(s.NotOffered) + " without markets"
		}
		if s.Failed > 0 {
			r.text += ", " + terminal.Plural(s.Failed, "fixture") + " not answered (data kept)"
		}
		if s.Code == health.CodeRateLimited && s.Quota != nil && s.Quota.UsedUpUntil != nil {
			r.text += ", the provider's quota is used up until " + terminal.ClockTime(*s.Quota.UsedUpUntil)
		}
		switch {
		case s.ListingShort && s.Listed == 0:
			r.text += ", the list has no football (nothing is removed)"
		case s.ListingShort:
			r.text += ", the list has fewer entries than it says (nothing is removed)"
		}
	}
	return r
}
