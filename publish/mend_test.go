package publish_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// worn is a root with three publications, where the fourth cycle carries over from
// the third, and the third from the second.
func worn(t testing.TB) *durabletest.Mem {
	t.Helper()
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1, 2, 3}})
	publishCycle(t, f, cycle{number: 2, refreshed: []int{1, 4}, failed: []int{2, 3}})
	publishCycle(t, f, cycle{number: 3, refreshed: []int{2}, failed: []int{1, 4}})
	wornNext.transform(t, f)
	return f
}

var wornNext = cycle{number: 4, refreshed: []int{4}, failed: []int{1, 2}}

func published(n int) string { return layout.Cycle(layout.SnapshotsDir, cycle{number: n}.id()) }

func publishNext(f durable.FS) (publish.Summary, error) {
	return publish.Run(context.Background(), options(f, wornNext, "run-4"))
}

// files are every file below some folders, with their hashes.
func files(t testing.TB, f durable.FS, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		for _, base := range list(t, f, dir) {
			name := path.Join(dir, base)
			info, err := f.Stat(name)
			must(t, err)
			if info.IsDir() {
				maps.Copy(all, files(t, f, name))
				continue
			}
			_, all[name], err = durable.HashFile(f, name)
			must(t, err)
		}
	}
	return all
}

// replace makes other bytes of a file; nil takes it away.
func replace(t testing.TB, f durable.FS, name string, content []byte) {
	t.Helper()
	must(t, f.Remove(name))
	if content != nil {
		must(t, durable.Create(f, name, durable.Bytes(content)))
	}
}

var damages = map[string][]byte{"missing": nil, "empty": {}, "garbage": []byte("PAR1 garbage PAR1")}

// A damaged file of what is published is made again, byte for byte, and the next
// publication is the one that it would have been.
func TestDamageIsMended(t *testing.T) {
	t.Parallel()
	base := worn(t)
	want := base.PowerCut(1, 0)
	_, err := publishNext(want)
	must(t, err)
	kept := []string{layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir}
	for _, names := range [][]string{
		{published(3) + "/" + layout.FixturesFile},
		{published(3) + "/" + layout.MarketsFile},
		{published(3) + "/" + layout.ManifestFile},
		{published(3) + "/" + layout.FixturesFile, published(3) + "/" + layout.MarketsFile, published(3) + "/" + layout.ManifestFile},
		{published(3) + "/" + layout.MarketsFile, published(2) + "/" + layout.MarketsFile, published(2) + "/" + layout.ManifestFile},
	} {
		for how, content := range damages {
			f := base.PowerCut(1, 0)
			for _, name := range names {
				replace(t, f, name, content)
			}
			_, err := publishNext(f)
			if err != nil {
				t.Errorf("%v %s: %v", names, how, err)
				continue
			}
			if diff := diffFiles(files(t, want, kept...), files(t, f, kept...)); diff != "" {
				t.Errorf("%v %s: %s", names, how, diff)
			}
			if exists(t, f, layout.StagingDir+"/run-4") {
				t.Errorf("%v %s: staging was left behind", names, how)
			}
		}
	}
}

func diffFiles(want, got map[string]string) string {
	var all []string
	for name, sum := range want {
		if got[name] != sum {
			all = append(all, fmt.Sprintf("%s is %.8q", name, got[name]))
		}
	}
	for name := range got {
		if want[name] == "" {
			all = append(all, name+" is too much")
		}
	}
	return strings.Join(all, ", ")
}

// What cannot be made again stops the stage: nothing is invented, and the message
// and the state say what to do.
func TestDamageBeyondMending(t *testing.T) {
	for name, gone := range map[string]string{
		"without the canonical cycle":     layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id()),
		"without the publication before":  published(2) + "/" + layout.MarketsFile,
		"and without what that was of":    layout.Cycle(layout.CanonicalDir, cycle{number: 2}.id()),
		"with the canonical one damaged ": layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id()) + "/" + layout.ListingFile,
	} {
		f := worn(t)
		must(t, f.RemoveAll(gone))
		if !strings.HasPrefix(gone, layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id())) {
			must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 2}.id())))
			must(t, f.RemoveAll(published(2)))
		}
		damaged := published(3) + "/" + layout.MarketsFile
		replace(t, f, damaged, []byte("PAR1"))
		_, err := publishNext(f)
		if !errors.Is(err, publish.ErrBeyondMending) || !strings.Contains(err.Error(), damaged) || !strings.Contains(err.Error(), "mkt recover") {
			t.Errorf("%s: %v", name, err)
		}
		state, err := health.Read(f, "publish")
		must(t, err)
		if state.Code != "SNAPSHOT_DAMAGED" || exists(t, f, layout.Commit(4)) {
			t.Errorf("%s: state %+v", name, state)
		}
	}
}

// Listings that were held, and removals that were accepted by hand, are made
// again as they were.
func TestMendingKnowsWhatWasHeld(t *testing.T) {
	for _, accept := range []bool{false, true} {
		f := durabletest.NewMem()
		publishCycle(t, f, cycle{number: 1, refreshed: upTo(60)})
		c := cycle{number: 2, refreshed: upTo(10)}
		c.transform(t, f)
		o := options(f, c, "run-2")
		o.AcceptRemovals = accept
		_, err := publish.Run(context.Background(), o)
		must(t, err)
		want := files(t, f, published(2))
		for _, name := range []string{layout.FixturesFile, layout.ManifestFile} {
			replace(t, f, published(2)+"/"+name, []byte("PAR1"))
		}
		publishCycle(t, f, cycle{number: 3, refreshed: []int{1}, partly: true})
		if diff := diffFiles(want, files(t, f, published(2))); diff != "" {
			t.Errorf("accepted %v: %s", accept, diff)
		}
	}
}

// P1 and P2 for mending: killed or without power anywhere, the next run mends.
func TestMendingKilledAnywhere(t *testing.T) {
	t.Parallel()
	base := worn(t)
	want := base.PowerCut(1, 0)
	_, err := publishNext(want)
	must(t, err)
	for _, name := range []string{layout.MarketsFile, layout.ManifestFile} {
		replace(t, base, published(3)+"/"+name, nil)
		must(t, durable.Create(base, published(3)+"/"+name, durable.Bytes([]byte("PAR1"))))
	}
	head, _, err := snapshot.Head(want)
	must(t, err)
	for k := 1; ; k += 3 * stride() {
		f := base.PowerCut(1, 0)
		_, err := publishNext(durabletest.Wrap(f, durabletest.KillAt(k)))
		for _, keep := range []float64{0, 0.5, 1} {
			cut := f.PowerCut(keep, uint64(k))
			_, e := publish.Run(context.Background(), options(cut, wornNext, "run-after"))
			must(t, e)
			d, e := look(cut)
			if e != nil || d.commit.ManifestSHA256 != head.ManifestSHA256 {
				t.Fatalf("killed at %d (%v), %v kept: %v", k, err, keep, e)
			}
		}
		if err == nil {
			return
		}
	}
}

// Whatever was kept and is damaged is put back by Mend, segments and older
// publications too; what cannot be is named, and the rest mended all the same.
func TestMendAll(t *testing.T) {
	t.Parallel()
	base := worn(t)
	_, err := publishNext(base)
	must(t, err)
	want := files(t, base, layout.SnapshotsDir, layout.ChangesDir)
	for how, content := range damages {
		for name := range want {
			f := base.PowerCut(1, 0)
			replace(t, f, name, content)
			replace(t, f, layout.Current, []byte("garbage"))
			done := mendAll(t, f)
			if diff := diffFiles(want, files(t, f, layout.SnapshotsDir, layout.ChangesDir)); diff != "" {
				t.Errorf("%s %s: %s; %v", name, how, diff, done.Lost)
			}
			if len(done.Files) != 1 || done.Files[0] != name || done.Checked != 4 || done.Version != 4 || len(done.Lost) > 0 {
				t.Errorf("%s %s: %+v", name, how, done)
			}
			if again := mendAll(t, f); len(again.Files) > 0 {
				t.Errorf("%s %s: mended twice: %v", name, how, again.Files)
			}
		}
	}
	f := base.PowerCut(1, 0)
	must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id())))
	replace(t, f, published(3)+"/"+layout.MarketsFile, nil)
	replace(t, f, published(2)+"/"+layout.MarketsFile, nil)
	done := mendAll(t, f)
	if len(done.Lost) != 1 || !errors.Is(done.Lost[0], publish.ErrBeyondMending) || len(done.Files) != 1 || done.Files[0] != published(2)+"/"+layout.MarketsFile {
		t.Errorf("%+v", done)
	}
}

// A publication whose whole folder is lost is made again like any damaged one; one
// that retention let go of is not looked for.
func TestMendOfALostFolder(t *testing.T) {
	f := worn(t)
	_, err := publishNext(f)
	must(t, err)
	want := files(t, f, layout.SnapshotsDir)
	must(t, f.RemoveAll(published(2)))
	done := mendAll(t, f)
	if diff := diffFiles(want, files(t, f, layout.SnapshotsDir)); diff != "" || len(done.Files) != 3 || done.Checked != 4 || len(done.Lost) > 0 {
		t.Errorf("%s; %+v", diff, done)
	}
	g := durabletest.NewMem()
	years(t, g, 6)
	collect(t, g, 6, publish.Retention{Snapshots: 3, SnapshotAge: time.Hour})
	if done := mendAll(t, g); done.Checked != 3 || len(done.Files)+len(done.Lost) > 0 {
		t.Errorf("after retention: %+v", done)
	}
}

// otherBuild writes the markets of the newest publication as another build of the
// Parquet library might have: the same rows in other bytes.
func otherBuild(t testing.TB, f durable.FS) {
	t.Helper()
	c, _, err := snapshot.Head(f)
	must(t, err)
	m, err := snapshot.Open(f, c)
	must(t, err)
	var rows []table.MarketRow
	must(t, eachRow(f, c.Dir()+"/"+layout.MarketsFile, func(row *table.MarketRow) error {
		rows = append(rows, *row)
		return nil
	}))
	digest, sealed := m.Tables["markets"].Digest, m.Files
	for _, name := range []string{c.Dir() + "/" + layout.MarketsFile, c.Dir() + "/" + layout.ManifestFile, layout.Commit(c.Version)} {
		must(t, f.Remove(name))
	}
	m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(file snapshot.File) bool { return file.Name == layout.MarketsFile })
	writeTable(t, f, c.Dir(), layout.MarketsFile, "markets", &m, rows)
	if got := m.Files[len(m.Files)-1]; slices.Contains(sealed, got) || m.Tables["markets"].Digest != digest {
		t.Fatalf("not the same rows in other bytes: %+v of %+v", got, sealed)
	}
	c.ManifestSHA256, err = snapshot.CreateManifest(f, c.Dir(), m)
	must(t, err)
	_, err = snapshot.Seal(f, c, layout.StagingDir+"/commit.json")
	must(t, err)
}

// Rows that only come back in other bytes are built upon, and Mend says that the
// file is still damaged.
func TestMendOfAnotherBuild(t *testing.T) {
	f := worn(t)
	want := f.PowerCut(1, 0)
	_, err := publishNext(want)
	must(t, err)
	otherBuild(t, f)
	damaged := published(3) + "/" + layout.MarketsFile
	replace(t, f, damaged, []byte("PAR1"))
	done := mendAll(t, f)
	if len(done.Files) > 0 || len(done.Lost) != 1 || !errors.Is(done.Lost[0], publish.ErrBeyondMending) || !strings.Contains(done.Lost[0].Error(), damaged) {
		t.Errorf("%+v", done)
	}
	_, err = publishNext(f)
	must(t, err)
	a, err := look(want)
	must(t, err)
	b, err := look(f)
	must(t, err)
	if diff := cmp.Diff(a.manifest.Tables, b.manifest.Tables); diff != "" {
		t.Error(diff)
	}
}

func mendAll(t testing.TB, f durable.FS) publish.Mended {
	t.Helper()
	done, err := publish.Mend(context.Background(), options(f, wornNext, "mend"))
	must(t, err)
	return done
}
