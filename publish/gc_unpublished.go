package publish

import (
	"io/fs"
	"slices"
	"time"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// CollectUnpublished bounds what cycles leave behind that never come to be
// published: Collect, which runs after a publication, does not see to them. Of
// the cycles after the newest publication it lets go of raw and canonical ones
// that are older than CycleAge, measured against the newest of their kind, and
// thins out as Collect does. The first, which shows what began it, the newest,
// and those that are to be spared stay; what is published stays as it is. Only
// for the holder of the lock; it may be killed at any point.
func CollectUnpublished(o Collection, spare ...layout.CycleID) (Collected, error) {
	c := newCollector(o)
	err := c.collectUnpublished(spare)
	return c.done, err
}

func (c *collector) collectUnpublished(spare []layout.CycleID) error {
	if err := c.sweepStaging(); err != nil || c.keep.CycleAge == 0 {
		return err
	}
	head, _, err := snapshot.Last(c.f)
	if err != nil {
		return err
	}
	c.head = head
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
		if err := c.unpublished(dir, spare); err != nil {
			return err
		}
	}
	return c.rolledUnpublished()
}

// unpublished deletes old cycles of a folder that are newer than what is
// published.
func (c *collector) unpublished(dir string, spare []layout.CycleID) error {
	var waiting []layout.CycleID // rising
	err := c.each(dir, func(_ string, e fs.DirEntry) error {
		if cycle, ok := layout.ParseCycleDir(e.Name()); ok && cycle > c.head.CycleID {
			waiting = append(waiting, cycle)
		}
		return nil
	})
	if err != nil || len(waiting) < 2 {
		return err
	}
	hour, last := "", len(waiting)-1
	for i, cycle := range waiting {
		age := began(waiting[last]).Sub(began(cycle))
		first := layout.HourOf(cycle) != hour
		hour = layout.HourOf(cycle)
		thinned := c.keep.ticks && dir == layout.CanonicalDir && !first && age >= tickAge
		if i == 0 || i == last || slices.Contains(spare, cycle) || !thinned && age < max(c.keep.CycleAge, leastAge) {
			continue
		}
		c.done.Cycles++
		if err := c.remove(layout.Cycle(dir, cycle)); err != nil {
			return err
		}
	}
	return nil
}

// rolledUnpublished is rolled for the raw cycles after the newest publication.
func (c *collector) rolledUnpublished() error {
	var packs []string
	var until []time.Time
	err := c.each(layout.RawDir, func(name string, e fs.DirEntry) error {
		if end, ok := layout.ParseRawPack(e.Name()); ok && end.After(c.head.PublishedAt) {
			packs, until = append(packs, name), append(until, end)
		}
		return nil
	})
	for i := range packs {
		if err != nil || i == 0 || until[len(until)-1].Sub(until[i]) < max(c.keep.CycleAge, leastAge) {
			continue
		}
		c.done.Cycles++
		err = c.removeFile(packs[i])
	}
	return err
}

// began is when a cycle began, the zero time for what is none.
func began(cycle layout.CycleID) time.Time {
	at, _, err := layout.ParseCycleID(string(cycle))
	if err != nil {
		return time.Time{}
	}
	return at
}
