package batch

import (
	"slices"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// The memory of publish depends on the size of the cycle that it publishes: the newest one if none
// is named.
func TestPublishMemory(t *testing.T) {
	const first, second, lost = "20261120T090000Z-market_engine", "20261120T100000Z-market_engine", "20261120T110000Z-market_engine"
	root := durabletest.NewMem()
	for cycle, size := range map[layout.CycleID]int{first: 1 << 20, second: 3 << 20} {
		dir := layout.Cycle(layout.CanonicalDir, cycle)
		check.Must(t, root.MkdirAll(dir))
		check.Must(t, durable.Create(root, dir+"/"+layout.MarketsFile, durable.Bytes(make([]byte, size))))
	}
	memory := func(cycle layout.CycleID, product football.Product) int64 {
		return publishMemory(Task{Job: Job{Product: product}, Root: root, Cycle: cycle}) >> 20
	}
	if got := memory("", football.MarketEngine); got != 256 {
		t.Errorf("%d MiB before any cycle", got)
	}
	check.Must(t, health.Record(root, health.Run{Step: "transform", Cycle: second, OK: true}))
	got := []int64{memory("", football.MarketEngine), memory(first, football.MarketEngine), memory(lost, football.MarketEngine), memory("", football.LiveIntelligence)}
	if want := []int64{140, 132, 256, 32}; !slices.Equal(got, want) {
		t.Errorf("%d MiB, want %d", got, want)
	}
}
