package esoccer

import (
	"fmt"
	"strings"
	"testing"
)

// The rule of a fixture is the same however often and after how many others it is asked for,
// and the memory is bounded.
func TestKnownRules(t *testing.T) {
	var r rules
	decided := 0
	decide := func(n names) string {
		decided++
		return "rule of " + n.home
	}
	for round := range 2 {
		for i := range 3 * mostKnown {
			n := names{"league", fmt.Sprint("team ", i), "other"}
			for range 2 {
				if got, want := r.rule(n, decide), "rule of "+n.home; got != want {
					t.Fatalf("round %d, fixture %d: %q", round, i, got)
				}
			}
		}
	}
	if want := 6 * mostKnown; decided != want {
		t.Errorf("decided %d times, want %d", decided, want)
	}
	if len(r.new)+len(r.old) > 2*mostKnown {
		t.Errorf("%d fixtures are remembered", len(r.new)+len(r.old))
	}
	r.rule(names{home: strings.Repeat("x", mostBytes+1)}, decide)
	if _, kept := r.new[names{home: strings.Repeat("x", mostBytes+1)}]; kept {
		t.Error("a name without bounds is remembered")
	}
}
