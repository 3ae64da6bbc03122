package publish_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// decade is the number of hours that a clock jumps.
const decade = 10 * 365 * 24

// publishAll publishes cycles of some hours under a policy.
func publishAll(t testing.TB, f durable.FS, keep retention.Policy, hours ...int) {
	t.Helper()
	for _, n := range hours {
		c := cycle{number: n, refreshed: []int{1}, partly: n != hours[0]}
		publishCycle(t, f, c, keeping(keep))
	}
}

func hours(from, n, every int) (all []int) {
	for i := range n {
		all = append(all, from+i*every)
	}
	return all
}

// A clock that jumps ten years deletes nothing, neither at once nor in later runs: what
// was there before the jump only becomes a day older.
func TestClockJump(t *testing.T) {
	f := durabletest.NewMem()
	keep := retention.Policy{Snapshots: 3, SnapshotAge: 48 * time.Hour, Cycles: 3, CycleAge: 48 * time.Hour, ChangeEvents: 4}
	publishAll(t, f, keep, append(hours(1, 12, 1), 12+decade)...)
	o := retention.Options{Root: f, Now: cycle{number: 12 + decade}.at(), Policy: keep}
	if _, err := retention.Collect(o, headOf(t, f)); !errors.Is(err, retention.ErrClockJump) {
		t.Errorf("after the jump: %v", err)
	}
	if _, err := retention.CollectUnpublished(o, headOf(t, f)); !errors.Is(err, retention.ErrClockJump) {
		t.Errorf("unpublished cycles after the jump: %v", err)
	}
	o.AfterJump = true
	done, err := retention.Collect(o, headOf(t, f))
	must(t, err)
	publishAll(t, f, keep, hours(13+decade, 3, 1)...)
	for _, dir := range []string{layout.CanonicalDir, layout.SnapshotsDir, layout.ChangesDir} {
		if got := len(list(t, f, dir)); got != 16 || done.Cycles > 0 {
			t.Errorf("%s: %d of 16 are left; %+v", dir, got, done)
		}
	}
	d, err := look(f)
	must(t, err)
	if d.commit.FirstSeq != 1 {
		t.Errorf("the change log begins with %d", d.commit.FirstSeq)
	}
	// A day later it is old: the jump counts as one day too.
	publishAll(t, f, keep, hours(39+decade, 1, 1)...)
	if got := len(list(t, f, layout.CanonicalDir)); got >= 16 {
		t.Errorf("%d cycles are left of 17", got)
	}
	marks, err := retention.ReadWatermarks(f)
	must(t, err)
	must(t, marks.Check(f))
	checkKept(t, f)
}

// However often the clock jumps, the newest are kept by count.
func TestRepeatedClockJumps(t *testing.T) {
	f := durabletest.NewMem()
	keep := retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, Cycles: 5, CycleAge: time.Hour, ChangeEvents: 4}
	all := []int{1}
	for i := 1; i < 12; i++ { // one hour, and many, in turn
		all = append(all, all[i-1]+1+(i%2)*i*i*1000)
	}
	publishAll(t, f, keep, all...)
	if got := len(list(t, f, layout.CanonicalDir)); got < 5 {
		t.Errorf("%d cycles are left", got)
	}
	if got := len(list(t, f, layout.SnapshotsDir)); got < 3 {
		t.Errorf("%d snapshots are left", got)
	}
	d, err := look(f)
	must(t, err)
	if d.commit.LastSeq-d.commit.FirstSeq < 3 {
		t.Errorf("window %+v", d.commit.Window())
	}
}

// A weekly schedule is no clock jump: old data is deleted, and a week counts as a day.
func TestLongIntervalsAreNoClockJump(t *testing.T) {
	f := durabletest.NewMem()
	keep := retention.Policy{Snapshots: 3, SnapshotAge: 48 * time.Hour, Cycles: 3, CycleAge: 96 * time.Hour}
	publishAll(t, f, keep, hours(1, 12, 7*24)...)
	if got := len(list(t, f, layout.CanonicalDir)); got != 4 {
		t.Errorf("%d cycles are left, want 4", got)
	}
	if got := len(list(t, f, layout.SnapshotsDir)); got != 3 {
		t.Errorf("%d snapshots are left, want 3", got)
	}
	weekend := append(hours(10000, 5, 24), 10000+4*24+72, 10000+5*24+72)
	g := durabletest.NewMem()
	publishAll(t, g, retention.Policy{}, weekend[:6]...)
	if _, err := retention.Collect(retention.Options{Root: g, Now: cycle{number: weekend[5]}.at(), Policy: keep}, headOf(t, g)); !errors.Is(err, retention.ErrClockJump) {
		t.Errorf("the first weekend: %v", err)
	}
	publishAll(t, g, retention.Policy{}, append(weekend[6:], hours(weekend[6]+24, 3, 24)...)...)
	publishAll(t, g, retention.Policy{}, weekend[6]+3*24+72)
	if _, err := retention.Collect(retention.Options{Root: g, Now: cycle{number: weekend[6] + 3*24 + 72}.at(), Policy: keep}, headOf(t, g)); err != nil {
		t.Errorf("the second weekend: %v", err)
	}
}

// After a clock jump, cycles that failed are kept too.
func TestFailedCyclesAfterAClockJump(t *testing.T) {
	for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
		f := durabletest.NewMem()
		from := cycle{number: 1}.at()
		failing(t, f, string(product), from, time.Minute, 12)
		failing(t, f, string(product), from.Add(decade*time.Hour), time.Minute, 1)
		for _, keep := range []retention.Policy{{Cycles: 24, CycleAge: time.Hour}, {Cycles: 3, CycleAge: 48 * time.Hour}} {
			done, err := retention.CollectUnpublished(retention.Options{Root: f, Now: time.Now(), Policy: keep.For(product)}, headOf(t, f))
			must(t, err)
			if done.Cycles > 0 {
				t.Errorf("%s, %+v: %+v", product, keep, done)
			}
		}
	}
}

// Watermarks of an earlier version stay valid, and those of a later version are not
// reported as damaged.
func TestWatermarksOfOtherFormats(t *testing.T) {
	f := durabletest.NewMem()
	publishAll(t, f, retention.Policy{}, append(hours(1, 5, 1), hours(1000, 5, 1)...)...)
	head, _, err := snapshot.Head(f)
	must(t, err)
	fifth, err := snapshot.ReadCommit(f, 5)
	must(t, err)
	sixth, err := snapshot.ReadCommit(f, 6)
	must(t, err)
	old := retention.Watermarks{Format: 1,
		Snapshots: &retention.Watermark{Before: sixth.CycleID, Version: head.Version, CommitSHA256: head.SHA256, Count: 3, AgeSeconds: 48 * 3600},
		Raw:       &retention.Watermark{Before: layout.NewCycleID(head.PublishedAt.Add(-48*time.Hour).Truncate(time.Second).Add(time.Second), "market_engine"), Version: head.Version, CommitSHA256: head.SHA256, AgeSeconds: 48 * 3600},
	}
	write := func(all retention.Watermarks) {
		data, err := json.MarshalIndent(all, "", "  ")
		must(t, err)
		must(t, durable.Overwrite(f, layout.Collected, append(data, '\n')))
	}
	write(old)
	got, err := retention.ReadWatermarks(f)
	must(t, err)
	must(t, got.Check(f))
	if !got.Raw.Covers(fifth.CycleID) {
		t.Error("the watermark does not cover what came before")
	}
	old.Raw.Capped = true
	write(old)
	got, err = retention.ReadWatermarks(f)
	must(t, err)
	if err := got.Check(f); !errors.Is(err, snapshot.ErrDamaged) {
		t.Errorf("by another rule: %v", err)
	}
	old.Format = retention.Format + 1
	write(old)
	if _, err := retention.ReadWatermarks(f); !errors.Is(err, layout.ErrNewer) {
		t.Errorf("of a later version: %v", err)
	}
}
