package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/health"
)

// conclude decides the outcome of the cycle and seals it.
func (r *run) conclude(ctx context.Context, x *exchange, asking asking, asked provider.Asked, err error) error {
	if err != nil {
		err = &askError{err}
	}
	t, s := x.totals(asking.detail), &r.summary
	s.Quota, s.Plan = x.client.Quota(), x.evidence.found()
	r.values = x.client.Values() + x.unchanged.Load()
	s.Requests, s.Responses, s.Rejected, s.Bytes = x.client.Requests(), t.accepted, t.allRejected(), t.bytes
	s.Cost = max(0, x.client.Spent()-int64(asked.Optional))
	s.Listed, s.Filtered, s.Failed, s.NotOffered = asked.Listed, asked.Filtered, len(asked.Failed), len(asked.NotOffered)
	s.ListingShort = err == nil && !asked.ListingComplete
	var storage *storageError
	if errors.As(context.Cause(ctx), &storage) {
		return storage // the archive has a hole: it is not sealed
	}
	stopped := x.client.Stopped()
	if errors.Is(stopped, upstream.ErrStopping) {
		x.abandon(stopped)
	}
	if ctx.Err() != nil && (err != nil || s.Failed > 0 || !asked.ListingComplete) {
		return context.Cause(ctx)
	}
	s.Outcome, err = outcome(asked, t, stopped, err)
	s.Code = codeOf(err)
	if _, seal := x.archive.Seal(r.header(x.bookmaker, asked, t.rejected)); seal != nil {
		return &storageError{seal}
	}
	if s.Outcome == raw.Failed {
		return err
	}
	return nil
}

// outcome returns the outcome of a cycle, and why it is not complete. A refused
// credential fails it, whatever was received before. A cycle that has nothing to
// transform fails as well. A used up quota is the reason before every other but a refusal.
func outcome(asked provider.Asked, t totals, stopped, err error) (raw.Outcome, error) {
	switch {
	case isRefusal(stopped):
		return raw.Failed, stopped
	case err != nil && codeOf(stopped) == health.CodeRateLimited && !isRefusal(err):
		return raw.Failed, stopped
	case err != nil:
		return raw.Failed, err
	case t.details == 0 && len(asked.Failed) > 0:
		return raw.Failed, &askError{fmt.Errorf("no fixture's markets could be fetched: %w", cmp.Or(stopped, t.first, errNoReason))}
	case len(asked.Failed) > 0 || !asked.ListingComplete:
		return raw.Partial, stopped
	}
	return raw.Complete, nil
}

// isRefusal reports whether an error is a refused credential or product.
func isRefusal(err error) bool {
	code := codeOf(err)
	return code == health.CodeCredential || code == health.CodePermission
}

var errNoReason = errors.New("the adapter gives no reason")

func (r *run) header(bookmaker string, asked provider.Asked, rejected map[string]int64) raw.Cycle {
	counters := maps.Clone(asked.Counters)
	if counters == nil {
		counters = map[string]int64{}
	}
	counters["listed"], counters["filtered"], counters["failed"] = int64(asked.Listed), int64(asked.Filtered), int64(len(asked.Failed))
	counters["not_offered"] = int64(len(asked.NotOffered))
	counters["responses"], counters["response_bytes"] = int64(r.summary.Responses), r.summary.Bytes
	counters[raw.CounterValues] = r.values
	for why, n := range rejected {
		counters["rejected:"+why] = n
	}
	return raw.Cycle{
		ClientID: r.Tenant.ID, Product: r.Product, Provider: r.Tenant.Provider, Bookmaker: bookmaker, Connection: r.connection(),
		StartedAt: r.started, FinishedAt: r.Now(), Outcome: r.summary.Outcome, Code: r.summary.Code,
		ListingComplete: asked.ListingComplete, Failed: asked.Failed, NotOffered: asked.NotOffered,
		Requests: r.summary.Requests, Resume: asked.Resume, Counters: counters,
	}
}

// remember writes the run's state file.
func (r *run) remember(err error) error {
	s := r.summary
	code, short := codeOf(err), int64(0)
	if err == nil && s.Code == health.CodeRateLimited {
		code = s.Code
	}
	if s.ListingShort {
		short = 1
	}
	var costs []int64
	if err == nil && code == "" {
		costs = []int64{s.Cost}
	}
	return health.Record(r.Root, health.Run{
		Step: "fetch", Cycle: string(s.Cycle), StartedAt: r.started, FinishedAt: r.Now(), OK: err == nil, Code: code,
		CredentialFingerprint: r.Tenant.Fingerprint, Quota: s.Quota, Plan: s.Plan, Costs: costs,
		Counters: map[string]int64{
			"requests": int64(s.Requests), "responses": int64(s.Responses), "rejected": int64(s.Rejected), "bytes": s.Bytes,
			"listed": int64(s.Listed), "filtered": int64(s.Filtered), "failed": int64(s.Failed), "not_offered": int64(s.NotOffered),
			"recovered": int64(s.Recovered), "listing_short": short,
		},
	})
}

// log writes the result of the run, for debugging. The caller of Run reports the
// outcome of the cycle.
func (r *run) log(err error) {
	s := r.summary
	code := s.Code
	if err != nil {
		code = codeOf(err)
	}
	r.Log.Debug("fetched", "tenant", r.Tenant.ID, "product", r.Product, "cycle", s.Cycle, "step", "fetch",
		"outcome", s.Outcome, "code", code, "requests", s.Requests, "responses", s.Responses, "rejected", s.Rejected, "bytes", s.Bytes,
		"listed", s.Listed, "filtered", s.Filtered, "failed", s.Failed, "not_offered", s.NotOffered, "recovered", s.Recovered,
		"took_ms", s.Took.Milliseconds())
}
