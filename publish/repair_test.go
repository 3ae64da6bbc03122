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

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// threePublications is a root with three publications. The fourth cycle would carry over from the
// third, which carried over from the second.
func threePublications(t testing.TB) *durabletest.Mem {
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

// replace sets the content of a file; nil removes it.
func replace(t testing.TB, f durable.FS, name string, content []byte) {
	t.Helper()
	must(t, f.Remove(name))
	if content != nil {
		must(t, durable.Create(f, name, durable.Bytes(content)))
	}
}

var damages = map[string][]byte{"missing": nil, "empty": {}, "garbage": []byte("PAR1 garbage PAR1")}

// A damaged file of the newest publication stops the next one, which names it and the
// command that repairs it. Once it is repaired byte for byte, the next publication is as
// if nothing had been damaged.
func TestDamageIsRepaired(t *testing.T) {
	t.Parallel()
	base := threePublications(t)
	want := base.PowerCut(1, 0)
	_, err := publishNext(want)
	must(t, err)
	kept := []string{layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir}
	for _, names := range [][]string{
		{published(3) + "/" + layout.FixturesFile},
		{published(3) + "/" + layout.MarketsFile},
		{published(3) + "/" + layout.ManifestFile},
		{published(3) + "/" + layout.ManifestFile, published(3) + "/" + layout.FixturesFile, published(3) + "/" + layout.MarketsFile},
		{published(3) + "/" + layout.MarketsFile, published(2) + "/" + layout.MarketsFile, published(2) + "/" + layout.ManifestFile},
	} {
		for how, content := range damages {
			f := base.PowerCut(1, 0)
			for _, name := range names {
				replace(t, f, name, content)
			}
			before := files(t, f, kept...)
			_, err := publishNext(f)
			checkStopped(t, err, names[0])
			if state, err := health.Read(f, "publish"); err != nil || state.Code != health.CodeSnapshotDamaged {
				t.Errorf("%v %s: state %+v, %v", names, how, state, err)
			}
			if diff := diffFiles(before, files(t, f, kept...)); diff != "" {
				t.Errorf("%v %s: the run that stopped changed %s", names, how, diff)
			}
			repairAll(t, f)
			if _, err = publishNext(f); err != nil {
				t.Errorf("%v %s: %v", names, how, err)
				continue
			}
			if diff := diffFiles(files(t, want, kept...), files(t, f, kept...)); diff != "" {
				t.Errorf("%v %s: %s", names, how, diff)
			}
			if exists(t, f, layout.StagingDir+"/run-4") || exists(t, f, layout.StagingDir+"/repair") {
				t.Errorf("%v %s: staging was left behind", names, how)
			}
		}
	}
}

func checkStopped(t *testing.T, err error, file string) {
	t.Helper()
	var damage *snapshot.DamageError
	if !errors.As(err, &damage) || damage.File != file || !strings.Contains(err.Error(), file) ||
		!strings.HasSuffix(err.Error(), ": repair it with mkt recover --tenant acme --product market_engine") {
		t.Errorf("not stopped at %s: %v", file, err)
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

// A file that cannot be rebuilt is reported and left as it is, and nothing is published
// on it.
func TestUnrepairableDamage(t *testing.T) {
	for name, gone := range map[string]string{
		"without the canonical cycle":                layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id()),
		"without the publication before":             published(2) + "/" + layout.MarketsFile,
		"and without what that was made from":        layout.Cycle(layout.CanonicalDir, cycle{number: 2}.id()),
		"with a damaged file of the canonical cycle": layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id()) + "/" + layout.ListingFile,
	} {
		f := threePublications(t)
		must(t, f.RemoveAll(gone))
		if !strings.HasPrefix(gone, layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id())) {
			must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 2}.id())))
			must(t, f.RemoveAll(published(2)))
		}
		damaged := published(3) + "/" + layout.MarketsFile
		replace(t, f, damaged, []byte("PAR1"))
		done := repairAll(t, f)
		if len(done.Unrepairable) == 0 {
			t.Errorf("%s: %+v", name, done)
			continue
		}
		err := done.Unrepairable[0]
		if !errors.Is(err, repair.ErrUnrepairable) || !strings.Contains(err.Error(), damaged) || !strings.HasSuffix(err.Error(), ": mkt recover --new-history --tenant acme --product market_engine") {
			t.Errorf("%s: %v", name, err)
		}
		_, err = publishNext(f)
		checkStopped(t, err, damaged)
		if exists(t, f, layout.Commit(4)) {
			t.Errorf("%s: published", name)
		}
	}
}

// Publications with held listings, removals or accepted removals are rebuilt as they were. A
// manifest of an older version records neither accepted removals nor what a listing lost.
func TestRepairKnowsWhatWasHeld(t *testing.T) {
	for _, which := range []string{"held", "accepted", "accepted by an older version", "lost", "lost in an older version"} {
		f := durabletest.NewMem()
		publishCycle(t, f, cycle{number: 1, refreshed: upTo(60)})
		c := cycle{number: 2, refreshed: upTo(10)}
		if strings.HasPrefix(which, "lost") {
			c.refreshed = upTo(55)
		}
		c.transform(t, f)
		o := options(f, c, "run-2")
		o.AcceptRemovals = strings.HasPrefix(which, "accepted")
		_, err := publish.Run(context.Background(), o)
		must(t, err)
		if strings.HasSuffix(which, "older version") {
			rewriteNewest(t, f, func(_ string, m *snapshot.Manifest) { m.AcceptRemovals, m.Losses = false, nil })
		}
		want := files(t, f, published(2))
		for _, damaged := range [][]string{{layout.FixturesFile}, {layout.FixturesFile, layout.ManifestFile}} {
			for _, name := range damaged {
				replace(t, f, published(2)+"/"+name, []byte("PAR1"))
			}
			repairAll(t, f)
			if diff := diffFiles(want, files(t, f, published(2))); diff != "" {
				t.Errorf("%s: %v: %s", which, damaged, diff)
			}
		}
		head, _, err := snapshot.Last(f)
		must(t, err)
		all, err := repair.Differences(context.Background(), options(f, c, "compare"), head)
		if err != nil || len(all) > 0 {
			t.Errorf("%s: %v, %v", which, all, err)
		}
		manifest, err := durable.ReadFile(f, published(2)+"/"+layout.ManifestFile, 1<<20)
		must(t, err)
		if got := strings.Contains(string(manifest), "accept_removals"); got != (which == "accepted") {
			t.Errorf("%s: accept_removals in the manifest: %v", which, got)
		}
	}
}

// P1 and P2 for repair: after a kill or power cut anywhere, the next run repairs.
func TestRepairKilledAnywhere(t *testing.T) {
	t.Parallel()
	base := threePublications(t)
	want := files(t, base, published(3))
	for _, name := range []string{layout.MarketsFile, layout.ManifestFile} {
		replace(t, base, published(3)+"/"+name, []byte("PAR1"))
	}
	for k := 1; ; k += 3 * stride() {
		f := base.PowerCut(1, 0)
		_, err := repair.Run(context.Background(), options(durabletest.Wrap(f, durabletest.KillAt(k)), wornNext, "killed"))
		for _, keep := range []float64{0, 0.5, 1} {
			cut := f.PowerCut(keep, uint64(k))
			repairAll(t, cut)
			if diff := diffFiles(want, files(t, cut, published(3))); diff != "" {
				t.Fatalf("killed at %d (%v), %v kept: %s", k, err, keep, diff)
			}
		}
		if err == nil {
			return
		}
	}
}

// All damaged files that are kept are repaired, also segments and older publications.
// Those that cannot be rebuilt are named, and do not stop the others.
func TestRepairAll(t *testing.T) {
	t.Parallel()
	base := threePublications(t)
	_, err := publishNext(base)
	must(t, err)
	want := files(t, base, layout.SnapshotsDir, layout.ChangesDir)
	for how, content := range damages {
		for name := range want {
			f := base.PowerCut(1, 0)
			replace(t, f, name, content)
			replace(t, f, layout.Current, []byte("garbage"))
			done := repairAll(t, f)
			if diff := diffFiles(want, files(t, f, layout.SnapshotsDir, layout.ChangesDir)); diff != "" {
				t.Errorf("%s %s: %s; %v", name, how, diff, done.Unrepairable)
			}
			if len(done.Repaired) != 1 || done.Repaired[0] != name || done.Checked != 4 || done.Version != 4 || len(done.Unrepairable) > 0 {
				t.Errorf("%s %s: %+v", name, how, done)
			}
			if second := repairAll(t, f); len(second.Repaired) > 0 {
				t.Errorf("%s %s: repaired twice: %v", name, how, second.Repaired)
			}
		}
	}
	f := base.PowerCut(1, 0)
	must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id())))
	replace(t, f, published(3)+"/"+layout.MarketsFile, nil)
	replace(t, f, published(2)+"/"+layout.MarketsFile, nil)
	done := repairAll(t, f)
	if len(done.Unrepairable) != 1 || !errors.Is(done.Unrepairable[0], repair.ErrUnrepairable) || len(done.Repaired) != 1 || done.Repaired[0] != published(2)+"/"+layout.MarketsFile {
		t.Errorf("%+v", done)
	}
}

// A publication whose folder is lost is rebuilt like any damaged one; those that
// retention deleted are not missed.
func TestRepairOfALostFolder(t *testing.T) {
	f := threePublications(t)
	_, err := publishNext(f)
	must(t, err)
	want := files(t, f, layout.SnapshotsDir)
	must(t, f.RemoveAll(published(2)))
	done := repairAll(t, f)
	if diff := diffFiles(want, files(t, f, layout.SnapshotsDir)); diff != "" || len(done.Repaired) != 3 || done.Checked != 4 || len(done.Unrepairable) > 0 {
		t.Errorf("%s; %+v", diff, done)
	}
	g := durabletest.NewMem()
	publishDaily(t, g, 6)
	collect(t, g, 6, retention.Policy{Snapshots: 3, SnapshotAge: time.Hour})
	if done := repairAll(t, g); done.Checked != 3 || len(done.Repaired)+len(done.Unrepairable) > 0 {
		t.Errorf("after retention: %+v", done)
	}
}

// rewriteNewest publishes the newest version again with a changed manifest and folder.
func rewriteNewest(t testing.TB, f durable.FS, change func(dir string, m *snapshot.Manifest)) {
	t.Helper()
	c, _, err := snapshot.Head(f)
	must(t, err)
	m, err := snapshot.Open(f, c)
	must(t, err)
	change(c.Dir(), &m)
	for _, name := range []string{c.Dir() + "/" + layout.ManifestFile, layout.Commit(c.Version)} {
		must(t, f.Remove(name))
	}
	c.ManifestSHA256, err = snapshot.CreateManifest(f, c.Dir(), m)
	must(t, err)
	_, err = snapshot.Seal(f, c, layout.StagingDir+"/commit.json")
	must(t, err)
	must(t, f.Remove(layout.StagingDir+"/commit.json"))
}

// otherBuild writes the markets of the newest publication as another version of the
// Parquet library might: the same rows in other bytes.
func otherBuild(t testing.TB, f durable.FS) {
	t.Helper()
	rewriteNewest(t, f, func(dir string, m *snapshot.Manifest) {
		var rows []table.MarketRow
		must(t, eachRow(f, dir+"/"+layout.MarketsFile, func(row *table.MarketRow) error {
			rows = append(rows, *row)
			return nil
		}))
		digest, sealed := m.Tables["markets"].Digest, m.Files
		must(t, f.Remove(dir+"/"+layout.MarketsFile))
		m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(file snapshot.File) bool { return file.Name == layout.MarketsFile })
		writeTable(t, f, dir, layout.MarketsFile, "markets", m, rows)
		if got := m.Files[len(m.Files)-1]; slices.Contains(sealed, got) || m.Tables["markets"].Digest != digest {
			t.Fatalf("not the same rows in other bytes: %+v of %+v", got, sealed)
		}
	})
}

// A file that can only be rebuilt in other bytes stays damaged and is reported; what
// depends on its rows is rebuilt.
func TestRepairOfAnotherBuild(t *testing.T) {
	f := threePublications(t)
	otherBuild(t, f)
	_, err := publishNext(f)
	must(t, err)
	damaged := published(3) + "/" + layout.MarketsFile
	replace(t, f, damaged, []byte("PAR1"))
	next := published(4) + "/" + layout.MarketsFile
	replace(t, f, next, []byte("PAR1"))
	done := repairAll(t, f)
	if !slices.Equal(done.Repaired, []string{next}) || len(done.Unrepairable) != 1 || !strings.Contains(done.Unrepairable[0].Error(), damaged) {
		t.Errorf("%+v", done)
	}
}

func repairAll(t testing.TB, f durable.FS) repair.Result {
	t.Helper()
	done, err := repair.Run(context.Background(), options(f, wornNext, "repair"))
	must(t, err)
	return done
}
