package publish_test

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// D1 for this package: whatever part of a publication is damaged, a reader gets the
// newest dataset, the one before it, or an error, and never a wrong dataset.
func TestDamageIsNeverServed(t *testing.T) {
	t.Parallel()
	base := durabletest.NewMem()
	publishCycle(t, base, cycle{number: 1, refreshed: []int{1, 2}})
	publishCycle(t, base, cycle{number: 2, refreshed: []int{1, 3}, partly: true})
	datasets := map[uint64]map[int]int{1: {1: 1, 2: 1}, 2: {1: 2, 2: 1, 3: 2}}
	events := map[uint64]string{1: "1+1 2+2", 2: "1+1 2+2 3+1 4+3"}
	var files []string
	for _, dir := range []string{".", layout.CommitsDir, layout.ChangesDir, layout.Cycle(layout.SnapshotsDir, cycle{number: 1}.id()), layout.Cycle(layout.SnapshotsDir, cycle{number: 2}.id())} {
		for _, name := range list(t, base, dir) {
			if info, err := base.Stat(dir + "/" + name); err == nil && info.Mode().IsRegular() {
				files = append(files, dir+"/"+name)
			}
		}
	}
	files = append(files, layout.Current)
	mutants := 1000
	if testing.Short() {
		mutants = 100
	}
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for i := range mutants {
		f := base.PowerCut(1, 0)
		name := files[random.IntN(len(files))]
		how := mutate(t, f, name, random)
		d, err := look(f)
		if err != nil {
			refused++
			continue
		}
		if diff := cmp.Diff(datasets[d.commit.Version], d.fixtures); diff != "" || eventText(d.events) != events[d.commit.Version] {
			t.Fatalf("mutant %d (%s %s): version %d: %s %s", i, name, how, d.commit.Version, diff, eventText(d.events))
		}
	}
	t.Logf("%d mutants, %d refused", mutants, refused)
}

// mutate damages one file as disks and people do.
func mutate(t testing.TB, f durable.FS, name string, random *rand.Rand) string {
	t.Helper()
	data, err := durable.ReadFile(f, name, 1<<20)
	must(t, err)
	must(t, f.Remove(name))
	at := random.IntN(len(data))
	var how string
	switch random.IntN(5) {
	case 0:
		return "removed"
	case 1:
		how, data = fmt.Sprint("cut at ", at), data[:at]
	case 2:
		how = fmt.Sprint("zeroed from ", at)
		clear(data[at:min(at+512, len(data))])
	case 3:
		how = fmt.Sprint("bit flipped at ", at)
		data[at] ^= 1 << random.IntN(8)
	case 4:
		how, data = "doubled", append(data, data...)
	}
	must(t, durable.Create(f, name, durable.Bytes(data)))
	return how
}

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
