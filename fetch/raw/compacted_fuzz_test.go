package raw_test

import (
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// FuzzCompacted checks that a changed file never yields a changed cycle.
func FuzzCompacted(f *testing.F) {
	mem := durabletest.NewMem()
	ids := []layout.CycleID{tickAt(f, mem, 0, nil), tickAt(f, mem, 8*time.Second, nil)}
	_, err := raw.Compact(mem, layout.NewCycleID(start.Add(2*time.Hour), "market_engine"))
	must(f, err)
	name := layout.RawPack(ids[0])
	data, err := durable.ReadFile(mem, name, 1<<20)
	must(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("not compacted"))
	f.Fuzz(func(t *testing.T, data []byte) {
		mem := durabletest.NewMem()
		must(t, durable.MkdirAllSync(mem, layout.RawDir))
		must(t, durable.Create(mem, name, durable.Bytes(data)))
		_, _ = raw.Between(mem, time.Time{}, time.Time{}) // an error is fine
		for _, id := range ids {
			a, err := raw.Open(mem, id)
			if err != nil {
				continue
			}
			if a.Cycle().CycleID != id {
				t.Errorf("%s opens as %s", id, a.Cycle().CycleID)
			}
			for _, r := range a.Responses() {
				if body, err := a.Body(r); err == nil && durable.Hash(body) != r.SHA256 {
					t.Errorf("%s: a body of another hash", id)
				}
			}
		}
	})
}
