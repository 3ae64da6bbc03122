package football_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mkt/publish/football"
)

func number(t testing.TB, text string) football.Field[football.Number] {
	t.Helper()
	n, ok := football.ParseNumber(text)
	if !ok {
		t.Fatalf("%q is a number", text)
	}
	return football.Of(n)
}

// The three states of a side, and zero, must stay distinct when two sides are combined.
func TestCounterState(t *testing.T) {
	var missing football.Field[football.Number]
	null := football.NullField[football.Number]()
	zero, half := number(t, "0"), number(t, "0.50")
	for _, c := range []struct {
		home, away football.Field[football.Number]
		want       football.BucketState
	}{
		{missing, missing, football.BucketMissing},
		{null, missing, football.BucketNull},
		{null, null, football.BucketNull},
		{zero, zero, football.BucketZero},
		{zero, null, football.BucketZero},
		{missing, zero, football.BucketZero},
		{null, half, football.BucketValue},
		{zero, half, football.BucketValue},
	} {
		if got := (football.Counter{Metric: football.ExpectedGoals, Home: c.home, Away: c.away}).State(); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.home, c.away, got, c.want)
		}
		if got := (football.Counter{Home: c.away, Away: c.home}).State(); got != c.want {
			t.Errorf("%v, %v turned round: %s, want %s", c.home, c.away, got, c.want)
		}
	}
}

func TestNumberKeepsItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,5})(\.[0-9]{1,3})?`).Draw(t, "text")
		n, ok := football.ParseNumber(text)
		if !ok || n.Text() != text {
			t.Fatalf("%q became %q", text, n.Text())
		}
		if count, whole := n.Count(); whole && float64(count) != n.Float() {
			t.Fatalf("%q counts %d", text, count)
		}
	})
	for _, text := range []string{"", "-1", "1,2", "155,119,36", "1e3", " 1", "abc"} {
		if _, ok := football.ParseNumber(text); ok {
			t.Errorf("%q is no number", text)
		}
	}
}

// The closed sets are stored by index: a set may only grow at its end.
func TestLiveWordsStayInPlace(t *testing.T) {
	if m := football.Metrics(); m[0] != football.Attacks || m[16] != football.Possession || m[29] != football.KeyPasses {
		t.Error("metrics moved")
	}
	if v := football.VisualStates(); len(v) != 13 || v[0] != football.VisualKickOff || v[12] != football.VisualStale {
		t.Error("visual states moved")
	}
	if p := football.Phases(); len(p) != 8 || p[0] != football.FirstHalf || p[7] != football.FullTime {
		t.Error("phases moved")
	}
	for half, p := range []football.Phase{football.NoPhase, football.FirstHalf, football.SecondHalf, football.ExtraFirstHalf, football.ExtraSecondHalf} {
		if p.Half() != half {
			t.Errorf("%q is half %d", p, p.Half())
		}
	}
	seen := slices.Sorted(slices.Values(football.Metrics()))
	if len(slices.Compact(seen)) != len(football.Metrics()) {
		t.Error("a metric is listed twice")
	}
}
