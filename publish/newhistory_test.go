package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/cluster/store"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

func newHistory(f durable.FS, at time.Time, run string) (publish.Summary, error) {
	o := options(f, cycle{number: 1}, run)
	o.Cycle, o.Now = "", func() time.Time { return at }
	return repair.NewHistory(context.Background(), o)
}

// seqs are the seqs of all events of a root, with their content as text.
func seqs(t *testing.T, f durable.FS) map[int64]string {
	t.Helper()
	d, err := look(f)
	must(t, err)
	all := map[int64]string{}
	for _, e := range d.events {
		all[e.Seq] = e.CycleID + e.FixtureID + e.Type
	}
	return all
}

// L3: a backup is restored repeatedly, and clients have seen more than it contains. No
// seq is ever used twice, and no cursor from before is accepted.
func TestRestoreOfAnOlderBackup(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1, 2}})
	publishCycle(t, f, cycle{number: 2, refreshed: []int{1, 3}})
	backup := f.PowerCut(1, 0)
	publishCycle(t, f, cycle{number: 3, refreshed: []int{1, 2, 3}})
	old, err := look(f)
	must(t, err)
	seen := seqs(t, f)
	cursors := []snapshot.Commit{old.commit}
	for n := 4; n < 9; n++ {
		root := backup.PowerCut(1, 0)
		dataset, err := look(root)
		must(t, err)
		s, err := newHistory(root, (cycle{number: n}).at(), fmt.Sprint("history-", n))
		must(t, err)
		d, err := look(root)
		must(t, err)
		if diff := cmp.Diff(dataset.fixtures, d.fixtures); diff != "" || len(d.events) != 0 {
			t.Fatalf("restore %d: %s, %d events", n, diff, len(d.events))
		}
		if d.commit.Version != 3 || d.commit.Republishes != 2 || s.Republishes != 2 || d.commit.FirstSeq != s.LastSeq+1 {
			t.Errorf("restore %d: %+v", n, d.commit)
		}
		publishCycle(t, root, cycle{number: n + 1, refreshed: []int{1, 2}})
		after, err := look(root)
		must(t, err)
		for _, was := range cursors {
			if was.HistoryID == after.commit.HistoryID || was.LastSeq+1 >= after.commit.FirstSeq {
				t.Errorf("restore %d: cursor at %d of %s fits into %+v of %s", n, was.LastSeq, was.HistoryID, after.commit.Window(), after.commit.HistoryID)
			}
		}
		for seq, what := range seqs(t, root) {
			if seen[seq] != "" {
				t.Errorf("restore %d: seq %d was %s, is %s", n, seq, seen[seq], what)
			}
			seen[seq] = what
		}
		cursors = append(cursors, after.commit)
	}
}

// A backup of a history that itself began with a restore is restored twice within days.
// Each time seq begins beyond what clients have seen.
func TestRestoreOfARestoreTwice(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1}})
	_, err := newHistory(f, cycle{number: 2}.at(), "history-2")
	must(t, err)
	seen := uint64(0)
	for n := 3; n < 9; n++ {
		root := f.PowerCut(1, 0)
		s, err := newHistory(root, cycle{number: n}.at(), fmt.Sprint("history-", n))
		must(t, err)
		if s.LastSeq < seen {
			t.Errorf("restore %d begins after %d, and %d was seen", n, s.LastSeq, seen)
		}
		seen = publishCycle(t, root, cycle{number: n + 1, refreshed: upTo(9)}).LastSeq
	}
}

// If the clock stands still or was set back, seq still advances.
func TestHistoriesUnderABackwardClock(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1}})
	last := uint64(0)
	for i := range 5 {
		s, err := newHistory(f, start.Add(-time.Duration(i)*time.Hour), fmt.Sprint("history-", i))
		must(t, err)
		d, err := look(f)
		must(t, err)
		if s.LastSeq < last+1_000_000_000 || d.commit.FirstSeq != d.commit.LastSeq+1 {
			t.Errorf("%d: from %d to %d", i, last, s.LastSeq)
		}
		last = s.LastSeq
	}
}

// Publications that cannot be repaired are skipped; without any record the history begins
// with the newest cycle.
func TestNewHistoryOutOfWhatIsLeft(t *testing.T) {
	f := threePublications(t)
	must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 3}.id())))
	must(t, f.Remove(published(3)+"/"+layout.MarketsFile))
	s, err := newHistory(f, cycle{number: 5}.at(), "history")
	must(t, err)
	if s.Version != 4 || s.Republishes != 2 {
		t.Errorf("%+v", s)
	}
	d, err := look(f)
	must(t, err)
	if diff := cmp.Diff(map[int]int{1: 2, 2: 1, 3: 1, 4: 2}, d.fixtures); diff != "" {
		t.Error(diff)
	}
	publishCycle(t, f, cycle{number: 6, refreshed: []int{1}, partly: true})

	f = threePublications(t)
	must(t, f.Remove(layout.Commit(3)))
	must(t, durable.Create(f, layout.Commit(3), durable.Bytes([]byte("{}"))))
	s, err = newHistory(f, cycle{number: 5}.at(), "history")
	must(t, err)
	head, _, err := snapshot.Last(f)
	must(t, err)
	if s.Version != 4 || s.Republishes != 2 || head.PreviousSHA256 != durable.Hash([]byte("{}")) {
		t.Errorf("%+v, %+v", s, head)
	}

	f = threePublications(t)
	for _, dir := range []string{layout.CommitsDir, layout.SnapshotsDir, layout.ChangesDir, layout.Current} {
		must(t, f.RemoveAll(dir))
	}
	s, err = newHistory(f, cycle{number: 5}.at(), "history")
	must(t, err)
	if s.Version != 1 || s.Cycle != wornNext.id() || s.LastSeq <= uint64(start.UnixMilli()) || s.Events == 0 {
		t.Errorf("%+v", s)
	}
	_, err = look(f)
	must(t, err)
}

// If no publication is intact, the newest intact cycle begins the history by itself. It is repaired like any other
// publication, and the next one follows it.
func TestNewHistoryWithACycleAlone(t *testing.T) {
	for name, damage := range map[string]func(*durabletest.Mem){
		"every publication":      func(*durabletest.Mem) {},
		"also the newest record": func(f *durabletest.Mem) { replace(t, f, layout.Commit(3), []byte("{}")) },
		"also a later cycle": func(f *durabletest.Mem) {
			later := cycle{number: 5, refreshed: []int{1}}
			later.transform(t, f)
			replace(t, f, layout.Cycle(layout.CanonicalDir, later.id())+"/"+layout.FixturesFile, []byte("PAR1"))
		},
	} {
		f := threePublications(t)
		for n := 1; n < 4; n++ {
			must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: n}.id())))
			replace(t, f, published(n)+"/"+layout.MarketsFile, []byte("PAR1"))
		}
		damage(f)
		if _, err := publishNext(f); err == nil {
			t.Fatalf("%s: published on damage", name)
		}
		s, err := newHistory(f, cycle{number: 6}.at(), "history")
		must(t, err)
		if s.Version != 4 || s.Cycle != wornNext.id() || s.Republishes != 0 || s.Events != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		head, _, err := snapshot.Last(f)
		must(t, err)
		if head.FirstSeq != s.LastSeq || head.HistoryID != "history" {
			t.Errorf("%s: %+v", name, head)
		}
		want := files(t, f, head.Dir(), layout.ChangesDir, layout.StepsDir)
		if name != "also the newest record" { // which a repair needs
			replace(t, f, head.Dir()+"/"+layout.ManifestFile, []byte("{}"))
			replace(t, f, head.Segment.File, []byte("PAR1"))
			repairAll(t, f)
			d, err := look(f)
			must(t, err)
			if diff := cmp.Diff(map[int]int{4: 4}, d.fixtures); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if diff := diffFiles(want, files(t, f, head.Dir(), layout.ChangesDir, layout.StepsDir)); diff != "" {
			t.Errorf("%s: repaired: %s", name, diff)
		}
		publishCycle(t, f, cycle{number: 7, refreshed: []int{1, 4}})
	}

	f := threePublications(t)
	must(t, f.RemoveAll(layout.CanonicalDir))
	for n := 1; n < 4; n++ {
		replace(t, f, published(n)+"/"+layout.MarketsFile, []byte("PAR1"))
	}
	if _, err := newHistory(f, cycle{number: 5}.at(), "history"); err == nil || !strings.Contains(err.Error(), "run mkt cycle --tenant acme") {
		t.Errorf("without a later cycle: %v", err)
	}
}

// The first publication of a history is repaired like any other.
func TestNewHistoryIsRepaired(t *testing.T) {
	f := threePublications(t)
	_, err := newHistory(f, cycle{number: 5}.at(), "history")
	must(t, err)
	head, _, err := snapshot.Last(f)
	must(t, err)
	want := files(t, f, head.Dir())
	for name := range want {
		replace(t, f, name, []byte("PAR1"))
	}
	if done := repairAll(t, f); len(done.Repaired) != len(want) || len(done.Unrepairable) != 0 {
		t.Errorf("%+v", done)
	}
	if diff := diffFiles(want, files(t, f, head.Dir())); diff != "" {
		t.Error(diff)
	}
}

// P1 and P2: after a kill or power cut anywhere the old history continues or the new one
// has begun, and the next attempt begins one.
func TestNewHistoryKilledAnywhere(t *testing.T) {
	t.Parallel()
	base := threePublications(t)
	want, err := look(base)
	must(t, err)
	for k := 1; ; k += stride() {
		f := base.PowerCut(1, 0)
		_, err := newHistory(durabletest.Wrap(f, durabletest.KillAt(k)), cycle{number: 5}.at(), "history")
		for _, keep := range []float64{0, 0.5, 1} {
			cut := f.PowerCut(keep, uint64(k))
			d, e := look(cut)
			if e != nil || cmp.Diff(want.fixtures, d.fixtures) != "" || err == nil && d.commit.Version != 4 {
				t.Fatalf("killed at %d (%v), %v kept: version %d, %v", k, err, keep, d.commit.Version, e)
			}
			_, e = newHistory(cut, cycle{number: 6}.at(), "again")
			must(t, e)
			if d, e = look(cut); e != nil || d.commit.HistoryID != "again" {
				t.Fatalf("killed at %d, then again: %+v, %v", k, d.commit, e)
			}
		}
		if err == nil {
			return
		}
	}
}

func TestNewLiveHistory(t *testing.T) {
	f := durabletest.NewMem()
	publishTicks(t, f, retention.Policy{}, liveTick{1, 3}, liveTick{2, 4})
	o := liveTick{3, 1}.options(f)
	o.RunID = "history"
	s, err := repair.NewHistory(context.Background(), o)
	must(t, err)
	if s.Version != 3 || s.Republishes != 2 || s.Fixtures != 4 {
		t.Errorf("%+v", s)
	}
	publishTicks(t, f, retention.Policy{}, liveTick{5, 2})
	head, _, err := snapshot.Head(f)
	must(t, err)
	if head.Version != 4 || head.HistoryID != "history" {
		t.Errorf("%+v", head)
	}
}

// A new history never has a damaged segment of steps: it is repaired, or else the steps begin anew with the next
// publication, which records the whole state.
func TestStepsOfANewHistoryAreIntact(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(f durable.FS, segment string)
		lost   bool
	}{
		"intact":      {damage: func(durable.FS, string) {}},
		"overwritten": {damage: func(f durable.FS, segment string) { replace(t, f, segment, []byte("PAR1")) }},
		"missing":     {damage: func(f durable.FS, segment string) { must(t, f.Remove(segment)) }},
		"missing with the answers": {lost: true, damage: func(f durable.FS, segment string) {
			must(t, f.Remove(segment))
			must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 2}.id())))
		}},
		"missing with its record": {lost: true, damage: func(f durable.FS, segment string) {
			must(t, f.Remove(segment))
			must(t, f.Remove(layout.Commit(2)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := durabletest.NewMem()
			for number := 1; number <= 4; number++ {
				publishCycle(t, f, cycle{number: number, refreshed: upTo(3 + number%2)})
			}
			_, before := newest(t, f)
			if len(before.Steps) != 4 {
				t.Fatalf("%d segments", len(before.Steps))
			}
			c.damage(f, before.Steps[1].File)
			s, err := newHistory(f, cycle{number: 5}.at(), "history")
			must(t, err)
			head, m := newest(t, f)
			if want := map[bool]int{false: 4, true: 0}[c.lost]; s.Version != 5 || s.Republishes != 4 || len(m.Steps) != want || s.StepsLost != c.lost {
				t.Errorf("%+v, steps %+v", s, m.Steps)
			}
			for _, segment := range m.Steps {
				if err := snapshot.VerifySegment(f, segment); err != nil {
					t.Error(err)
				}
			}
			manifest := head.Dir() + "/" + layout.ManifestFile
			want, err := durable.ReadFile(f, manifest, 1<<20)
			must(t, err)
			o := options(f, cycle{number: 5}, "compare")
			if all, err := repair.Differences(context.Background(), o, head); err != nil || len(all) > 0 {
				t.Errorf("%v, %v", all, err)
			}
			must(t, f.Remove(manifest))
			if name != "missing with its record" { // nothing before it can be read
				repairAll(t, f)
				if got, err := durable.ReadFile(f, manifest, 1<<20); err != nil || !bytes.Equal(got, want) {
					t.Errorf("its manifest is rebuilt as %s, %v", got, err)
				}
			} else {
				must(t, durable.Create(f, manifest, durable.Bytes(want)))
			}
			seen := map[string]bool{}
			for number := 6; number <= 7; number++ {
				publishCycle(t, f, cycle{number: number, refreshed: []int{number % 3}, partly: true})
				head, m := newest(t, f)
				if diff := cmp.Diff(snapshotState(t, f, head), stepsState(t, f, m, seen)); diff != "" {
					t.Errorf("cycle %d: the snapshot (-) and its steps (+): %s", number, diff)
				}
			}
		})
	}
}

// Retention after a history that begins without steps keeps every segment that a kept publication names.
func TestRetentionAfterLostSteps(t *testing.T) {
	t.Parallel()
	keep := retention.Policy{Snapshots: 12, SnapshotAge: time.Hour, CycleAge: time.Hour}
	f := durabletest.NewMem()
	for number := 1; number <= 60; number++ {
		publishCycle(t, f, cycle{number: number, refreshed: []int{number % 3}, partly: true}, keeping(keep))
		if number < 16 {
			continue
		}
		root := f.PowerCut(1, 0)
		_, m := newest(t, root)
		lost := m.Steps[0].File
		must(t, root.Remove(lost))
		s, err := newHistory(root, cycle{number: number + 1}.at(), "history")
		must(t, err)
		_, err = retention.Collect(retention.Options{Root: root, Now: cycle{number: number + 2}.at(), Policy: keep}, headOf(t, root))
		must(t, err)
		checkSegments(t, root, lost)
		for next := number + 2; number == 60 && next < 80; next++ {
			publishCycle(t, root, cycle{number: next, refreshed: []int{next % 3}, partly: true}, keeping(keep))
		}
		for _, name := range list(t, root, layout.StepsDir) {
			if _, last, _ := layout.ParseSegment(name); number == 60 && last < s.LastSeq {
				t.Errorf("%s of the history before is still there", name)
			}
		}
	}
}

// checkSegments verifies all segments that kept publications name, except lost ones.
func checkSegments(t *testing.T, f durable.FS, lost ...string) {
	t.Helper()
	head, _, err := snapshot.Head(f)
	must(t, err)
	for c, err := range snapshot.Backward(f, head) {
		if snapshot.IsDamage(err) {
			continue
		}
		must(t, err)
		if !exists(t, f, c.Dir()) {
			return
		}
		m, err := snapshot.Open(f, c)
		if snapshot.IsDamage(err) {
			continue
		}
		must(t, err)
		for _, s := range m.Segments() {
			if err := snapshot.VerifySegment(f, s); err != nil && !slices.Contains(lost, s.File) {
				t.Errorf("version %d of %d: %v", c.Version, head.Version, err)
			}
		}
	}
}

// A new history may repeat a publication from before a compaction. Its segments are compacted once more, and the
// histories name different files, in a data root and in a store.
func TestRetentionAfterAHistoryWithUncompactedSteps(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	f := durabletest.NewMem()
	for number := 1; number <= 17; number++ {
		must(t, shipCycle(t, f, d, cycle{number: number, refreshed: []int{number % 3}, partly: true}, shortest))
	}
	head, m := newest(t, f)
	if m.Steps[0].Cycles != 16 {
		t.Fatalf("steps %+v", m.Steps)
	}
	must(t, f.Remove(head.Dir()+"/"+layout.MarketsFile))
	must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, head.CycleID)))
	o := options(f, cycle{number: 18}, "history")
	o.Cycle, o.Store = "", d
	s, err := repair.NewHistory(t.Context(), o)
	must(t, err)
	if _, m := newest(t, f); s.Republishes != 16 || len(m.Steps) != 16 {
		t.Fatalf("%+v, steps %+v", s, m.Steps)
	}
	for number := 19; number <= 22; number++ {
		must(t, shipCycle(t, f, d, cycle{number: number, refreshed: []int{number % 3}, partly: true}, shortest))
		checkSegments(t, f)
		_, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest})
		must(t, err)
		pulled := durabletest.NewMem()
		_, err = d.Pull(t.Context(), pulled, store.PullOptions{})
		must(t, err)
		checkSegments(t, pulled)
	}
	if files := list(t, f, layout.StepsDir); len(files) > 8 {
		t.Errorf("no longer named: %q", files)
	}
}

// Retention goes on after a history that begins after a damaged record, also if the manifest of its first publication
// is damaged.
func TestRetentionAfterADamagedRecord(t *testing.T) {
	t.Parallel()
	keep := retention.Policy{Snapshots: 12, SnapshotAge: time.Hour, CycleAge: time.Hour}
	f := durabletest.NewMem()
	for number := 1; number <= 25; number++ {
		publishCycle(t, f, cycle{number: number, refreshed: []int{number % 3}, partly: true}, keeping(keep))
	}
	replace(t, f, layout.Commit(25), []byte("damaged"))
	_, err := newHistory(f, cycle{number: 26}.at(), "history")
	must(t, err)
	first, _ := newest(t, f)
	for number := 27; number <= 28; number++ {
		publishCycle(t, f, cycle{number: number, refreshed: []int{number % 3}, partly: true}, keeping(keep))
	}
	for _, damaged := range []bool{false, true} {
		if damaged {
			replace(t, f, first.Dir()+"/"+layout.ManifestFile, []byte("damaged"))
		}
		_, err = retention.Collect(retention.Options{Root: f, Now: cycle{number: 28}.at(), Policy: keep}, headOf(t, f))
		must(t, err)
		checkSegments(t, f)
	}
}
