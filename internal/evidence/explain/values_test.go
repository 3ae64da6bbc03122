package explain

import (
	"testing"

	"mkt/fetch/provider"
)

// TestStartRule: a kick-off has the rule of the text it was sent as.
func TestStartRule(t *testing.T) {
	for sent, want := range map[string]string{
		`"1795165200"`:           ruleEpoch,
		`1795165200`:             ruleEpoch,
		`"2026-11-20T09:00:00Z"`: ruleTime,
		`"2026-11-20 09:00:00"`:  ruleTime,
		`null`:                   ruleStart,
	} {
		if got := startRule([]Piece{{Text: sent, Says: provider.FieldStartsAt}}); got != want {
			t.Errorf("%s: %s, want %s", sent, got, want)
		}
	}
}
