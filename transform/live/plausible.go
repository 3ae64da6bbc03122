package live

import (
	"slices"
	"strings"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// plausible returns the sample without impossible numbers, which count as not sent. Counters are
// sorted, and each occurs once.
func plausible(s *input.Sample) input.Sample {
	b := *s
	b.RetrievedAt = s.RetrievedAt.UTC().Truncate(time.Millisecond)
	b.ProviderFixtureID, b.ProviderEventID = truncated(s.ProviderFixtureID), truncated(s.ProviderEventID)
	for _, f := range []*football.Field[string]{&b.Home, &b.Away, &b.League} {
		if v, ok := f.Get(); ok {
			*f = football.Of(truncated(v))
		}
	}
	if at, ok := s.StartsAt.Get(); ok {
		b.StartsAt = football.Of(at.UTC().Truncate(time.Millisecond))
	}
	b.Score = football.Score{Home: within(s.Score.Home, rules.MaxScore), Away: within(s.Score.Away, rules.MaxScore)}
	b.Clock.Minute, b.Clock.Second = within(s.Clock.Minute, rules.MaxPosition/60), within(s.Clock.Second, 59)
	b.Clock.Added, b.Clock.Half = within(s.Clock.Added, rules.MaxAdded), within(s.Clock.Half, 5)
	b.Counters = inOrder(s.Counters)
	if list, ok := s.Incidents.Get(); ok && slices.ContainsFunc(list, isImpossible) {
		b.Incidents = football.Of(slices.DeleteFunc(slices.Clone(list), isImpossible))
	}
	return b
}

func isImpossible(i input.Incident) bool {
	return i.Minute < 1 || i.Minute > rules.MaxPosition/60 || i.Added < 0 || i.Added > rules.MaxAdded
}

func within(f football.Field[int], most int) football.Field[int] {
	if v, ok := f.Get(); ok && (v < 0 || v > most) {
		return football.Field[int]{}
	}
	return f
}

func truncated(s string) string {
	if len(s) > rules.MaxText {
		return strings.ToValidUTF8(s[:rules.MaxText], "")
	}
	return s
}

// inOrder returns the counters sorted by metric, the first of each. It returns a sorted list
// unchanged.
func inOrder(counters []football.Counter) []football.Counter {
	byMetric := func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) }
	strictly := func(a, b football.Counter) int {
		if byMetric(a, b) == 0 {
			return 1
		}
		return byMetric(a, b)
	}
	if !slices.IsSortedFunc(counters, strictly) {
		counters = slices.Clone(counters)
		slices.SortStableFunc(counters, byMetric)
		counters = slices.CompactFunc(counters, func(a, b football.Counter) bool { return a.Metric == b.Metric })
	}
	if len(counters) > rules.MaxCounters {
		counters = slices.Clip(counters[:rules.MaxCounters])
	}
	if len(counters) == 0 {
		return nil
	}
	return counters
}
