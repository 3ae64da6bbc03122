package find_test

import (
	"os"
	"testing"

	"mkt/internal/evidence/find"
	"mkt/internal/evidence/history"
	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/steps"
)

// A step whose snapshot is not kept is explained in the oldest kept one, if no later step came until then.
func TestExplainable(t *testing.T) {
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	for version := 1; version <= 6; version++ {
		root.PublishNext(1, 1)
		if version < 4 {
			check.Must(t, os.RemoveAll(root.Path("")))
		}
	}
	at := func(version uint64) history.Step {
		return history.Step{Point: steps.Point{At: steps.At{Version: version}}}
	}
	whole := &history.Path{Steps: []history.Step{at(1), at(3), at(5)}, Last: 6}
	for version, want := range map[uint64]uint64{1: 0, 3: 4, 5: 5} {
		if got := find.Explainable(root.FS, whole)(version); got != want {
			t.Errorf("version %d is explained in %d, want %d", version, got, want)
		}
	}
	if got := find.Explainable(root.FS, &history.Path{Steps: whole.Steps[:1], Last: 6})(1); got != 4 {
		t.Errorf("the last step is explained in %d, want 4", got)
	}
	if got := find.Explainable(root.FS, &history.Path{Steps: whole.Steps[:2]})(3); got != 0 {
		t.Errorf("the last step of a range that ends earlier is explained in %d", got)
	}
}
