package live_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

// If the sides of any feed are exchanged, so are the numbers: 100 - home, the other
// leader, and the same reason if there is no number.
func TestMomentumIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var state, mirror *live.State
		at := start
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{1, 8, 8, 8, 8, 30, 61}).Draw(t, "later")) * time.Second)
			s := anySample(t, at)
			next, exchanged := live.Fold(state, s), live.Fold(mirror, exchange(s))
			state, mirror = &next, &exchanged
			mirrored(t, state.Momentum(), mirror.Momentum())
		}
	})
}

// The same holds for a match that is played, in which there are numbers.
func TestPlayedMomentumIsSymmetric(t *testing.T) {
	for seed := range uint64(3) {
		m := makeMatch(seed)
		m.events = append(m.events, truth{0, 600, football.RedCards, int(seed % 2)}, truth{0, 1200, football.RedCards, int(seed % 2)}, truth{1, 900, football.RedCards, 1 - int(seed%2)})
		slices.SortStableFunc(m.events, func(a, b truth) int { return (a.half-b.half)*1e5 + a.second - b.second })
		var state, mirror *live.State
		apart := 0
		m.samples(func(_, _ int, _ bool, s *input.Sample) {
			next, exchanged := live.Fold(state, s), live.Fold(mirror, exchange(s))
			state, mirror = &next, &exchanged
			mirrored(t, state.Momentum(), mirror.Momentum())
			if in := state.Inputs(); in.Keeps[0] != in.Keeps[1] && state.Momentum().Available() {
				apart++
			}
		})
		if apart < 100 {
			t.Errorf("match %d has %d samples with a man short and a number", seed, apart)
		}
	}
}

func mirrored(t rapid.TB, m, exchanged football.Momentum) {
	t.Helper()
	leaders := map[football.Leader]football.Leader{football.LeaderHome: football.LeaderAway, football.LeaderAway: football.LeaderHome, football.LeaderBalanced: football.LeaderBalanced, "": ""}
	if m.Home != exchanged.Away || m.Away != exchanged.Home || leaders[m.Leader] != exchanged.Leader || m.Strength != exchanged.Strength || m.Reason != exchanged.Reason {
		t.Fatalf("%+v, and with the sides exchanged %+v", m, exchanged)
	}
}

func exchange(s *input.Sample) *input.Sample {
	x := *s
	x.Home, x.Away = s.Away, s.Home
	x.Score = football.Score{Home: s.Score.Away, Away: s.Score.Home}
	x.Counters = slices.Clone(s.Counters)
	for i, c := range x.Counters {
		x.Counters[i].Home, x.Counters[i].Away = c.Away, c.Home
	}
	if list, ok := s.Incidents.Get(); ok {
		list = slices.Clone(list)
		for i := range list {
			switch list[i].Side {
			case football.SideHome:
				list[i].Side = football.SideAway
			case football.SideAway:
				list[i].Side = football.SideHome
			}
		}
		x.Incidents = football.Of(list)
	}
	return &x
}

// What Inputs shows is enough to compute the number again.
func TestInputsGiveTheNumber(t *testing.T) {
	for seed := range uint64(3) {
		m := makeMatch(seed)
		m.events = append(m.events, truth{0, 600, football.RedCards, int(seed % 2)}, truth{1, 900, football.RedCards, int(seed % 2)})
		slices.SortStableFunc(m.events, func(a, b truth) int { return (a.half-b.half)*1e5 + a.second - b.second })
		var state *live.State
		m.samples(func(_, _ int, _ bool, s *input.Sample) {
			next := live.Fold(state, s)
			state = &next
			if shown := state.Momentum(); shown.Available() && again(t, state) != shown.Home {
				in := state.Inputs()
				t.Fatalf("%d from %s and %+v, shown is %d", again(t, state), in.Rule(), in.Parts(), shown.Home)
			}
		})
	}
}

func again(t *testing.T, s *live.State) int {
	t.Helper()
	in := s.Inputs()
	parts := map[string][2]string{}
	for _, p := range in.Parts() {
		home, away, ok := strings.Cut(strings.TrimSuffix(p.Value, " away"), " home, ")
		if !ok {
			t.Fatalf("part %+v", p)
		}
		parts[p.Name] = [2]string{home, away}
	}
	var pressure [2]float64
	for side := range pressure {
		pressure[side] = (max(0, numeral(t, parts["fast"][side]))+max(0, numeral(t, parts["slow"][side]))/5)*numeral(t, parts["men"][side]) + numeral(t, parts["threat"][side])
		if shown := numeral(t, parts["pressure"][side]); math.Abs(pressure[side]-shown) > 3e-6 {
			t.Fatalf("pressure %v of the parts, shown is %v", pressure[side], shown)
		}
		pressure[side] = numeral(t, parts["pressure"][side])
	}
	return int(math.RoundToEven(100 * (pressure[0] + in.Prior) / (pressure[0] + pressure[1] + 2*in.Prior)))
}

func numeral(t *testing.T, text string) float64 {
	t.Helper()
	part, whole := 0.0, 1.0
	if _, err := fmt.Sscanf(strings.Replace(text, "/", " ", 1)+" 1", "%g %g", &part, &whole); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return part / whole
}
