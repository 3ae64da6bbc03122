package table_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"mkt/internal/testing/rowstest"
	"mkt/publish/table"
)

// Tables with bytes changed, removed and inserted are read or refused. The reader
// neither hangs nor panics, and does not allocate what a wrong length asks for.
func TestMutants(t *testing.T) {
	mutants := 5_000
	if testing.Short() {
		mutants = 500
	}
	data, _ := write(t, rowstest.Markets(4, 3), 2)
	events, _ := write(t, []table.EventRow{{Seq: 1, PublishedAt: time.Unix(1, 0)}, {Seq: 2, PublishedAt: time.Unix(2, 0)}}, 2)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range mutants {
		mutant := bytes.Clone(data)
		if n%2 == 1 {
			mutant = bytes.Clone(events)
		}
		for range 1 + r.IntN(8) {
			at := r.IntN(len(mutant))
			if n%4 < 2 { // the footer is where the lengths are
				at = len(mutant) - 1 - r.IntN(min(len(mutant), 4096))
			}
			switch r.IntN(4) {
			case 0:
				mutant = append(mutant[:at], mutant[min(len(mutant), at+1+r.IntN(16)):]...)
			case 1:
				mutant = append(mutant[:at:at], append([]byte{byte(r.Uint32()), 0xff, 0x7f}, mutant[at:]...)...)
			default:
				mutant[at] = byte(r.Uint32())
			}
			if len(mutant) == 0 {
				break
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		drain[table.MarketRow](mutant)
		drain[table.PriceRow](mutant)
		drain[table.EventRow](mutant)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("reading mutant %d, of %d bytes, allocated %d MiB", n, len(mutant), took>>20)
		}
	}
}
