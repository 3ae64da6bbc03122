package live_test

import (
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

func sampleFor(testing.TB) *input.Sample {
	return &input.Sample{ProviderFixtureID: "77", ProviderEventID: "5", Home: football.Of("Home FC"), Away: football.Of("Away FC"),
		League: football.Of("League"), RetrievedAt: start.Add(90 * time.Minute), Status: input.InPlay,
		Clock:    input.ClockReading{Half: football.Of(2), Minute: football.Of(70), Second: football.Of(0), Running: football.Of(true)},
		Score:    football.Score{Home: football.Of(1), Away: football.Of(2)},
		Counters: []football.Counter{{Metric: football.Corners, Home: side("1"), Away: side("_")}, {Metric: football.DangerousAttacks, Home: side("9"), Away: side("3")}}}
}

// BenchmarkCycle measures one fixture in a cycle, over a whole match: read the state,
// fold the sample, write the state.
func BenchmarkCycle(b *testing.B) {
	m := makeMatch(7)
	var samples []*input.Sample
	m.samples(func(_, _ int, _ bool, s *input.Sample) { samples = append(samples, s) })
	b.ReportAllocs()
	var stored []byte
	bytes, folds := 0, 0
	for b.Loop() {
		var state *live.State
		if s, err := live.Decode(stored); err == nil {
			state = &s
		}
		next := live.Fold(state, samples[folds%len(samples)])
		if folds++; folds%len(samples) == 0 {
			bytes, stored = len(next.Encode(nil)), nil
			continue
		}
		stored = next.Encode(stored[:0])
	}
	b.ReportMetric(float64(bytes), "state-bytes")
}

// BenchmarkFold measures only the fold, and BenchmarkLive only its rows.
func BenchmarkFold(b *testing.B) {
	state, last := halfAMatch()
	b.ReportAllocs()
	for b.Loop() {
		live.Fold(&state, last)
	}
}

func BenchmarkLive(b *testing.B) {
	state, _ := halfAMatch()
	b.ReportAllocs()
	for b.Loop() {
		state.Live()
	}
}

func halfAMatch() (live.State, *input.Sample) {
	m := makeMatch(7)
	var state *live.State
	var last *input.Sample
	m.samples(func(half, second int, running bool, s *input.Sample) {
		if last != nil && half == 1 && second > 20*60 {
			return
		}
		if last != nil {
			next := live.Fold(state, last)
			state = &next
		}
		last = s
	})
	return *state, last
}

// BenchmarkShown measures what a cycle does with what was shown of one fixture: it reads it, adds the
// publication, and writes it.
func BenchmarkShown(b *testing.B) {
	state, _ := halfAMatch()
	l := state.Live()
	shown := new(live.Shown).Add(&l, nil, &state, true)
	stored := shown.Encode(nil)
	b.ReportAllocs()
	for b.Loop() {
		read, err := live.RestoreShown(stored)
		if err != nil {
			b.Fatal(err)
		}
		next := read.Add(&l, &state, &state, true)
		stored = next.Encode(stored[:0])
	}
	b.ReportMetric(float64(len(stored)), "shown-bytes")
}
