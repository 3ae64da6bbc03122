package layout_test

import (
	"strings"
	"testing"

	"mkt/publish/layout"
)

// FuzzNames checks that formatting the parts of a parsed name gives the name again, and
// that no name leaves its folder.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"20261120T090700Z-market_engine", "cycle=20261120T090700Z-market_engine", "00000000000000000042.json",
		"00000000000000000001-00000000000000000009-20261120T090700Z-market_engine.parquet", "from=20261120T0900.tar.zst", "acme", "../..", "cycle=../x",
		"20261320T090700Z-x", "from=20261120T0907.tar.zst"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if at, product, err := layout.ParseCycleID(s); err == nil {
			if got := layout.NewCycleID(at, product); string(got) != s {
				t.Errorf("cycle %q is written %q", s, got)
			}
			if strings.ContainsAny(s, "/\\.\x00") || layout.HourOf(layout.CycleID(s)) == "" || layout.RawPack(layout.CycleID(s)) == "" {
				t.Errorf("cycle %q", s)
			}
		}
		if id, ok := layout.ParseCycleDir(s); ok && "cycle="+string(id) != s {
			t.Errorf("folder %q is of %q", s, id)
		}
		if n, ok := layout.ParseCommit(s); ok && layout.Commit(n) != layout.CommitsDir+"/"+s {
			t.Errorf("commit %q is %d", s, n)
		}
		if first, last, ok := layout.ParseSegment(s); ok && (first == 0 || last < first) {
			t.Errorf("segment %q: %d to %d", s, first, last)
		}
		if until, ok := layout.ParseRawPack(s); ok && (until.IsZero() || strings.Contains(s, "/")) {
			t.Errorf("pack %q until %v", s, until)
		}
		if layout.ValidTenantID(s) && (strings.ContainsAny(s, "/\\.\x00 ") || len(s) > 63) {
			t.Errorf("tenant %q", s)
		}
	})
}
