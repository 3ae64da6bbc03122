package layout_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/publish/layout"
)

// Every name parses to its parts, and names sort as their parts do.
func TestNamesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		second := rapid.Int64Range(0, 4e9)
		a, b := time.Unix(second.Draw(t, "a"), 0).UTC(), time.Unix(second.Draw(t, "b"), 0).UTC()
		cycle, other := layout.NewCycleID(a, "market_engine"), layout.NewCycleID(b, "market_engine")
		if at, product, err := layout.ParseCycleID(string(cycle)); err != nil || !at.Equal(a) || product != "market_engine" {
			t.Errorf("%s: %v %s %v", cycle, at, product, err)
		}
		if (cycle < other) != a.Before(b) {
			t.Errorf("%s and %s do not sort as their times", cycle, other)
		}
		if got, ok := layout.ParseCycleDir(path.Base(layout.Cycle(layout.RawDir, cycle))); !ok || got != cycle {
			t.Errorf("%s: %s %v", cycle, got, ok)
		}
		n, m := rapid.Uint64Min(1).Draw(t, "n"), rapid.Uint64Min(1).Draw(t, "m")
		if got, ok := layout.ParseCommit(path.Base(layout.Commit(n))); !ok || got != n {
			t.Errorf("commit %d: %d %v", n, got, ok)
		}
		if (layout.Commit(n) < layout.Commit(m)) != (n < m) {
			t.Errorf("commits %d and %d do not sort", n, m)
		}
		low, high := min(n, m), max(n, m)
		first, last, ok := layout.ParseSegment(path.Base(layout.Segment(layout.ChangesDir, low, high, cycle)))
		if !ok || first != low || last != high {
			t.Errorf("segment %d-%d: %d-%d %v", low, high, first, last, ok)
		}
	})
}

func TestNamesThatAreNone(t *testing.T) {
	for _, s := range []string{"", "20261120T090700Z", "20261320T090700Z-market_engine", "20261120T090700Z-Market", "x20261120T090700Z-a", "20261120T090700Z-a/.."} {
		if _, _, err := layout.ParseCycleID(s); err == nil {
			t.Errorf("cycle %q was taken", s)
		}
	}
	for _, s := range []string{"", "1.json", "00000000000000000000.json", "0000000000000000000x.json", "00000000000000000001.json.tmp0", "99999999999999999999.json"} {
		if _, ok := layout.ParseCommit(s); ok {
			t.Errorf("commit %q was taken", s)
		}
	}
	for _, s := range []string{"", strings.Repeat("0", 60) + ".parquet", "00000000000000000002-00000000000000000001-c.parquet", "00000000000000000001-00000000000000000002-c.json"} {
		if _, _, ok := layout.ParseSegment(s); ok {
			t.Errorf("segment %q was taken", s)
		}
	}
	for _, id := range []string{"", "-a", "A", "a b", "../a", "a/b", "a.b", strings.Repeat("a", 64), "é"} {
		if layout.ValidTenantID(id) {
			t.Errorf("account %q was taken", id)
		}
	}
	if !layout.ValidTenantID("acme-1_x") {
		t.Error("account acme-1_x was refused")
	}
}
