package main

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/internal/testing/needs"
)

// Between these moments of a test the feed does not move, or is not asked.
const (
	stillFrom = 4 * time.Minute
	stillTo   = 510 * time.Second
)

// calm disables the random faults of the feed.
func calm() (faults []simulator.Fault) {
	for _, kind := range simulator.FaultKinds() {
		if kind.OnMatches() {
			faults = append(faults, simulator.Fault{Kind: kind})
		}
	}
	return faults
}

// A feed that does not move, or is not asked, is stale: after a minute there is no momentum, its
// reason, the state and the timeline are STALE, and so says the health. When the feed returns, the
// first sample is a baseline: no minute or incident of the time in between is invented.
func TestFeedWithoutNewDataIsStale(t *testing.T) {
	for name, frozen := range map[string][]simulator.Span{"stands still": {{From: stillFrom, To: stillTo}}, "is not asked": nil} {
		t.Run(name, func(t *testing.T) {
			if frozen == nil {
				needs.Time(t, "the same with a feed that is not asked")
			}
			begins := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
			s := newLiveSystem(t, begins, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14, Faults: calm(), Frozen: frozen})
			s.play(stillFrom, time.Hour, nil)
			s.served()
			running := s.running(stillTo - stillFrom + 4*time.Minute)
			if len(running) < 3 || s.health() != "HEALTHY" {
				t.Fatalf("%d matches with momentum, health %s", len(running), s.health())
			}
			s.now = s.now.Add(cadence)
			if frozen != nil {
				s.play(stillTo-stillFrom-cadence, time.Hour, nil)
				s.served()
			} else {
				s.now = begins.Add(stillTo - cadence)
				s.clock.Show(s.now)
			}
			for _, id := range running {
				s.stale(id)
			}
			if got := s.health(); got != "DEGRADED FEED_STALE" && !(frozen == nil && got == "DEGRADED STALE") {
				t.Errorf("health %s", got)
			}
			s.now = begins.Add(stillTo)
			s.play(3*time.Minute, time.Hour, nil)
			s.served()
			for _, id := range running {
				s.returned(id, begins.Add(stillFrom), begins.Add(stillTo))
			}
			if got := s.health(); got != "HEALTHY" {
				t.Errorf("health %s after the return", got)
			}
		})
	}
}

// running returns fixtures with momentum whose clock will run that long within one half.
func (s *liveSystem) running(on time.Duration) (ids []string) {
	s.Helper()
	byProvider := map[string]string{}
	for _, item := range s.list() {
		if item.Momentum != nil {
			byProvider[item.Provenance.ProviderFixtureID] = item.FixtureID
		}
	}
	for _, m := range s.sim.InPlay(s.accepted) {
		id, listed := byProvider[m.ID]
		for _, half := range m.Periods() {
			if at := s.now.Sub(m.Whistle); listed && half.Phase.Playing() && at > half.From && at+on < half.To {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// health returns the health of live intelligence on /status.
func (s *liveSystem) health() string {
	s.Helper()
	var status struct {
		Data struct {
			Health struct {
				Components []struct {
					Component, Status string
					Code              *string
				}
			}
		}
	}
	s.ask("/status", &status)
	for _, c := range status.Data.Health.Components {
		if c.Component != "live_intelligence" {
			continue
		}
		if c.Code != nil {
			return c.Status + " " + *c.Code
		}
		return c.Status
	}
	return "not reported"
}

func (s *liveSystem) stale(id string) {
	s.Helper()
	var single struct{ Data liveItem }
	s.one(id, "", &single)
	i := single.Data
	if i.Momentum != nil || i.Reason == nil || *i.Reason != "FEED_STALE" || i.VisualState == nil || i.VisualState.State != "STALE" || i.VisualState.Certainty != "UNKNOWN" {
		s.Errorf("%s at %v: momentum %v, reason %v, state %+v", id, s.now, i.Momentum, i.Reason, i.VisualState)
	}
	var momentum struct {
		Data struct {
			Momentum *struct{}
			Reason   *string `json:"unavailable_reason"`
		}
	}
	s.one(id, "/momentum", &momentum)
	if d := momentum.Data; d.Momentum != nil || d.Reason == nil || *d.Reason != "FEED_STALE" {
		s.Errorf("%s: %+v", id, d)
	}
	var line liveLine
	s.one(id, "/timeline", &line)
	if n := len(line.Data.Timeline); n == 0 || line.Data.Timeline[n-1].State != "STALE" || line.Data.Timeline[n-1].Certainty != "UNKNOWN" {
		s.Errorf("%s: the timeline ends %+v", id, line.Data.Timeline[max(0, n-1):])
	}
}

// returned checks that nothing is reported of the unknown time, except for what the provider's own
// list says later, which has no duration.
func (s *liveSystem) returned(id string, from, to time.Time) {
	s.Helper()
	var single struct{ Data liveItem }
	s.one(id, "", &single)
	if i := single.Data; i.Momentum == nil || i.VisualState == nil || i.VisualState.State == "STALE" {
		s.Errorf("%s did not come back: reason %v, state %+v", id, i.Reason, i.VisualState)
	}
	var line liveLine
	s.one(id, "/timeline", &line)
	during := 0
	for _, e := range line.Data.Timeline {
		if e.At.After(from.Add(2*cadence)) && e.At.Before(to.Add(cadence)) && e.Until.After(e.At) && e.State != "STALE" && e.State != "CALM" {
			s.Errorf("%s: %s at %v, of a time of which nothing was known", id, e.State, e.At)
		}
		if e.State == "STALE" {
			during++
		}
	}
	if during != 1 {
		s.Errorf("%s: %d entries say STALE, want 1", id, during)
	}
	var stats liveNumbers
	s.one(id, "/stats", &stats)
	missing := 0
	for _, k := range stats.Data.Series.Kova {
		if k.State == "MUNGON" && (k.H != nil || k.A != nil) {
			s.Errorf("%s: %+v", id, k)
		}
		if k.State == "MUNGON" {
			missing++
		}
	}
	if least := int(to.Sub(from)/time.Minute) - 2; missing < least {
		s.Errorf("%s: %d minutes are missing, want %d or more: %+v", id, missing, least, stats.Data.Series.Kova)
	}
	if !slices.ContainsFunc(line.Data.Timeline, func(e timelineEntry) bool { return e.At.After(to.Add(time.Minute)) }) {
		s.Errorf("%s: the timeline does not go on", id)
	}
}
