package publish_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"testing"

	"mkt/publish"
	"mkt/publish/durable"
)

var rounds = flag.Int("rounds", 30, "times that four publishers race")

// P4: four publishers at once, none of which takes the lock. Each version has one winner,
// the others get ErrConflict, and the chain is intact. (-rounds 100 makes it 400 tries.)
func TestConcurrentPublishers(t *testing.T) {
	t.Parallel()
	rounds := *rounds
	if testing.Short() {
		rounds = min(rounds, 8)
	}
	disk, err := durable.OpenRoot(t.TempDir())
	must(t, err)
	defer disk.Close()
	for round := 1; round <= rounds; round++ {
		c := cycle{number: round, refreshed: []int{1, round % 7}, failed: []int{2, 3, 4, 5, 6}}
		if round%7 <= 1 {
			c.refreshed = c.refreshed[:1]
		}
		c.transform(t, disk)
		var done sync.WaitGroup
		var errs [4]error
		var sums [4]publish.Summary
		for i := range errs {
			done.Go(func() {
				sums[i], errs[i] = publish.Run(context.Background(), options(disk, c, fmt.Sprintf("run-%d-%d", round, i)))
			})
		}
		done.Wait()
		won := 0
		for i, err := range errs {
			switch {
			case err == nil && !sums[i].Already:
				won++
			case err != nil && !errors.Is(err, publish.ErrConflict):
				t.Fatalf("round %d, publisher %d: %v", round, i, err)
			}
		}
		if won != 1 {
			t.Fatalf("round %d: %d winners", round, won)
		}
		d, err := look(disk)
		if err != nil || d.commit.Version != uint64(round) {
			t.Fatalf("round %d: version %d, %v", round, d.commit.Version, err)
		}
	}
}
