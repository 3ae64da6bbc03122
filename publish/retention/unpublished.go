package retention

import (
	"io/fs"
	"slices"
	"time"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// CollectUnpublished limits the cycles that are never published: [Collect], which runs after a
// publication, does not delete them. Of the raw and canonical cycles after head, the newest
// publication, it keeps the newest Cycles of their kind, and those younger than CycleAge, measured
// against the newest of them. It thins them out as Collect does. It also keeps the first, which
// shows how the failure began, the newest, and those in spare. Only the holder of the lock may call
// it. It may be killed at any point.
func CollectUnpublished(o Options, head snapshot.Commit, spare ...layout.CycleID) (Collected, error) {
	c := newCollector(o, head)
	err := c.collectUnpublished(spare)
	return c.done, err
}

func (c *collector) collectUnpublished(spare []layout.CycleID) error {
	if err := c.begin(); err != nil || c.Policy.CycleAge == 0 {
		return err
	}
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
		if err := c.unpublished(dir, spare); err != nil {
			return err
		}
	}
	return c.compactedUnpublished()
}

// unpublished deletes old cycles of a folder after the newest publication.
func (c *collector) unpublished(dir string, spare []layout.CycleID) error {
	var waiting []layout.CycleID // sorted
	err := c.each(dir, func(_ string, e fs.DirEntry) error {
		if cycle, ok := layout.ParseCycleDir(e.Name()); ok && cycle > c.head.CycleID {
			waiting = append(waiting, cycle)
		}
		return nil
	})
	if err != nil || len(waiting) < 2 {
		return err
	}
	times := make([]time.Time, len(waiting))
	for i, cycle := range waiting {
		times[i] = startOf(cycle)
	}
	ages, hour := agesOf(times), ""
	for i, cycle := range waiting {
		first := layout.HourOf(cycle) != hour
		hour = layout.HourOf(cycle)
		newer := len(waiting) - i - 1
		thinned := c.Policy.frequent && dir == layout.CanonicalDir && !first && ages[i] >= frequentAge && newer >= frequentCount
		old := ages[i] >= max(c.Policy.CycleAge, leastAge) && newer >= c.Policy.cycles()
		if i == 0 || slices.Contains(spare, cycle) || !thinned && !old {
			continue
		}
		c.done.Cycles++
		if err := c.remove(layout.Cycle(dir, cycle)); err != nil {
			return err
		}
	}
	return nil
}

// packsInHour is the number of files with compacted raw cycles in an hour.
const packsInHour = 6

// compactedUnpublished deletes old files of compacted raw cycles after the newest publication.
func (c *collector) compactedUnpublished() error {
	var packs []string
	var until []time.Time
	err := c.each(layout.RawDir, func(name string, e fs.DirEntry) error {
		if end, ok := layout.ParseRawPack(e.Name()); ok && end.After(c.head.PublishedAt) {
			packs, until = append(packs, name), append(until, end)
		}
		return nil
	})
	ages := agesOf(until)
	for i := range packs {
		newer := (len(packs) - i - 1) * cyclesInHour / packsInHour
		if err != nil || i == 0 || ages[i] < max(c.Policy.CycleAge, leastAge) || newer < c.Policy.cycles() {
			continue
		}
		c.done.Cycles++
		err = c.removeFile(packs[i])
	}
	return err
}
