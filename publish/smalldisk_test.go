package publish_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/retention"
)

// P3 on a real disk with less and less space: a run that does not fit leaves nothing
// visible, and succeeds when there is space again.
func TestRealDiskThatIsFull(t *testing.T) {
	small := needs.Disk(t, "800k")
	disk, err := durable.OpenRoot(filepath.Join(small, "root"))
	must(t, err)
	defer disk.Close()
	full := 0
	for room, number := 0, 1; number <= 20; room, number = room+4<<10, number+1 {
		c := cycle{number: number, refreshed: []int{1, 2}}
		c.transform(t, disk)
		o := options(disk, c, fmt.Sprint("run-", number))
		o.Retention = retention.Policy{Snapshots: 3, SnapshotAge: 1, CycleAge: 1}
		ballast := fill(t, small, room)
		_, err := publish.Run(context.Background(), o)
		if err != nil && !errors.Is(err, durable.ErrNoSpace) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		d, e := look(disk)
		must(t, e)
		if want := uint64(number); err == nil && d.commit.Version != want || err != nil && d.commit.Version != want-1 {
			t.Fatalf("room for %d bytes: version %d, %v", room, d.commit.Version, err)
		}
		must(t, os.Remove(ballast))
		if err != nil {
			full++
			_, err := publish.Run(context.Background(), o)
			must(t, err)
		}
	}
	t.Logf("%d of 20 runs found the disk full", full)
	if full == 0 {
		t.Error("the disk was never full: is it small?")
	}
}

// fill fills a disk until room bytes are free.
func fill(t testing.TB, disk string, room int) string {
	t.Helper()
	name := filepath.Join(disk, "ballast")
	file, err := os.Create(name)
	must(t, err)
	defer file.Close()
	size := 0
	for err == nil {
		var n int
		n, err = file.Write(make([]byte, 4<<10))
		size += n
	}
	must(t, file.Truncate(int64(max(size-room, 0))))
	return name
}
