package backtest

import (
	"strconv"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// Every match is in one half, about as many in each, and always in the same.
func TestHalves(t *testing.T) {
	var matches []Match
	for id := range 1000 {
		matches = append(matches, Match{ID: strconv.Itoa(2_500_000 + id)})
	}
	seen := map[string]int{}
	for _, h := range []Half{Tuning, HeldOut} {
		half, err := h.of(append([]Match{}, matches...))
		check.Must(t, err)
		if len(half) < 450 || len(half) > 550 {
			t.Errorf("%d of 1000 matches are in %s", len(half), h)
		}
		for _, m := range half {
			seen[m.ID]++
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("match %s is in %d halves", id, n)
		}
	}
	if all, err := Half("").of(matches); err != nil || len(all) != len(seen) {
		t.Errorf("%d matches without a half, %d in the two: %v", len(all), len(seen), err)
	}
	if got := halfOf(&Match{ID: "1"}); got != Tuning { // 6b86b273…
		t.Errorf("match 1 is in %s", got)
	}
}

func TestRunOfAHalf(t *testing.T) {
	report, err := Run(Options{Matches: twoMatches(t), Drawings: 1, Half: HeldOut})
	if err != nil || report.Matches != 1 { // 2 is d4735e3a…
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := Run(Options{Matches: twoMatches(t), Half: "third"}); err == nil || !strings.Contains(err.Error(), "want tuning or held-out") {
		t.Errorf("an unknown half: %v", err)
	}
}
