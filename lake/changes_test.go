package lake

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	icetable "github.com/apache/iceberg-go/table"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// TestCompactedChanges: the events of publications whose segments retention compacted or
// deleted are read from the compacted one, or reported as incomplete.
func TestCompactedChanges(t *testing.T) {
	root, lake := copyOf(t, dataRoot(t, 4)), t.TempDir()
	disk, err := durable.OpenExisting(productDir(root, football.MarketEngine))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	var commits []snapshot.Commit
	var segments []snapshot.Segment
	for v := uint64(1); v <= 4; v++ {
		c, err := snapshot.ReadCommit(disk, v)
		if err != nil {
			t.Fatal(err)
		}
		if c.Segment == nil {
			t.Fatal("a publication has no events")
		}
		commits, segments = append(commits, c), append(segments, *c.Segment)
	}
	// The first two become one, as in publish/retention; the third is deleted.
	one := snapshot.Segment{First: segments[0].First, Last: segments[1].Last, At: segments[1].At, Cycles: 2}
	one.File = layout.Segment(layout.ChangesDir, one.First, one.Last, commits[3].CycleID)
	file, err := snapshot.CreateFile(disk, layout.ChangesDir, filepath.Base(one.File), func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](out, table.Header{ClientID: "acme"})
		for row, err := range snapshot.Events(disk, snapshot.Manifest{Changes: segments[:2]}, 0) {
			if err != nil {
				return err
			}
			if err := w.Write(*row); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	one.Bytes, one.SHA256 = file.Bytes, file.SHA256
	for _, s := range segments[:3] {
		if err := os.Remove(filepath.Join(productDir(root, football.MarketEngine), s.File)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"metadata", "data"} {
		if err := os.MkdirAll(filepath.Join(lake, "acme", "changes", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := openCatalog(lake, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &syncer{Options: Options{Root: disk}}
	if s.changes, err = openTable[account, table.EventRow](t.Context(), c, lake, icetable.Identifier{"acme", "changes"}); err != nil {
		t.Fatal(err)
	}
	s.changes.begin(1)
	for i, window := range [][]snapshot.Segment{{one, segments[3]}, {one, segments[3]}, {segments[3]}, {segments[3]}} {
		s.head.Changes = window
		complete, err := s.writeChanges(account{"acme", "market_engine", int64(i + 1)}, commits[i])
		if want := i != 2; err != nil || complete != want {
			t.Errorf("publication %d: complete %t, %v", i+1, complete, err)
		}
	}
	if _, err := s.changes.commit(t.Context(), map[string]string{propVersion: "4"}); err != nil {
		t.Fatal(err)
	}
	rows := byLibrary(t, lake, "changes")
	for i, segment := range segments {
		want := int(segment.Last - segment.First + 1)
		if i == 2 {
			want = 0
		}
		if got := ofVersion(rows, i+1); len(got) != want || slices.ContainsFunc(got, func(r values) bool { return r["cycle_id"] != string(commits[i].CycleID) }) {
			t.Errorf("publication %d: %d events, want %d", i+1, len(got), want)
		}
	}
}
