package publish

import (
	"io/fs"
	"slices"
	"time"

	"mkt/publish/layout"
)

// CollectUnpublished bounds what cycles leave behind that never come to be
// published: Collect, which runs after a publication, does not see to them. Of
// the cycles after the newest publication it lets go of raw and canonical ones
// that are not among the newest Cycles of their kind and older than CycleAge, measured
// against the newest of them, and thins out as Collect does. The first, which shows what began it, the newest,
// and those that are to be spared stay; what is published stays as it is. Only
// for the holder of the lock; it may be killed at any point.
func CollectUnpublished(o Collection, spare ...layout.CycleID) (Collected, error) {
	c := newCollector(o)
	err := c.collectUnpublished(spare)
	return c.done, err
}

func (c *collector) collectUnpublished(spare []layout.CycleID) error {
	if err := c.begin(); err != nil || c.keep.CycleAge == 0 {
		return err
	}
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
	times := make([]time.Time, len(waiting))
	for i, cycle := range waiting {
		times[i] = began(cycle)
	}
	ages, hour := agesOf(times), ""
	for i, cycle := range waiting {
		first := layout.HourOf(cycle) != hour
		hour = layout.HourOf(cycle)
		newer := len(waiting) - i - 1
		thinned := c.keep.ticks && dir == layout.CanonicalDir && !first && ages[i] >= tickAge && newer >= tickCount
		old := ages[i] >= max(c.keep.CycleAge, leastAge) && newer >= c.keep.cycles()
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

// packsOf is how many packs an hour of raw cycles has.
const packsOf = 6

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
	ages := agesOf(until)
	for i := range packs {
		newer := (len(packs) - i - 1) * ticksOf / packsOf
		if err != nil || i == 0 || ages[i] < max(c.keep.CycleAge, leastAge) || newer < c.keep.cycles() {
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
