package api

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Times are written as the standard library writes them, whatever the year, the zone and the fraction.
func TestAppendTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	times := []time.Time{{}, time.Unix(0, 0), time.Date(-1, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(2028, 2, 29, 1, 2, 3, 4e6, time.FixedZone("", -7*3600))}
	for range 100_000 {
		times = append(times, time.Unix(random.Int64N(1<<38)-1<<36, random.Int64N(1e9)))
	}
	for _, at := range times {
		want := `"` + at.UTC().Format(timeLayout) + `"`
		if got := string(appendTime(nil, at)); got != want {
			t.Fatalf("%v: %s, want %s", at, got, want)
		}
	}
}

func BenchmarkAppendTime(b *testing.B) {
	at := time.Date(2026, 11, 20, 9, 30, 15, 123e6, time.UTC)
	var buffer [64]byte
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			appendTime(buffer[:0], at)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			at.UTC().AppendFormat(buffer[:0], timeLayout)
		}
	})
}
