package raw_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// between reads a range: the cycles that came, and how many errors.
func between(t testing.TB, fsys durable.FS, from, to layout.CycleID) (ids []layout.CycleID, damaged int) {
	t.Helper()
	for a, err := range raw.Between(fsys, from, to) {
		if err != nil {
			if !errors.Is(err, raw.ErrCorrupt) {
				t.Error(err)
			}
			damaged++
			continue
		}
		for _, r := range a.Responses() {
			if _, err := a.Body(r); err != nil {
				damaged++
				break
			}
		}
		ids = append(ids, a.Cycle().CycleID)
	}
	return ids, damaged
}

// A range holds the same cycles before and after they were rolled up, and while
// a run that rolls up was killed.
func TestBetween(t *testing.T) {
	mem, good, damaged, _, now := hours(t)
	first, all := good[0], append(slices.Clone(good), damaged, now)
	slices.Sort(all)
	check := func(when string, from, to layout.CycleID) {
		t.Helper()
		var want []layout.CycleID
		bad := 0
		for _, id := range all {
			if from <= id && id <= to {
				want = append(want, id)
				if id == damaged {
					bad++
				}
			}
		}
		ids, got := between(t, mem, from, to)
		if diff := cmp.Diff(want, ids); diff != "" || got != bad {
			t.Errorf("%s, %s to %s: %d damaged, %s", when, from, to, got, diff)
		}
	}
	for _, when := range []string{"in folders", "rolled up", "half rolled up"} {
		for _, from := range all {
			for _, to := range all {
				check(when, from, to)
			}
		}
		switch when {
		case "in folders":
			_, err := raw.Roll(mem, now)
			must(t, err)
		case "rolled up":
			must(t, mem.RemoveAll(layout.Cycle(layout.RawDir, first)))
			tickAt(t, mem, 0, nil)
		}
	}
	for a, err := range raw.Between(mem, first, now) {
		must(t, err)
		if a.Cycle().CycleID != first {
			t.Errorf("went on to %s", a.Cycle().CycleID)
		}
		break
	}
	if ids, _ := between(t, mem, layout.NewCycleID(start.Add(-time.Hour), "market_engine"), layout.NewCycleID(start.Add(-time.Minute), "market_engine")); len(ids) > 0 {
		t.Errorf("before the first: %v", ids)
	}
}

// A pack that is torn is an error, and what comes after it follows.
func TestBetweenOverDamage(t *testing.T) {
	mem, good, _, _, now := hours(t)
	_, err := raw.Roll(mem, now)
	must(t, err)
	pack := layout.RawPack(good[2])
	must(t, mem.Remove(pack))
	must(t, durable.Create(mem, pack, durable.Bytes([]byte("torn"))))
	ids, damaged := between(t, mem, good[2], now)
	if damaged != 1 || !slices.Equal(ids, []layout.CycleID{now}) {
		t.Errorf("%d damaged, %v", damaged, ids)
	}
}
