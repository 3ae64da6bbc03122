package snapshot_test

import (
	"testing"
	"time"

	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// FuzzMoment: what a person writes is understood in one way, or refused; and a time
// that is understood is found again by its own text.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{"latest", "latest~2", "v17", "20261121T140312Z-market_engine", "20261121T140312Z", "2026-11-21T14:05:00Z", "2026-11-21 14:05",
		"latest~", "v0", "v-1", "2026-11-21", "latest~99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := snapshot.ParseMoment(s)
		if err != nil {
			return
		}
		at, isTime := m.Time()
		if isTime && m.IsCycle() {
			t.Errorf("%q is a time and a cycle", s)
		}
		again, err := snapshot.ParseMoment(m.String())
		if err != nil {
			t.Fatalf("%q: %v", m, err)
		}
		if other, ok := again.Time(); ok != isTime || !other.Equal(at) {
			t.Errorf("%q is %v, read again %v", s, at, other)
		}
		if isTime && at.Year() > 0 && at.Year() < 10000 {
			if other, err := snapshot.ParseMoment(snapshot.At(at).String()); err != nil {
				t.Errorf("%v as text: %v", at, err)
			} else if same, _ := other.Time(); !same.Equal(at) {
				t.Errorf("%v as text is %v", at, same)
			}
		}
	})
}

// FuzzPack: a file of rolled up records that is not what was written is refused;
// records in it are those it says.
func FuzzPack(f *testing.F) {
	mem := durabletest.NewMem()
	must(f, durable.MkdirAllSync(mem, layout.CommitsDir))
	last := snapshot.Commit{}
	for n := range uint64(300) {
		c := snapshot.Commit{Format: snapshot.Format, Version: n + 1, HistoryID: "h", RunID: "r", CycleID: layout.NewCycleID(time.Unix(1_795_000_000+int64(8*n), 0), "live_intelligence"),
			PublishedAt: time.Unix(1_795_000_001+int64(8*n), 0).UTC(), ManifestSHA256: durable.Hash(nil), FirstSeq: 1, PreviousSHA256: last.SHA256}
		var err error
		last, err = snapshot.Seal(mem, c, "staged")
		must(f, err)
		must(f, mem.Remove("staged"))
	}
	_, err := snapshot.Pack(mem, 300)
	must(f, err)
	name, _, _ := layout.CommitPack(1)
	data, err := durable.ReadFile(mem, name, 1<<20)
	must(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		mem := durabletest.NewMem()
		must(t, durable.MkdirAllSync(mem, layout.CommitsDir))
		must(t, durable.Create(mem, name, durable.Bytes(data)))
		for _, n := range []uint64{1, 2, 256} {
			if c, err := snapshot.ReadCommit(mem, n); err == nil && c.Version != n {
				t.Errorf("record %d is that of %d", n, c.Version)
			}
		}
	})
}
