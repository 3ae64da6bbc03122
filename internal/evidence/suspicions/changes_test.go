package suspicions_test

import (
	"fmt"
	"slices"
	"testing"

	"mkt/internal/evidence/inspect"
	"mkt/internal/evidence/suspicions"
)

func TestChanges(t *testing.T) {
	line := func(version uint64, kinds map[string]int64) inspect.Publication {
		return inspect.Publication{Version: version, Suspicions: kinds}
	}
	changes := suspicions.Changes([]inspect.Publication{
		line(6, map[string]int64{"odd_margin": 2, "swapped_labels": 0}), line(5, nil), line(4, map[string]int64{"odd_margin": 2, "swapped_labels": 1}),
		line(3, map[string]int64{"odd_margin": 2, "swapped_labels": 1}), line(2, map[string]int64{"odd_margin": 2}), line(1, map[string]int64{}),
	})
	var got []string
	for _, c := range changes {
		for _, k := range c.Kinds {
			got = append(got, fmt.Sprintf("v%d %s %+d", c.Version, k.Kind, k.Delta()))
		}
	}
	if want := []string{"v6 swapped_labels -1", "v3 swapped_labels +1", "v2 odd_margin +2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
