package snapshot_test

import (
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

func records(t testing.TB, n uint64) *durabletest.Mem {
	t.Helper()
	f, last := durabletest.NewMem(), snapshot.Commit{}
	must(t, durable.MkdirAllSync(f, layout.CommitsDir))
	for v := uint64(1); v <= n; v++ {
		at := start.Add(time.Duration(8*v) * time.Second)
		c := snapshot.Commit{Format: snapshot.Format, Version: v, HistoryID: "h", RunID: "r", CycleID: layout.NewCycleID(at, "live_intelligence"),
			PublishedAt: at.Add(time.Second), ManifestSHA256: durable.Hash(nil), FirstSeq: 1, PreviousSHA256: last.SHA256}
		var err error
		last, err = snapshot.Seal(f, c, "staged")
		must(t, err)
		must(t, f.Remove("staged"))
	}
	return f
}

func readable(t *testing.T, f durable.FS, n uint64) {
	t.Helper()
	newest, found, err := snapshot.Last(f)
	if err != nil || !found || newest.Version != n {
		t.Fatalf("the newest is %d, %v", newest.Version, err)
	}
	follows := newest.SHA256
	for c, err := range snapshot.Backward(f, newest) {
		must(t, err)
		if c.SHA256 != follows {
			t.Fatalf("record %d is not the one that the next follows", c.Version)
		}
		follows = c.PreviousSHA256
	}
}

func loose(t *testing.T, f durable.FS) int {
	t.Helper()
	entries, err := f.ReadDir(layout.CommitsDir)
	must(t, err)
	return len(entries) - 1
}

// After a kill at any operation and a power cut no record is lost, and the next run
// completes the compaction.
func TestPackKilledAtEveryOperation(t *testing.T) {
	const n = layout.PackedCommits + 2
	base := records(t, n)
	for k := 1; ; k += 1 + k/4 {
		mem := base.PowerCut(1, 1)
		_, killed := snapshot.CompactCommits(durabletest.Wrap(mem, durabletest.KillAt(k)), n)
		for _, keep := range []float64{0, 0.5, 1} {
			after := mem.PowerCut(keep, uint64(k))
			readable(t, after, n)
			_, err := snapshot.CompactCommits(after, n)
			must(t, err)
			readable(t, after, n)
			if left := loose(t, after); left != 2 {
				t.Fatalf("keep %v, operation %d: %d records left", keep, k, left)
			}
		}
		if killed == nil {
			break
		}
	}
}

// packed is the first pack of a root.
func packed(t *testing.T, f *durabletest.Mem, n uint64) (name string, data []byte) {
	t.Helper()
	other := f.PowerCut(1, 1)
	_, err := snapshot.CompactCommits(other, n)
	must(t, err)
	name, _, _ = layout.CommitPack(1)
	data, err = durable.ReadFile(other, name, 1<<20)
	must(t, err)
	return name, data
}

// A run that was killed before it had deleted the records is continued by another build,
// whose compression gives other bytes.
func TestPackOfAnotherBuild(t *testing.T) {
	const n = layout.PackedCommits + 2
	f := records(t, n)
	name, data := packed(t, f, n)
	in, err := zstd.NewReader(nil)
	must(t, err)
	plain, err := in.DecodeAll(data, nil)
	must(t, err)
	out, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	must(t, err)
	must(t, durable.Create(f, name, durable.Bytes(out.EncodeAll(plain, nil))))
	if done, err := snapshot.CompactCommits(f, n); err != nil || done != layout.PackedCommits || loose(t, f) != 2 {
		t.Errorf("%d compacted, %d records left, %v", done, loose(t, f), err)
	}
	readable(t, f, n)
}

// A record is not deleted if the pack has another one in its place.
func TestPackThatHoldsAnother(t *testing.T) {
	const n = layout.PackedCommits + 2
	f := records(t, n)
	name, data := packed(t, f, n)
	must(t, durable.Create(f, name, durable.Bytes(data)))
	record, err := durable.ReadFile(f, layout.Commit(200), 1<<20)
	must(t, err)
	must(t, durable.Overwrite(f, layout.Commit(200), append(record, ' ')))
	if _, err := snapshot.CompactCommits(f, n); err == nil || loose(t, f) != n {
		t.Errorf("%d records left, %v", loose(t, f), err)
	}
}
