package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/health"
)

// serve serves the emulator of a provider, which knows the canary, with the given faults.
func serve(t *testing.T, name string, o simulator.Options, faults ...string) (url string, sim *simulator.Server) {
	t.Helper()
	for _, text := range faults {
		f, err := simulator.ParseFault(text)
		must(t, err)
		o.Faults = append(o.Faults, f)
	}
	o.Seed, o.Tokens = 7, map[string]simulator.Account{canary: {Seed: 7}}
	sim, err := emulators.New(name, o)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	url, done, err := simulator.Listen(ctx, sim, "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return url, sim
}

// simulated serves BetsAPI's emulator. Its world begins at noon of a fixed day: at other hours it
// has other fixtures.
func simulated(t *testing.T, fixtures int, faults ...string) (url string, sim *simulator.Server) {
	t.Helper()
	noon, begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Now()
	return serve(t, "betsapi", simulator.Options{Fixtures: fixtures, Now: func() time.Time { return noon.Add(time.Since(begun)) }}, faults...)
}

// betsapiBench has a good cycle behind it, in which the provider offered no
// markets on so many fixtures that it lists.
func betsapiBench(t *testing.T, fixtures int) (b *bench, without int) {
	t.Helper()
	p := betsapi.Provider()
	p.Budget.Burst = 1000
	url, sim := simulated(t, fixtures)
	b = newBench(t, url, p)
	s, err := b.run(t.Context())
	must(t, err)
	asked := times(sim)
	if s.Outcome != raw.Complete || s.Listed == 0 || s.Failed > 0 || s.NotOffered > s.Listed/10 || s.Rejected != 0 || s.Requests != asked || b.usage.Load() != int64(asked) {
		t.Fatalf("%+v; the simulator was asked %d times, usage says %d", s, asked, b.usage.Load())
	}
	return b, s.NotOffered
}

// times is how often a simulator was asked.
func times(sim *simulator.Server) (n int) {
	for _, of := range sim.Requests(canary) {
		n += of
	}
	return n
}

// Whatever goes wrong at the provider: the outcome is reported correctly, the
// older cycle stays the newest usable one where the new one failed, and the
// credential is nowhere (bench.search).
func TestSimulatedFaults(t *testing.T) {
	const usable = "complete, or some fixtures without markets"
	for _, c := range []struct {
		faults  []string
		outcome raw.Outcome
		code    health.Code
		err     error
	}{
		{[]string{"500:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"503:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"reset:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"timeout:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"slow:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"truncated:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"html:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"empty:1"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{[]string{"429-bare:1"}, raw.Failed, "RATE_LIMITED", fetch.ErrLimited},
		{[]string{"429-body:1"}, raw.Failed, "RATE_LIMITED", fetch.ErrLimited},
		{[]string{"credential:1"}, raw.Failed, "CREDENTIAL_REJECTED", fetch.ErrCredential},
		{[]string{"credential:#2+"}, raw.Failed, "CREDENTIAL_REJECTED", fetch.ErrCredential},
		{[]string{"permission:#3+"}, raw.Failed, "PERMISSION_DENIED", fetch.ErrPermission},
		{[]string{"permission:1@markets"}, raw.Failed, "PERMISSION_DENIED", fetch.ErrPermission},
		{[]string{"wrong:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"huge:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"bomb:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"nested:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"redirect:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"listing-without-ids:1"}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{[]string{"500:1@markets"}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},

		{[]string{"500:#1", "reset:#2", "truncated:#3", "html:#5", "empty:#6"}, usable, "", nil},
		{[]string{"500:0.1", "reset:0.05", "truncated:0.05", "html:0.05", "429-bare:0.05"}, usable, "", nil},
		{[]string{"credential:#1", "permission:#3"}, usable, "", nil},
		{[]string{"broken-fixture:1"}, usable, "", nil},
		{[]string{"duplicate:1"}, usable, "", nil},
		{[]string{"shrink:1"}, usable, "", nil},
		{[]string{"slow:#3"}, usable, "", nil},
	} {
		t.Run(fmt.Sprint(c.faults), func(t *testing.T) {
			t.Parallel()
			b, without := betsapiBench(t, 30)
			old := b.clock
			url, _ := simulated(t, 30, c.faults...)
			b.options.Tenant.BaseURL, b.clock = url, old.Add(time.Hour)
			if text := fmt.Sprint(c.faults); strings.Contains(text, "timeout") || strings.Contains(text, "slow") {
				b.impatient()
			}
			s, err := b.run(t.Context())
			if c.outcome == usable && s.Outcome != raw.Failed {
				c.outcome = s.Outcome
			}
			shrinks := c.faults[0] == "shrink:1" // answers too: who is left out of both is not offered
			if s.Outcome == raw.Complete && s.Failed > 0 || s.NotOffered > without && !shrinks {
				t.Errorf("%+v; without a fault %d are not offered", s, without)
			}
			if s.Outcome != c.outcome || (err == nil) != (c.err == nil) || c.err != nil && (!errors.Is(err, c.err) || s.Code != c.code) {
				t.Fatalf("%+v\n%v", s, err)
			}
			if n := intact(t, b.options.Root); n != 2 {
				t.Errorf("%d cycles sealed", n)
			}
			newest, _, err := raw.Newest(b.options.Root)
			must(t, err)
			if failed := c.outcome == raw.Failed; failed == newest.StartedAt.After(old) {
				t.Errorf("failed %v, newest is of %v", failed, newest.StartedAt)
			}
			state := b.state()
			if state.OK != (c.err == nil) || state.LastOKAt == nil || !state.LastOKAt.After(old.Add(-time.Second)) {
				t.Errorf("state %+v", state)
			}
		})
	}
}
