package retention

import (
	"io/fs"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// snapshotsAndSegments deletes folders older than the oldest kept snapshot, and segments not
// named by a kept manifest.
func (c *collector) snapshotsAndSegments() error {
	err := c.each(layout.SnapshotsDir, func(name string, e fs.DirEntry) error {
		cycle, ok := layout.ParseCycleDir(e.Name())
		if !ok || cycle >= c.oldest.CycleID {
			return nil
		}
		if young := c.age(cycle) < debrisAge && !c.Policy.frequent; young {
			if _, published, err := snapshot.OfCycle(c.Root, c.head, cycle); err != nil || !published {
				return err
			}
		}
		c.done.Snapshots++
		return c.remove(name)
	})
	if err != nil {
		return err
	}
	unused, err := UnusedSegments(c.Root, c.oldest, c.head, func(of snapshot.Commit) (snapshot.Manifest, error) { return snapshot.Open(c.Root, of) })
	if err != nil {
		return err
	}
	for _, dir := range []string{layout.ChangesDir, layout.StepsDir} {
		err := c.each(dir, func(name string, _ fs.DirEntry) error {
			if !unused(name) {
				return nil
			}
			c.done.Segments++
			return c.removeFile(name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cycles deletes old, published raw and canonical cycles, and compacted raw ones.
func (c *collector) cycles() error {
	if c.marks.Raw == nil {
		return nil
	}
	_, product, _ := layout.ParseCycleID(string(c.head.CycleID)) // valid: it is in a commit
	err := c.each(layout.RawDir, func(name string, e fs.DirEntry) error {
		if until, compacted := layout.ParseRawPack(e.Name()); compacted {
			if layout.NewCycleID(until, product) > c.marks.Raw.Before {
				return nil // some cycles in it are kept
			}
			c.done.Cycles++
			return c.removeFile(name)
		}
		if cycle, ok := layout.ParseCycleDir(e.Name()); !ok || !c.marks.Raw.Covers(cycle) {
			return nil
		}
		c.done.Cycles++
		return c.remove(name)
	})
	if err != nil {
		return err
	}
	hour := ""
	return c.each(layout.CanonicalDir, func(name string, e fs.DirEntry) error {
		cycle, ok := layout.ParseCycleDir(e.Name())
		if !ok {
			return nil
		}
		first := layout.HourOf(cycle) != hour
		hour = layout.HourOf(cycle)
		if !c.marks.Canonical.Covers(cycle) && (first || !c.marks.Thinned.Covers(cycle)) {
			return nil
		}
		c.done.Cycles++
		return c.remove(name)
	})
}
