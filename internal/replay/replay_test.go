package replay_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/internal/replay"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/identity"
)

func replayed(w *dataroot.Root, from string, edit func(*replay.Options)) (*replay.Report, *durabletest.Mem, error) {
	m, err := snapshot.ParseMoment(from, time.Time{})
	check.Must(w, err)
	into := durabletest.NewMem()
	o := replay.Options{ClientID: "acme", Product: w.Product, Source: w.Mem, Target: into, Data: into, From: m, To: snapshot.Newest,
		Key: dataroot.Key, Version: "test", Fingerprint: dataroot.Key.Fingerprint()}
	if edit != nil {
		edit(&o)
	}
	r, err := replay.Run(w.Context(), o)
	return r, into, err
}

func files(t testing.TB, f durable.FS, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := f.ReadDir(dir)
	if err != nil {
		return all
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			for k, v := range files(t, f, name) {
				all[k] = v
			}
			continue
		}
		data, err := durable.ReadFile(f, name, 1<<30)
		check.Must(t, err)
		all[name] = string(data)
	}
	return all
}

func kept(t testing.TB, f durable.FS) map[string]string {
	all := map[string]string{}
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir, layout.StateDir} {
		maps.Copy(all, files(t, f, dir))
	}
	return all
}

// more returns a data root of four cycles, in which fixtures are carried over and one is removed.
func more(t testing.TB) *dataroot.Root {
	w := dataroot.Markets(t)
	w.Cycle(2*time.Hour, nil, dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")), dataroot.Offer("9001", dataroot.Offered))
	w.Cycle(3*time.Hour, func(c *raw.Cycle) {
		c.Outcome, c.Code, c.Failed = raw.Partial, "PROVIDER_UNREACHABLE", []string{"9001"}
	},
		dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")))
	return w
}

// The same rules give the same bytes, including manifests, change log and commit records, from
// any cycle on, and the source does not change.
func TestSame(t *testing.T) {
	w := more(t)
	source := kept(t, w.Mem)
	for _, from := range []string{"v1", "v2", "v4", "latest"} {
		r, into, err := replayed(w, from, nil)
		check.Must(t, err)
		if !r.Same() || r.Outcomes[replay.SameBytes] != len(r.Cycles) {
			t.Errorf("from %s: %+v", from, r)
		}
		for name, bytes := range kept(t, into) {
			if source[name] != bytes && !strings.HasPrefix(name, layout.StateDir) {
				t.Errorf("from %s: %s differs", from, name)
			}
		}
	}
	for name, bytes := range kept(t, w.Mem) {
		if source[name] != bytes {
			t.Errorf("%s of the source was changed", name)
		}
	}
}

// repaired is an adapter whose mapping does not know one market.
type repaired struct{ provider.MarketAdapter }

func (m repaired) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	s, err := m.MarketAdapter.ReadMarkets(p, l)
	for i := range s.Fixtures {
		for k := range s.Fixtures[i].Offers {
			if o := &s.Fixtures[i].Offers[k]; o.Key == "full_time_result" {
				o.Reading, o.RawReason = nil, football.NeverMapped
			}
		}
	}
	return s, err
}

func TestMappingChanged(t *testing.T) {
	w := more(t)
	r, _, err := replayed(w, "v1", func(o *replay.Options) {
		o.Provider = func(name string) (provider.Provider, bool) {
			p := betsapi.Provider()
			p.Markets = repaired{p.Markets}
			return p, true
		}
	})
	check.Must(t, err)
	if r.Same() || r.Outcomes[replay.Differs] != 4 {
		t.Fatalf("%+v", r)
	}
	c := r.Cycles[0]
	if c.Columns["fixtures.content_digest"] != 1 || c.Columns["markets added"] != 1 || c.Columns["markets removed"] != 1 || len(c.Why) != 1 {
		t.Errorf("%+v", c)
	}
	if why := strings.Join(r.Cycles[3].Why, "; "); !strings.Contains(why, "carried over") {
		t.Errorf("the last: %s", why)
	}
}

func TestLive(t *testing.T) {
	w := dataroot.Play(t)
	_, err := raw.Compact(w.Mem, layout.NewCycleID(dataroot.Began.Add(2*time.Hour), string(w.Product)))
	check.Must(t, err)
	for from, base := range map[string]bool{"v1": false, "v9": true, "latest~2": true} {
		r, _, err := replayed(w, from, nil)
		check.Must(t, err)
		if !r.Same() || r.Outcomes[replay.SameBytes] != len(r.Cycles) || (r.Base != "") != base {
			t.Errorf("from %s: %+v", from, r)
		}
	}
}

// Of live cycles that retention deleted, the commit records are left to compare with.
func TestLiveDeleted(t *testing.T) {
	w := dataroot.Play(t)
	check.Must(t, w.Mem.RemoveAll(layout.SnapshotsDir))
	cycles, err := snapshot.CyclesIn(w.Mem, layout.CanonicalDir)
	check.Must(t, err)
	for _, id := range cycles[1:] {
		check.Must(t, w.Mem.RemoveAll(layout.Cycle(layout.CanonicalDir, id)))
	}
	for _, from := range []string{"v1", "v2", "v9"} {
		r, _, err := replayed(w, from, nil)
		check.Must(t, err)
		if r.Outcomes[replay.SameBytes] != len(r.Cycles) {
			t.Errorf("from %s: %+v", from, r)
		}
	}
	for name, c := range map[string]struct {
		from string
		want replay.Outcome
		edit func(*replay.Options)
	}{
		"another binary": {"latest", replay.SameRows, func(o *replay.Options) { o.Version = "other" }},
		"another reader": {"v1", replay.Differs, func(o *replay.Options) {
			o.Provider = func(string) (provider.Provider, bool) {
				p := betsapi.Provider()
				p.Live = repairedLive{p.Live}
				return p, true
			}
		}},
	} {
		r, _, err := replayed(w, c.from, c.edit)
		check.Must(t, err)
		if r.Outcomes[c.want] == 0 || r.Outcomes[replay.Unknown] != 0 || r.Same() != (c.want == replay.SameRows) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

type repairedLive struct{ provider.LiveAdapter }

func (m repairedLive) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	s, err := m.LiveAdapter.ReadList(pages)
	for i := range s.Samples {
		s.Samples[i].Counters = slices.DeleteFunc(s.Samples[i].Counters, func(c football.Counter) bool { return c.Metric == football.DangerousAttacks })
	}
	return s, err
}

// The rows that differ are listed for every table: of the snapshot or, if it is deleted, of the
// canonical cycle.
func TestLiveReaderChanged(t *testing.T) {
	w := dataroot.Play(t)
	head, _, err := snapshot.Head(w.Mem)
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(head.Dir()))
	r, _, err := replayed(w, "v1", func(o *replay.Options) {
		o.Provider = func(name string) (provider.Provider, bool) {
			p := betsapi.Provider()
			p.Live = repairedLive{p.Live}
			return p, true
		}
	})
	check.Must(t, err)
	differed := map[string]bool{}
	for _, c := range r.Cycles {
		for _, table := range c.Tables {
			differed[table.Name] = true
			listed := false
			for column := range c.Columns {
				listed = listed || strings.HasPrefix(column, table.Name+".") || strings.HasPrefix(column, table.Name+" ")
			}
			if !listed {
				t.Errorf("%s: no row of %s is listed: %v", c.Cycle, table.Name, c.Columns)
			}
		}
	}
	for _, name := range []string{"live_counters", "live_buckets", "live_states"} {
		if !differed[name] {
			t.Errorf("%s did not differ: %v", name, differed)
		}
	}
}

// A full disk, from any operation on, ends the replay with that error. What is then in the other root are
// whole files of the source, and every publication that it names is complete.
func TestFullDisk(t *testing.T) {
	w := more(t)
	source := kept(t, w.Mem)
	run := func(fullFrom int) (into *durabletest.Mem, ops int, err error) {
		into = durabletest.NewMem()
		disk := durabletest.Wrap(into, func(op durabletest.Op) error {
			if fullFrom > 0 && op.Number >= fullFrom && slices.Contains([]durabletest.Kind{durabletest.Create, durabletest.Write, durabletest.Mkdir}, op.Kind) {
				return durable.NoSpace(string(op.Kind), op.Name)
			}
			return nil
		})
		_, _, err = replayed(w, "v1", func(o *replay.Options) { o.Target, o.Data = disk, disk })
		return into, disk.Ops(), err
	}
	_, ops, err := run(0)
	check.Must(t, err)
	failed := 0
	for n := 1; n <= ops; n += 1 + ops/100 {
		into, _, err := run(n)
		if err == nil {
			continue // it needed no more space
		}
		failed++
		if !errors.Is(err, durable.ErrNoSpace) {
			t.Fatalf("full from operation %d on: %v", n, err)
		}
		for name, bytes := range kept(t, into) {
			_, isTemporary := durable.TempOf(name)
			if source[name] != bytes && !strings.HasPrefix(name, layout.StateDir) && !isTemporary {
				t.Errorf("full from operation %d on: %s has %d bytes, want the %d of the source", n, name, len(bytes), len(source[name]))
			}
		}
		head, found, err := snapshot.Head(into)
		check.Must(t, err)
		if !found {
			continue
		}
		for c, err := range snapshot.Backward(into, head) {
			check.Must(t, err)
			m, err := snapshot.Open(into, c)
			check.Must(t, err)
			for _, f := range m.Files {
				if source[c.Dir()+"/"+f.Name] != files(t, into, c.Dir())[c.Dir()+"/"+f.Name] {
					t.Errorf("full from operation %d on: version %d lacks %s", n, c.Version, f.Name)
				}
			}
		}
	}
	if failed < 50 {
		t.Errorf("the disk was full %d times in %d operations", failed, ops)
	}
}

// A replay that is stopped while it copies payloads copies no further file.
func TestStoppedWhileCopying(t *testing.T) {
	w := more(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := 0
	disk := durabletest.Wrap(durabletest.NewMem(), func(op durabletest.Op) error {
		if op.Kind == durabletest.Create && strings.HasPrefix(op.Name, layout.RawDir) {
			begun++
			stop()
		}
		return nil
	})
	m, err := snapshot.ParseMoment("v1", time.Time{})
	check.Must(t, err)
	_, err = replay.Run(ctx, replay.Options{ClientID: "acme", Product: w.Product, Source: w.Mem, Target: disk, Data: disk, From: m, To: snapshot.Newest, Key: dataroot.Key, Version: "test"})
	if !errors.Is(err, context.Canceled) || begun != 1 {
		t.Errorf("%v after %d files", err, begun)
	}
}

// A refused replay has written nothing.
func TestRefused(t *testing.T) {
	w := more(t)
	if _, _, err := replayed(w, "v1", func(o *replay.Options) { o.Key = identity.Key{9} }); !errors.Is(err, transform.ErrKey) {
		t.Errorf("another key: %v", err)
	}
	if _, _, err := replayed(w, "v9", nil); !errors.Is(err, snapshot.ErrUnknown) {
		t.Errorf("a publication that is not there: %v", err)
	}
	c, err := snapshot.Resolve(w.Mem, "v2")
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(c.Dir()))
	r, _, err := replayed(w, "v3", nil)
	check.Must(t, err)
	if len(r.Notes) == 0 || r.Base != "" {
		t.Errorf("what it continues from is deleted: %+v", r)
	}
	check.Must(t, w.Mem.RemoveAll(layout.RawDir))
	if _, _, err := replayed(w, "v1", nil); !errors.Is(err, replay.ErrNothing) {
		t.Errorf("payloads that are deleted: %v", err)
	}
}

// The data root of a worker begins at a publication that it copied from the store: what comes before is not there.
func TestBeginsLater(t *testing.T) {
	w := more(t)
	check.Must(t, snapshot.WriteFirst(w.Mem, 3))
	for n := uint64(1); n < 3; n++ {
		c, err := snapshot.ReadCommit(w.Mem, n)
		check.Must(t, err)
		check.Must(t, w.Mem.RemoveAll(c.Dir()))
		check.Must(t, w.Mem.Remove(layout.Commit(n)))
	}
	r, into, err := replayed(w, "v4", nil)
	check.Must(t, err)
	if !r.Same() || r.Outcomes[replay.SameBytes] != 1 || r.Base == "" {
		t.Errorf("with the publication before: %+v", r)
	}
	head, _, err := snapshot.Head(into)
	check.Must(t, err)
	for _, err := range snapshot.Backward(into, head) {
		check.Must(t, err)
	}
	check.Must(t, snapshot.WriteFirst(w.Mem, 4))
	c, err := snapshot.ReadCommit(w.Mem, 3)
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(c.Dir()))
	check.Must(t, w.Mem.Remove(layout.Commit(3)))
	withoutBase(t, w, "v4", "version 3")
}

// The publication before the range is never replaced by an older one.
func TestRecordDamaged(t *testing.T) {
	w := more(t)
	check.Must(t, durable.Overwrite(w.Mem, layout.Commit(3), []byte("{")))
	withoutBase(t, w, "v4", "version 3")
}

// withoutBase replays a publication that carries fixtures over from one that is not there.
func withoutBase(t *testing.T, w *dataroot.Root, from, which string) {
	t.Helper()
	r, _, err := replayed(w, from, nil)
	check.Must(t, err)
	if r.Base != "" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], which) {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Cycles {
		if why := strings.Join(c.Why, "; "); c.Outcome != replay.Differs || strings.Contains(why, "an error in mkt") || !strings.Contains(why, which) {
			t.Errorf("%s: %s", c.Outcome, why)
		}
	}
}

// Commit records that were compacted are read from their pack.
func TestRecordsCompacted(t *testing.T) {
	w := dataroot.Markets(t)
	for n := range layout.PackedCommits {
		w.Cycle(time.Duration(n+2)*time.Hour, nil, dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")), dataroot.Offer("9001", dataroot.Offered))
	}
	n, err := snapshot.CompactCommits(w.Mem, layout.PackedCommits+1)
	check.Must(t, err)
	if n == 0 {
		t.Fatal("nothing was compacted")
	}
	r, _, err := replayed(w, "latest", nil)
	check.Must(t, err)
	if r.Outcomes[replay.SameBytes] != 1 {
		t.Errorf("%+v", r)
	}
}
