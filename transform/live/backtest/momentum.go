package backtest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

// Momentum returns the predictor of the live pipeline: it folds the samples of a match one
// after the other and answers what a client is given.
func Momentum() Predictor {
	return folded("momentum", func(all []input.Sample) []input.Sample { return all })
}

// published is the time from the provider's answer until its numbers can be read over HTTP:
// the cycle fetches details, transforms and publishes, and the server looks for a new
// snapshot every second.
const published = 1500 * time.Millisecond

// OverHTTP returns momentum as a client reads it over HTTP. The published number is that of
// the newest sample. It stays the same until the next snapshot, or until it is stale. Each
// match is polled at its own moment within the eight seconds, which follows from the seed.
// The provider shows everything late by the given time.
func OverHTTP(seed uint64, late time.Duration) Predictor {
	oldest := published + late + cadence*100*time.Millisecond
	name := fmt.Sprintf("momentum over HTTP, samples %g to %g s old", (published + late).Seconds(), oldest.Seconds())
	return Predictor{name, func(m *Match, questions []Question) Answers {
		samples, begins := Poll(m, phaseOf(m, seed))
		answers := make(Answers, len(questions))
		var state *live.State
		for i, q := range questions {
			now := begins[q.Period].Add(time.Duration(q.Second) * time.Second)
			for ; len(samples) > 0 && !samples[0].RetrievedAt.Add(published+late).After(now); samples = samples[1:] {
				next := live.Fold(state, &samples[0])
				state = &next
			}
			answers[i] = NoNumber
			if state == nil || now.After(state.StaleAt().Add(late)) {
				continue
			}
			if shown := state.Momentum(); shown.Available() {
				answers[i] = int16(shown.Home)
			}
		}
		return answers
	}}
}

// phaseOf returns when a match is first polled, in tenths of a second after kick-off.
func phaseOf(m *Match, seed uint64) int {
	h := fnv.New64a()
	h.Write([]byte(m.ID))
	return rand.New(rand.NewPCG(seed, h.Sum64())).IntN(cadence)
}

// Variants returns momentum computed from poorer feeds.
func Variants() []Predictor {
	return []Predictor{
		folded("momentum, no possession sent", without(football.Possession)),
		folded("momentum, only dangerous attacks sent", without(football.Attacks, football.OnTarget, football.OffTarget, football.Corners, football.Possession)),
		folded("momentum, no dangerous attacks sent", without(football.DangerousAttacks)),
		folded("momentum, sampled every 32 s", thinned(4)),
		folded("momentum, feed 30 s late", late(30*time.Second)),
	}
}

// folded returns momentum computed from the samples that change returns.
func folded(name string, change func([]input.Sample) []input.Sample) Predictor {
	return Predictor{name, func(m *Match, questions []Question) Answers {
		samples, begins := Observe(m)
		samples = change(samples)
		answers := make(Answers, len(questions))
		var state *live.State
		for i, q := range questions {
			at := begins[q.Period].Add(time.Duration(q.Second) * time.Second)
			for ; len(samples) > 0 && !samples[0].RetrievedAt.After(at); samples = samples[1:] {
				next := live.Fold(state, &samples[0])
				state = &next
			}
			answers[i] = answer(state, at)
		}
		return answers
	}}
}

// answer returns momentum at the moment of a question, a few seconds after the newest
// sample.
func answer(state *live.State, at time.Time) int16 {
	if state == nil {
		return NoNumber
	}
	now := live.Pass(*state, at)
	if m := now.Momentum(); m.Available() {
		return int16(m.Home)
	}
	return NoNumber
}

func without(metrics ...football.Metric) func([]input.Sample) []input.Sample {
	return func(all []input.Sample) []input.Sample {
		for i := range all {
			all[i].Counters = slices.DeleteFunc(all[i].Counters, func(c football.Counter) bool { return slices.Contains(metrics, c.Metric) })
		}
		return all
	}
}

func thinned(n int) func([]input.Sample) []input.Sample {
	return func(all []input.Sample) (kept []input.Sample) {
		for i := 0; i < len(all); i += n {
			kept = append(kept, all[i])
		}
		return kept
	}
}

func late(by time.Duration) func([]input.Sample) []input.Sample {
	return func(all []input.Sample) []input.Sample {
		for i := range all {
			all[i].RetrievedAt = all[i].RetrievedAt.Add(by)
		}
		return all
	}
}
