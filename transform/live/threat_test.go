package live_test

import (
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/transform/live"
)

// An attack or a corner that threatens brings the side behind as far as level, and never
// ahead: most attacks end within seconds without a shot, and the leader would change at
// each of them. A penalty does.
func TestThreatDoesNotOverturn(t *testing.T) {
	held, levelled := 0, 0
	for seed := range uint64(3) {
		var state *live.State
		played := makeMatch(seed)
		played.samples(func(_, _ int, _ bool, s *input.Sample) {
			next := live.Fold(state, s)
			state = &next
			in, m := state.Inputs(), state.Momentum()
			if !m.Available() || in.Threat == [2]float64{} || strings.HasPrefix(in.ThreatRule, "a penalty") {
				return
			}
			held++
			lead := in.Pressure[0] - in.Pressure[1]
			without := lead - in.Threat[0] + in.Threat[1]
			if lead*without < -1e-9 {
				t.Fatalf("%s turns a lead of %f into %f: %+v", in.ThreatRule, without, lead, in)
			}
			if lead == 0 && m.Home == 50 {
				levelled++
			}
		})
	}
	if held < 100 || levelled < 10 {
		t.Errorf("%d samples with a threat, %d with the sides made level by it", held, levelled)
	}
}
