package fetch_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/health"
)

// limited is a simulator with so many requests in windows of this length.
func limited(t *testing.T, now func() time.Time, requests int, window time.Duration) (url string, sim *simulator.Server) {
	t.Helper()
	sim, err := emulator.New(simulator.Options{Seed: 7, Fixtures: 120, Quota: requests, QuotaWindow: window, Now: now,
		Tokens: map[string]simulator.Account{canary: {Seed: 7}}})
	must(t, err)
	url, done, err := simulator.Listen(t.Context(), sim, "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { <-done })
	return url, sim
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

// A run that waits for its quota is interrupted at once when the process is to stop:
// there is no cycle, and no state.
func TestQuotaWaitIsInterrupted(t *testing.T) {
	b, _ := betsapiBench(t, 30)
	before := b.state().FinishedAt
	url, sim := simulated(t, 30, "500:#2+")
	stopping := make(chan struct{})
	b.options.Tenant.BaseURL, b.clock, b.options.Stopping = url, b.clock.Add(time.Hour), stopping
	b.options.Limits.Wait, b.options.Limits.MaxWait, b.options.Limits.Run = time.Minute, time.Minute, time.Hour
	go func() {
		for times(sim) < 2 {
			time.Sleep(time.Millisecond)
		}
		close(stopping)
	}()
	if _, err := b.run(t.Context()); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("%v", err)
	}
	if !b.state().FinishedAt.Equal(before) {
		t.Errorf("state %+v", b.state())
	}
	if n := intact(t, b.options.Root); n != 1 {
		t.Errorf("%d cycles are sealed", n)
	}
}

// The quota is used up while other requests are under way. None of these is ended, and what was answered is
// published as a part.
func TestQuotaEndsBesideRequestsUnderWay(t *testing.T) {
	for _, c := range []struct {
		provider, fault string
		product         football.Product
		held            string // in the paths of requests whose answers wait for the refusal
		outcome         raw.Outcome
	}{
		{"betsapi", "quota:#5+@markets", football.MarketEngine, "/prematch", raw.Partial},
		{"betsapi", "quota:#3+@listing", football.MarketEngine, "/upcoming", raw.Failed},
		{"betsapi", "quota:#4+@details", football.LiveIntelligence, "/view", raw.Partial},
		{"sportmonks", "quota:#2+@markets", football.MarketEngine, "/multi/", raw.Partial},
		{"apifootball", "quota:#3+@markets", football.MarketEngine, "/odds", raw.Partial},
		{"apifootball", "quota:#3+@listing", football.MarketEngine, "/fixtures", raw.Failed},
		{"theoddsapi", "quota:#2+@markets", football.MarketEngine, "/odds", raw.Partial},
		{"theoddsapi", "quota:#6+@listing", football.MarketEngine, "/events", raw.Failed},
	} {
		t.Run(c.provider+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			p, _ := all.Lookup(c.provider)
			p.Budget.Burst = 1000
			fault, err := simulator.ParseFault(c.fault)
			must(t, err)
			b, begun := newBench(t, "", p), time.Now()
			sim, err := emulators.New(c.provider, simulator.Options{Seed: 7, Fixtures: 300, InPlay: 120, Faults: []simulator.Fault{fault},
				Now: func() time.Time { return b.clock.Add(time.Since(begun)) }, Tokens: map[string]simulator.Account{canary: {Seed: 7}}})
			must(t, err)
			refused := make(chan struct{})
			refuse := sync.OnceFunc(func() { close(refused) })
			var ended atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				sim.ServeHTTP(answer, r)
				isHeld := strings.Contains(r.URL.Path, c.held)
				switch v := p.Classify(answer.Code, answer.Header(), answer.Body.Bytes()); {
				case v.Kind == provider.Limited:
					defer time.AfterFunc(200*time.Millisecond, refuse)
				case isHeld:
					select {
					case <-refused:
					case <-time.After(time.Second): // no other request is under way
					case <-r.Context().Done():
						ended.Add(1)
						return
					}
				}
				maps.Copy(w.Header(), answer.Header())
				w.WriteHeader(answer.Code)
				w.Write(answer.Body.Bytes())
			}))
			t.Cleanup(s.Close)
			b.options.Tenant.BaseURL, b.options.Product, b.options.Limits.Header = s.URL, c.product, 10*time.Second
			got, err := b.run(t.Context())
			if got.Outcome != c.outcome || got.Code != health.CodeRateLimited || (err == nil) != (c.outcome == raw.Partial) || err != nil && !errors.Is(err, fetch.ErrLimited) {
				t.Errorf("%+v, %v", got, err)
			}
			if ended.Load() > 0 || got.Responses+got.Rejected != got.Requests {
				t.Errorf("%d requests under way were ended: %+v", ended.Load(), got)
			}
		})
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
