package snapshot_test

import (
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// FuzzPack checks that a damaged file of compacted records is refused, and that the
// records read from one are those that were written.
func FuzzPack(f *testing.F) {
	mem := records(f, 300)
	_, err := snapshot.CompactCommits(mem, 300)
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
