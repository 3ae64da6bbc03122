package commitlog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
)

// BenchmarkRun measures a run of the log over accounts on a real disk, all of which have a newer
// publication, and one in which nothing is new.
func BenchmarkRun(b *testing.B) {
	for _, accounts := range []int{1, 50, 5_000} {
		h := newHistory(b)
		h.cycle(1, "1.90")
		first := filepath.Join(h.data, "client_id=acme", "product=market_engine")
		for n := range accounts - 1 {
			dir := filepath.Join(h.data, fmt.Sprintf("client_id=a%d", n), "product=market_engine")
			check.Must(b, os.MkdirAll(dir, 0o755))
			check.Must(b, os.CopyFS(filepath.Join(dir, "commits"), os.DirFS(filepath.Join(first, "commits"))))
			current, err := os.ReadFile(filepath.Join(first, "CURRENT"))
			check.Must(b, err)
			check.Must(b, os.WriteFile(filepath.Join(dir, "CURRENT"), current, 0o644))
		}
		text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
		check.Must(b, err)
		key, err := transparency.ParseKey(text)
		check.Must(b, err)
		run := func(added int) {
			b.Helper()
			r, err := commitlog.Run(b.Context(), commitlog.Options{Data: h.data, Key: key, Wait: time.Minute, Now: time.Now})
			check.Must(b, err)
			if len(r.Added) != added || len(r.Failed) > 0 {
				b.Fatalf("%d leaves added, %v", len(r.Added), r.Failed)
			}
		}
		b.Run(fmt.Sprintf("%d accounts", accounts), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				check.Must(b, os.RemoveAll(filepath.Join(h.data, "log")))
				check.Must(b, os.RemoveAll(filepath.Join(h.data, "leaves")))
				b.StartTimer()
				run(accounts)
			}
		})
		b.Run(fmt.Sprintf("%d accounts, nothing new", accounts), func(b *testing.B) {
			for b.Loop() {
				run(0)
			}
		})
	}
}
