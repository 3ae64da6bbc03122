package health_test

import (
	"slices"
	"testing"

	"mkt/publish/health"
)

func TestFailureIsAlwaysACode(t *testing.T) {
	for _, c := range []struct {
		run  health.Run
		want health.Code
	}{
		{health.Run{OK: true}, ""},
		{health.Run{OK: true, Code: health.CodeListingHeld}, ""},
		{health.Run{Code: health.CodeStorage}, health.CodeStorage},
		{health.Run{}, health.CodeInternal},
		{health.Run{Code: "open /some/path: no such file"}, health.CodeInternal},
	} {
		if got := c.run.Failure(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
	all := health.Codes()
	if slices.Contains(all, "") || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("a code is empty or there twice: %q", all)
	}
}
