package codec

import (
	"fmt"
	"slices"
	"testing"

	"mkt/publish/football"
)

// The codes of stored states are pinned by the words they stand for: a state that
// was written before must mean the same afterwards. Only ever add a code at the end.
func TestCodesNeverChange(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"phase", fmt.Sprintf("%q", PhaseCodes), `["" "1H" "HT" "2H" "BREAK" "ET_1H" "ET_2H" "PEN" "FT"]`},
		{"visual state", fmt.Sprint(VisualCodes), "[KICK_OFF CALM ATTACK PRESSURE DANGER CORNER GOAL CARD PENALTY SUBSTITUTION HALF_TIME FULL_TIME STALE]"},
		{"certainty", fmt.Sprint(CertaintyCodes), "[EXACT INFERRED UNKNOWN]"},
		{"side", fmt.Sprint(SideCodes), "[HOME AWAY NONE]"},
		{"metric", fmt.Sprint(MetricCodes), "[attacks dangerous_attacks on_target off_target shots_blocked shots corners corners_1h corners_ft corners_et" +
			" goals yellow_cards red_cards second_yellow_cards penalties substitutions possession ball_safe xg throw_ins fouls offsides saves goal_kicks" +
			" free_kicks injuries crosses crossing_accuracy passing_accuracy key_passes]"},
		{"field state", fmt.Sprint(football.Missing, football.Null, football.Present), "0 1 2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: the codes are %s, want %s: stored states would be read as something else", c.name, c.got, c.want)
		}
	}
}

// Every value that can be observed has exactly one code, and the codes fit the bits
// that the encoding has for them.
func TestEveryValueHasACode(t *testing.T) {
	haveCodes(t, PhaseCodes, append(football.Phases(), football.NoPhase), 1<<8)
	haveCodes(t, VisualCodes, football.VisualStates(), 1<<4)
	haveCodes(t, CertaintyCodes, football.Certainties(), 1<<2)
	haveCodes(t, SideCodes, football.Sides(), 1<<2)
	haveCodes(t, MetricCodes, football.Metrics(), 1<<8)
}

func haveCodes[T interface {
	~string
	comparable
}](t *testing.T, table codes[T], values []T, most int) {
	t.Helper()
	if len(table) > most {
		t.Errorf("%d codes of %T do not fit: the encoding has bits for %d", len(table), values, most)
	}
	for _, v := range values {
		if table.Of(v) < 0 {
			t.Errorf("%T %q has no code: add one at the end of its table", v, v)
		}
	}
	for code, v := range table {
		if slices.Contains(table[:code], v) {
			t.Errorf("%T %q has two codes", v, v)
		}
	}
}
