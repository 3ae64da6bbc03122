package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

func newStore(t testing.TB) (*store.Dataset, *storetest.Memory) {
	t.Helper()
	bucket := storetest.NewMemory()
	return store.New(bucket, store.Options{}).Dataset("acme", football.MarketEngine), bucket
}

// shipCycle publishes a cycle to a root and the store.
func shipCycle(t testing.TB, f durable.FS, d *store.Dataset, c cycle, keep retention.Policy) error {
	t.Helper()
	c.transform(t, f)
	o := options(f, c, fmt.Sprint("run-", c.number))
	o.Store, o.Retention = d, keep
	_, err := publish.Run(context.Background(), o)
	return err
}

// history is a few cycles in which fixtures are refreshed, carried over and removed.
func history() []cycle {
	return []cycle{{number: 1, refreshed: upTo(6)}, {number: 2, refreshed: []int{1, 2}, failed: []int{0, 3, 4, 5}},
		{number: 3, refreshed: []int{0}, failed: []int{1, 2, 3}, over: []int{4}}, {number: 4, refreshed: upTo(4), bare: []int{7}}}
}

// Every publication is made by another worker on an empty disk, and each gives the bytes
// that one machine without a store gives.
func TestWorkersWithoutDisk(t *testing.T) {
	d, _ := newStore(t)
	alone := durabletest.NewMem()
	for _, c := range history() {
		publishCycle(t, alone, c)
		worker := durabletest.NewMem()
		if _, err := d.Sync(t.Context(), worker); err != nil {
			t.Fatal(err)
		}
		must(t, shipCycle(t, worker, d, c, retention.Policy{}))
		want, err := look(alone)
		must(t, err)
		got, err := look(worker)
		must(t, err)
		if got.commit.SHA256 != want.commit.SHA256 || len(got.events) != len(want.events) {
			t.Fatalf("cycle %d: the worker made commit %s with %d events, one machine %s with %d", c.number, got.commit.SHA256, len(got.events), want.commit.SHA256, len(want.events))
		}
	}
	pulled := durabletest.NewMem()
	done, err := d.Pull(t.Context(), pulled, store.PullOptions{})
	must(t, err)
	kept := []string{layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir}
	if diff := diffFiles(files(t, alone, kept...), files(t, pulled, kept...)); diff != "" || done.Packs != 4 {
		t.Errorf("pulled %+v: %s", done, diff)
	}
}

// A root that was published without a store is pushed, and the store has all of it.
func TestPush(t *testing.T) {
	d, _ := newStore(t)
	alone := durabletest.NewMem()
	for _, c := range history()[:3] {
		publishCycle(t, alone, c)
	}
	if err := shipCycle(t, alone, d, history()[3], retention.Policy{}); err == nil {
		t.Error("a publication was shipped although the store lacks those before it")
	}
	if _, err := d.Sync(t.Context(), alone); !errors.Is(err, snapshot.ErrStoreLacks) {
		t.Errorf("a root that is ahead of the store: %v, want ErrStoreLacks", err)
	}
	plan, err := d.Push(t.Context(), alone, store.PushOptions{DryRun: true})
	must(t, err)
	done, err := d.Push(t.Context(), alone, store.PushOptions{})
	must(t, err)
	if plan != done || done.Packs != 3 {
		t.Errorf("a dry run said %+v, the push did %+v", plan, done)
	}
	if again, err := d.Push(t.Context(), alone, store.PushOptions{}); err != nil || again.First <= again.Last {
		t.Errorf("pushed again: %+v, %v", again, err)
	}
	must(t, shipCycle(t, alone, d, history()[3], retention.Policy{}))
	copied := durabletest.NewMem()
	head, err := d.Follow(t.Context(), copied)
	must(t, err)
	want, err := look(alone)
	must(t, err)
	got, err := look(copied)
	must(t, err)
	if head.Version != 4 || got.commit.SHA256 != want.commit.SHA256 || len(got.events) != len(want.events) {
		t.Errorf("the copy has version %d with %d events, the root %d with %d", head.Version, len(got.events), want.commit.Version, len(want.events))
	}
}

// Two workers publish the same number: one of them wins, and the other leaves nothing.
func TestTwoWorkers(t *testing.T) {
	d, _ := newStore(t)
	a, b := durabletest.NewMem(), durabletest.NewMem()
	c := history()
	must(t, shipCycle(t, a, d, c[0], retention.Policy{}))
	_, err := d.Sync(t.Context(), b)
	must(t, err)
	must(t, shipCycle(t, a, d, c[1], retention.Policy{}))
	if err := shipCycle(t, b, d, c[2], retention.Policy{}); !errors.Is(err, publish.ErrConflict) {
		t.Fatalf("the second worker: %v, want ErrConflict", err)
	}
	if head, _, err := snapshot.Head(b); err != nil || head.Version != 1 {
		t.Errorf("the worker that lost has version %d, %v", head.Version, err)
	}
	head, err := d.Sync(t.Context(), b)
	must(t, err)
	got, err := look(b)
	must(t, err)
	if head.Version != 2 || got.commit.CycleID != c[1].id() {
		t.Errorf("after a sync the worker that lost has %d %s", head.Version, got.commit.CycleID)
	}
	must(t, shipCycle(t, b, d, c[2], retention.Policy{}))
}

// Two installations on one prefix are told apart, and neither overwrites the other.
func TestTwoInstallations(t *testing.T) {
	d, _ := newStore(t)
	a, b := durabletest.NewMem(), durabletest.NewMem()
	c := history()
	must(t, shipCycle(t, a, d, c[0], retention.Policy{}))
	publishCycle(t, b, c[1])
	if _, err := d.Sync(t.Context(), b); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("another installation: %v, want ErrDiverged", err)
	}
	if _, err := d.Push(t.Context(), b, store.PushOptions{}); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a push of another installation: %v, want ErrDiverged", err)
	}
	if _, err := d.Repair(t.Context(), b, store.PushOptions{}); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a repair by another installation: %v, want ErrDiverged", err)
	}
}

// The bucket of another installation was restored: a worker publishes nothing there, whatever its process has
// seen before.
func TestWrongBucketRestored(t *testing.T) {
	d, bucket := newStore(t)
	other, wrong := newStore(t)
	f, c := durabletest.NewMem(), history()
	must(t, shipCycle(t, f, d, c[0], retention.Policy{}))
	must(t, shipCycle(t, durabletest.NewMem(), other, c[1], retention.Policy{}))
	for _, key := range bucket.Keys("") {
		bucket.Remove(t, key)
	}
	was := wrong.Keys("")
	for _, key := range was {
		bucket.Set(t, key, wrong.Get(t, key))
	}
	for range 2 {
		if _, err := d.Sync(t.Context(), f); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("another history: %v, want ErrDiverged", err)
		}
		if err := shipCycle(t, f, d, c[2], retention.Policy{}); err == nil {
			t.Error("a publication onto another history")
		}
	}
	if is := bucket.Keys(""); !slices.Equal(is, was) {
		t.Errorf("written: %q, were %q", is, was)
	}
}

// A span is pulled with what was served at its beginning, and its root continues.
func TestPullSpan(t *testing.T) {
	d, _ := newStore(t)
	f := durabletest.NewMem()
	all := history()
	for _, c := range all {
		must(t, shipCycle(t, f, d, c, retention.Policy{}))
	}
	part := durabletest.NewMem()
	o := store.PullOptions{From: all[2].at(), To: all[2].at().Add(30 * time.Minute)}
	done, err := d.Pull(t.Context(), part, o)
	must(t, err)
	got, err := look(part)
	must(t, err)
	if done.First != 2 || done.Last != 3 || got.commit.Version != 3 {
		t.Errorf("pulled %+v, the newest is %d", done, got.commit.Version)
	}
	marks, err := retention.ReadWatermarks(part)
	must(t, err)
	must(t, marks.Check(part))
	var seen []uint64
	for c, err := range snapshot.Backward(part, got.commit) {
		must(t, err)
		seen = append(seen, c.Version)
	}
	if !slices.Equal(seen, []uint64{3, 2}) {
		t.Errorf("the records of the span are %v", seen)
	}
	rest, err := d.Pull(t.Context(), part, store.PullOptions{})
	must(t, err)
	if got, err = look(part); err != nil || rest.First != 4 || got.commit.Version != 4 {
		t.Errorf("pulled the rest: %+v, the newest is %d, %v", rest, got.commit.Version, err)
	}
}

// What retention deletes in the store is old and recorded; the rest can be pulled.
func TestCollectStore(t *testing.T) {
	d, bucket := shipped(t)
	dry, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest, DryRun: true})
	must(t, err)
	done, err := d.Collect(t.Context(), store.CollectOptions{Policy: shortest})
	must(t, err)
	if dry != done || done.Packs != 9 {
		t.Errorf("a dry run said %+v, the collection did %+v", dry, done)
	}
	if packs := len(bucket.Keys(inStore + "packs/")); packs != 3 {
		t.Errorf("%d packs are left", packs)
	}
	pulled := durabletest.NewMem()
	got, err := d.Pull(t.Context(), pulled, store.PullOptions{})
	must(t, err)
	world, err := look(pulled)
	must(t, err)
	marks, err := retention.ReadWatermarks(pulled)
	must(t, err)
	must(t, marks.Check(pulled))
	if got.Packs != 3 || world.commit.Version != 12 || !marks.Snapshots.Covers(cycle{number: 9}.id()) || marks.Snapshots.Covers(cycle{number: 10}.id()) {
		t.Errorf("pulled %+v, version %d, marks %+v", got, world.commit.Version, marks.Snapshots)
	}
}

// A pack that was cut or changed is never installed, and a root that has it repairs it.
func TestDamagedPack(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"truncated":           func(b []byte) []byte { return b[:len(b)-700] },
		"truncated at a file": func(b []byte) []byte { return b[:len(b)-1024] },
		"short":               func(b []byte) []byte { return b[:100] },
		"empty":               func([]byte) []byte { return nil },
		"a changed byte":      func(b []byte) []byte { b[len(b)/3] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			d, bucket := newStore(t)
			root := durabletest.NewMem()
			must(t, shipCycle(t, root, d, history()[0], retention.Policy{}))
			pack := bucket.Keys(inStore + "packs/")[0]
			damageObject(t, bucket, pack, damage)
			f := durabletest.NewMem()
			if _, err := d.Sync(t.Context(), f); !errors.Is(err, snapshot.ErrDamaged) {
				t.Errorf("a damaged pack: %v, want ErrDamaged", err)
			}
			if _, found, err := snapshot.Head(f); found || err != nil {
				t.Errorf("a damaged pack was committed: %v", err)
			}
			done, err := d.Repair(t.Context(), root, store.PushOptions{})
			must(t, err)
			again, err := d.Repair(t.Context(), root, store.PushOptions{})
			must(t, err)
			if _, err := d.Sync(t.Context(), f); err != nil || done.Packs != 1 || again.Packs != 0 {
				t.Errorf("repaired %+v, then %+v: %v", done, again, err)
			}
		})
	}
}

// A damaged segment is stored again also if only older publications name it. One that this root does not have
// either is reported.
func TestRepairOfOldSegments(t *testing.T) {
	t.Parallel()
	d, bucket := newStore(t)
	root := durabletest.NewMem()
	for n := 1; n <= 17; n++ {
		must(t, shipCycle(t, root, d, cycle{number: n, refreshed: []int{n % 3}, partly: true}, retention.Policy{}))
	}
	segments := bucket.Keys(inStore + layout.StepsDir)
	if _, m := newest(t, root); m.Steps[0].Cycles != 16 || len(segments) != 18 {
		t.Fatalf("steps %+v, stored %q", m.Steps, segments)
	}
	bucket.Remove(t, segments[2])
	damageObject(t, bucket, segments[3], func(b []byte) []byte { b[len(b)/3] ^= 1; return b })
	done, err := d.Repair(t.Context(), root, store.PushOptions{})
	must(t, err)
	again, err := d.Repair(t.Context(), root, store.PushOptions{})
	must(t, err)
	if done.Segments != 2 || again.Segments != 0 {
		t.Errorf("repaired %+v, then %+v", done, again)
	}
	pulled := durabletest.NewMem()
	_, err = d.Pull(t.Context(), pulled, store.PullOptions{})
	must(t, err)
	checkSegments(t, pulled)

	must(t, root.Remove(layout.StepsDir+"/"+list(t, root, layout.StepsDir)[2]))
	bucket.Remove(t, segments[2])
	done, err = d.Repair(t.Context(), root, store.PushOptions{})
	must(t, err)
	if done.Segments != 0 || len(done.Left) != 1 || inStore+done.Left[0] != segments[2] {
		t.Errorf("repaired %+v, want %s left", done, segments[2])
	}
}

// State files reach the next worker.
func TestStates(t *testing.T) {
	d, _ := newStore(t)
	a, account, b := durabletest.NewMem(), durabletest.NewMem(), durabletest.NewMem()
	must(t, durable.MkdirAllSync(a, layout.StateDir))
	must(t, durable.Overwrite(a, "state/fetch.json", []byte("{}\n")))
	must(t, d.ShipStates(t.Context(), account, a))
	must(t, d.CopyStates(t.Context(), b))
	if data, err := durable.ReadFile(b, "state/fetch.json", 100); err != nil || string(data) != "{}\n" {
		t.Errorf("the state is %q, %v", data, err)
	}
	if err := d.CopyStates(t.Context(), durabletest.NewMem()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// The state file of a publication reaches a root after the publication: a root with a state that names
// a newer one looks as if it had lost its records.
func TestStatesFollowTheirPublication(t *testing.T) {
	d, bucket := newStore(t)
	f, account, all := durabletest.NewMem(), durabletest.NewMem(), history()
	must(t, shipCycle(t, f, d, all[0], retention.Policy{}))
	must(t, shipCycle(t, f, d, all[1], retention.Policy{}))
	must(t, d.ShipStates(t.Context(), account, f))
	published := func(f durable.FS) string {
		t.Helper()
		run, err := health.Read(f, "publish")
		must(t, err)
		if run == nil {
			return ""
		}
		return run.Cycle
	}
	worker, pack := durabletest.NewMem(), bucket.Keys(inStore + "packs/")[1]
	data := bucket.Get(t, pack)
	bucket.Set(t, pack, data[:100])
	if _, err := d.Sync(t.Context(), worker); !errors.Is(err, snapshot.ErrDamaged) {
		t.Fatalf("a damaged pack: %v", err)
	}
	must(t, d.CopyStates(t.Context(), worker))
	if cycle := published(worker); cycle != "" {
		t.Errorf("a root without publications has the state of the publication of %s", cycle)
	}
	bucket.Set(t, pack, data)
	_, err := d.Sync(t.Context(), worker)
	must(t, err)
	if cycle := published(worker); cycle != string(all[1].id()) {
		t.Errorf("the state is of the publication of %q, want %s", cycle, all[1].id())
	}
	part := durabletest.NewMem()
	_, err = d.Pull(t.Context(), part, store.PullOptions{To: all[0].at().Add(30 * time.Minute)})
	must(t, err)
	if cycle := published(part); cycle != "" {
		t.Errorf("the first publication was pulled, and the state is of the one of %s", cycle)
	}
}

// A root that is damaged is copied again, but not one that has more than the store.
func TestResetDamagedRoot(t *testing.T) {
	d, _ := newStore(t)
	f := durabletest.NewMem()
	c := history()
	must(t, shipCycle(t, f, d, c[0], retention.Policy{}))
	must(t, shipCycle(t, f, d, c[1], retention.Policy{}))
	want, err := look(f)
	must(t, err)
	name := layout.Commit(2)
	replace(t, f, name, []byte("{}"))
	if _, err := d.Sync(t.Context(), f); !snapshot.IsDamage(err) {
		t.Fatalf("a damaged record: %v", err)
	}
	done, err := d.Reset(t.Context(), f, 2)
	if !done || err != nil {
		t.Fatalf("reset: %t, %v", done, err)
	}
	_, err = d.Sync(t.Context(), f)
	must(t, err)
	if got, err := look(f); err != nil || got.commit.SHA256 != want.commit.SHA256 {
		t.Errorf("the copy has version %d: %v", got.commit.Version, err)
	}
	must(t, shipCycle(t, f, d, c[2], retention.Policy{}))

	stranger := durabletest.NewMem()
	publishCycle(t, stranger, c[1])
	publishCycle(t, stranger, c[2])
	replace(t, stranger, name, []byte("{}"))
	if done, err := d.Reset(t.Context(), stranger, 2); done || err != nil {
		t.Errorf("a root with other publications was put aside: %t, %v", done, err)
	}

	other, _ := newStore(t)
	if done, err := other.Reset(t.Context(), f, 3); done || err != nil {
		t.Errorf("a root that the store does not have was put aside: %t, %v", done, err)
	}
	got, err := look(f)
	if err != nil || got.commit.Version != 3 {
		t.Errorf("the root has version %d: %v", got.commit.Version, err)
	}
}

// A run begins with everything that the store has. It goes on without a store that is away if the root
// has publications, and copies damaged ones again if the store has them.
func TestAttach(t *testing.T) {
	bucket := storetest.NewMemory()
	open := func(context.Context) (*store.Store, error) { return store.New(bucket, store.Options{}), nil }
	attach := func(root durable.FS) (*store.Attached, error) {
		return store.Attach(t.Context(), open, durabletest.NewMem(), root, "acme", football.MarketEngine)
	}
	away := func() { bucket.Fail(&object.Error{Kind: object.Away}) }
	f, c := durabletest.NewMem(), history()

	away()
	if _, err := attach(f); !errors.Is(err, object.ErrAway) {
		t.Errorf("an empty root and a store that is away: %v", err)
	}
	bucket.Fail(nil)
	a, err := attach(f)
	must(t, err)
	must(t, shipCycle(t, f, a.Dataset, c[0], retention.Policy{}))
	head, _, err := snapshot.Head(f)
	must(t, err)

	away()
	if a, err = attach(f); err != nil || !errors.Is(a.Away, object.ErrAway) || a.Dataset != nil {
		t.Fatalf("a root with publications and a store that is away: %+v, %v", a, err)
	}
	if err := a.Ship(t.Context(), f, head, nil, nil); !errors.Is(err, object.ErrAway) {
		t.Errorf("shipped to a store that is away: %v", err)
	}
	bucket.Fail(nil)

	replace(t, f, layout.Commit(1), []byte("{}"))
	if a, err = attach(f); err != nil || !snapshot.IsDamage(a.Damage) || a.Away != nil {
		t.Errorf("a damaged root: %+v, %v", a, err)
	}
	if again, _, err := snapshot.Head(f); err != nil || again.SHA256 != head.SHA256 {
		t.Errorf("copied again: %v", err)
	}

	publishCycle(t, f, c[1]) // which the store does not have
	replace(t, f, layout.Commit(2), []byte("{}"))
	if a, err := attach(f); !snapshot.IsDamage(err) || a.Damage != nil {
		t.Errorf("a damaged root with more than the store: %+v, %v", a, err)
	}
}
