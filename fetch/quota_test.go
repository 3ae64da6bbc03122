package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/health"
)

// limited is a simulator with so many requests in windows of this length.
func limited(t *testing.T, now func() time.Time, requests int, window time.Duration) (url string, sim *simulator.Server) {
	t.Helper()
	return serve(t, "betsapi", simulator.Options{Fixtures: 120, Quota: requests, QuotaWindow: window, Now: now})
}

// A run whose quota ends on the way sends nothing more: the answers so far are archived,
// and the state says until when nothing is to be asked. A run without any answer has failed.
// The provider's next report, in a run or a test, counts.
func TestQuotaEndsARun(t *testing.T) {
	b, _ := betsapiBench(t, 30)
	url, sim := limited(t, time.Now, 5000, 24*time.Hour)
	b.options.Tenant.BaseURL, b.options.Now = url, time.Now
	b.clock = time.Now() // for the comparison
	_, err := b.run(t.Context())
	must(t, err)
	whole := times(sim) // at this hour
	b.options.Tenant.BaseURL, sim = limited(t, time.Now, whole-1, 24*time.Hour)
	s, err := b.run(t.Context()) // and not for a day
	if err != nil || s.Outcome != raw.Partial || s.Code != health.CodeRateLimited || s.Failed == 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	used := func(run *health.Run) bool {
		until, usedUp := run.Quota.UsedUp(time.Now())
		return usedUp && time.Until(until) <= 24*time.Hour && !run.Quota.Assumed && *run.Quota.Limit == int64(whole-1) && *run.Quota.Left == 0
	}
	if state := b.state(); !state.OK || state.Code != health.CodeRateLimited || !used(state) {
		t.Errorf("%+v, quota %+v, limit %d, left %d", state, state.Quota, *state.Quota.Limit, *state.Quota.Left)
	}
	s, err = b.run(t.Context())
	if !errors.Is(err, fetch.ErrLimited) || s.Outcome != raw.Failed || s.Requests != 1 || !strings.Contains(err.Error(), "used up until "+s.Quota.UsedUpUntil.Format(time.RFC3339)) {
		t.Errorf("%+v, %v", s, err)
	}
	if state := b.state(); state.OK || state.Code != health.CodeRateLimited || !used(state) {
		t.Errorf("%+v, quota %+v, limit %d, left %d", state, state.Quota, *state.Quota.Limit, *state.Quota.Left)
	}
	probed, err := fetch.Test(t.Context(), b.options)
	if !errors.Is(err, fetch.ErrLimited) || probed.Code != health.CodeRateLimited || probed.Quota == nil || probed.Quota.UsedUpUntil == nil {
		t.Errorf("%+v, %v", probed, err)
	}

	b.options.Tenant.BaseURL = "http://127.0.0.1:1"
	if _, err := b.run(t.Context()); err == nil || !used(b.state()) {
		t.Errorf("a provider that cannot be reached says nothing of the quota: %v, %+v", err, b.state().Quota)
	}
	asked := times(sim)
	b.options.Tenant.BaseURL, sim = limited(t, time.Now, 5000, 24*time.Hour) // enlarged
	if s, err := b.run(t.Context()); err != nil || s.Outcome != raw.Complete || *s.Quota.Left != int64(5000-times(sim)) || asked == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, usedUp := b.state().Quota.UsedUp(time.Now()); usedUp {
		t.Errorf("still used up: %+v", b.state().Quota)
	}
}

// A run without any answer failed because of the quota, whatever failed before; but a refused credential is
// the reason in any case.
func TestQuotaIsTheReason(t *testing.T) {
	quota := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		io.WriteString(w, `{"error":"quota"}`)
	}
	for first, want := range map[string]health.Code{"<html>": health.CodeRateLimited, `{"error":"fault"}`: health.CodeRateLimited, `{"error":"token"}`: health.CodeCredential} {
		p := tiny()
		p.Markets = sumsUp{}
		b := newBench(t, answers(t, map[string]http.HandlerFunc{"/odds1": say(first), "/odds2": quota}), p)
		if s, err := b.run(t.Context()); s.Outcome != raw.Failed || s.Code != want || b.state().Code != want || err == nil {
			t.Errorf("%s: %+v, %v", first, s, err)
		}
	}
}
