package publish_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

var update = flag.Bool("update", false, "write what this version writes to testdata/backcompat")

// A root of every released version stays readable.
func TestOldRootsStayReadable(t *testing.T) {
	const newest = "testdata/backcompat/1"
	if *update {
		must(t, os.RemoveAll(newest))
		disk, err := durable.OpenRoot(newest)
		must(t, err)
		publishCycle(t, disk, cycle{number: 1, refreshed: []int{1, 2}})
		publishCycle(t, disk, cycle{number: 2, refreshed: []int{1}, failed: []int{2}})
		must(t, os.RemoveAll(filepath.Join(newest, layout.CanonicalDir)))
	}
	roots, err := fs.Glob(os.DirFS("testdata/backcompat"), "*")
	must(t, err)
	for _, version := range roots {
		disk, err := durable.OpenExisting("testdata/backcompat/" + version)
		must(t, err)
		d, err := look(disk)
		must(t, err)
		if diff := cmp.Diff(map[int]int{1: 2, 2: 1}, d.fixtures); diff != "" || eventText(d.events) != "1+1 2+2 3+1" {
			t.Errorf("format %s: %s, events %s", version, diff, eventText(d.events))
		}
	}
	if len(roots) == 0 {
		t.Error("no old root to read")
	}
}
