package snapshot_test

import (
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// A copy that was interrupted begins again, also if a disk that lost a write has left half of its staged record.
func TestCopyBeginsAgain(t *testing.T) {
	from := durabletest.NewMem()
	c, _ := publication(t, from, 1, snapshot.Commit{}, nil)
	record, err := durable.ReadFile(from, layout.Commit(1), 1<<20)
	must(t, err)
	to := durabletest.NewMem()
	must(t, durable.MkdirAllSync(to, layout.StagingDir))
	must(t, snapshot.BeginCopy(to, c, record))
	names, err := to.ReadDir(layout.StagingDir)
	must(t, err)
	if len(names) != 1 || !to.Flip(layout.StagingDir+"/"+names[0].Name(), len(record)/2) {
		t.Fatalf("staged: %v", names)
	}
	for range 2 {
		must(t, snapshot.BeginCopy(to, c, record))
		if list, err := snapshot.Copies(to); err != nil || len(list) != 1 || list[0].ManifestSHA256 != c.ManifestSHA256 {
			t.Errorf("copies: %+v, %v", list, err)
		}
	}
}
