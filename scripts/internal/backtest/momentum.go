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

// Momentum is the number of the live pipeline: the samples of the match are folded in
// order, and each answer is the number that a client gets.
func Momentum() Predictor {
	return folded("momentum", func(all []input.Sample) []input.Sample { return all })
}

// published is how long after the provider's answer its numbers can be read over HTTP:
// the cycle fetches details, transforms and publishes, and the server looks for a new
// snapshot every second.
const published = 1500 * time.Millisecond

// OverHTTP is momentum as a client reads it over HTTP. The published number is that of
// the newest sample: it stays until the next snapshot, or until it is stale. Each match
// is polled at its own offset within the eight seconds, which follows from the seed; the
// provider reports everything late by this delay.
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

// phaseOf is when a match is polled first, in tenths of a second after kick-off.
func phaseOf(m *Match, seed uint64) int {
	h := fnv.New64a()
	h.Write([]byte(m.ID))
	return rand.New(rand.NewPCG(seed, h.Sum64())).IntN(cadence)
}

// Variants are momentum from feeds that send less, or send it late.
func Variants() []Predictor {
	return []Predictor{
		folded("momentum, no possession sent", without(football.Possession)),
		folded("momentum, only dangerous attacks sent", without(football.Attacks, football.OnTarget, football.OffTarget, football.Corners, football.Possession)),
		folded("momentum, no dangerous attacks sent", without(football.DangerousAttacks)),
		folded("momentum, sampled every 32 s", thinned(4)),
		folded("momentum, feed 30 s late", late(30*time.Second)),
	}
}

// folded is momentum from the samples that of keeps.
func folded(name string, of func([]input.Sample) []input.Sample) Predictor {
	return Predictor{name, func(m *Match, questions []Question) Answers {
		samples, begins := Observe(m)
		samples = of(samples)
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

// answer is momentum at the moment of a question, a few seconds after the newest sample.
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
