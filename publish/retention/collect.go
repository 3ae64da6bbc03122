package retention

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Collected counts the deletions.
type Collected struct {
	Snapshots, Cycles, Segments, Debris int
	Compacted                           int // commit records
}

// Options of one collection.
type Options struct {
	Root   durable.FS // of the tenant and product; the caller holds its lock
	Now    time.Time
	Policy Policy // of the product: see Policy.For
	// AfterJump: the clock is right, although the newest publication came so late that it may
	// have jumped. Otherwise the error is [ErrClockJump].
	AfterJump bool
	// DryRun deletes and compacts nothing.
	DryRun bool
	// Report is called with every name before it is deleted; it may be nil.
	Report func(name string)
}

// Collect deletes everything not kept by the policy, and the remains of interrupted runs. head is
// the newest publication; its Version is 0 if nothing was published yet. Collect may be killed at
// any point. The deletions are recorded first, see [Watermarks]. A folder is renamed before it is
// deleted, so it is visible either completely or not at all. The minimum ages of a policy protect
// the data of readers.
func Collect(o Options, head snapshot.Commit) (Collected, error) {
	c := newCollector(o, head)
	err := c.collect()
	return c.done, err
}

func newCollector(o Options, head snapshot.Commit) *collector {
	if o.Report == nil {
		o.Report = func(string) {}
	}
	return &collector{Options: o, head: head}
}

type collector struct {
	Options
	head   snapshot.Commit
	oldest snapshot.Commit // the oldest one with a kept snapshot
	marks  Watermarks      // of this policy
	done   Collected
}

func (c *collector) collect() error {
	if err := c.begin(); err != nil || c.head.Version == 0 {
		return err
	}
	if err := c.compute(); err != nil {
		return err
	}
	if err := c.marks.record(c.Root, c.DryRun); err != nil {
		return err
	}
	if c.marks.Snapshots != nil {
		if err := c.snapshotsAndSegments(); err != nil {
			return err
		}
		if err := c.compactCommits(); err != nil {
			return err
		}
	}
	return c.cycles()
}

func (c *collector) begin() error {
	if c.head.Version > 0 && !c.AfterJump {
		if err := checkClockJump(c.Root, c.head); err != nil {
			return err
		}
	}
	return c.sweepStaging()
}

func (c *collector) compute() (err error) {
	p := c.Policy
	if p.Snapshots > 0 || p.SnapshotAge > 0 {
		by := newRule(max(p.Snapshots, leastCount), max(p.SnapshotAge, p.leastAge()))
		if c.marks.Snapshots, c.oldest, err = snapshotWatermark(c.Root, c.head, by); err != nil {
			return err
		}
	}
	if p.CycleAge > 0 {
		if c.marks.Raw, err = cycleWatermark(c.Root, c.head, newRule(p.cycles(), max(p.CycleAge, leastAge))); err != nil {
			return err
		}
		c.marks.Canonical = c.marks.Raw
		if p.frequent {
			c.marks.Thinned, err = cycleWatermark(c.Root, c.head, newRule(frequentCount, frequentAge))
		}
	}
	return err
}

func (c *collector) compactCommits() (err error) {
	if c.Policy.frequent && !c.DryRun {
		c.done.Compacted, err = snapshot.CompactCommits(c.Root, c.oldest.Version)
	}
	return err
}

// sweepStaging deletes the remains of interrupted runs. Half-deleted folders go at once, the rest
// when it is a day old.
func (c *collector) sweepStaging() error {
	if c.DryRun {
		return nil
	}
	if err := c.Root.RemoveAll(layout.GoneDir); err != nil {
		return err
	}
	for _, dir := range []string{layout.QuarantineDir, layout.StagingDir} {
		err := c.each(dir, func(name string, e fs.DirEntry) error {
			info, err := e.Info()
			if err != nil || name == layout.QuarantineDir || c.Now.Sub(info.ModTime()) < debrisAge {
				return unlessMissing(err)
			}
			c.done.Debris++
			c.Report(name)
			return c.Root.RemoveAll(name)
		})
		if err != nil {
			return err
		}
	}
	since := c.Now.Add(-debrisAge)
	return errors.Join(durable.RemoveTemps(c.Root, ".", since), durable.RemoveTemps(c.Root, layout.StateDir, since),
		durable.RemoveTemps(c.Root, layout.CommitsDir, since))
}

// age of a cycle, relative to the newest publication.
func (c *collector) age(cycle layout.CycleID) time.Duration {
	at := startOf(cycle)
	if at.IsZero() {
		return 0
	}
	return c.head.PublishedAt.Sub(at)
}

// remove renames a folder in one step, then deletes its content.
func (c *collector) remove(name string) error {
	c.Report(name)
	if c.DryRun {
		return nil
	}
	gone, err := durable.MoveInto(c.Root, name, layout.GoneDir)
	if err != nil {
		return err
	}
	return c.Root.RemoveAll(gone)
}

func (c *collector) removeFile(name string) error {
	c.Report(name)
	if c.DryRun {
		return nil
	}
	return c.Root.Remove(name)
}

// each calls visit with the full names of the entries of a folder, which may be missing.
func (c *collector) each(dir string, visit func(name string, e fs.DirEntry) error) error {
	entries, err := c.Root.ReadDir(dir)
	if err != nil {
		return unlessMissing(err)
	}
	for _, e := range entries {
		if err := visit(dir+"/"+e.Name(), e); err != nil {
			return fmt.Errorf("%s/%s: %w", dir, e.Name(), err)
		}
	}
	return nil
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
