package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Collected is what retention let go of.
type Collected struct {
	Snapshots, Cycles, Segments, Debris int
	Packed                              int // commit records that were rolled up
}

// collect applies the retention after a commit. What goes wrong is for the next
// run: the publication is done.
func (r *run) collect() {
	if r.product.ticks && !r.isDue() {
		return
	}
	var err error
	if r.summary.Collected, err = Collect(Collection{Root: r.Root, Now: r.Now(), Keep: r.Retention.For(r.Product)}); err != nil {
		r.Log.Warn("collecting old data stopped early", "tenant", r.ClientID, "product", r.Product, "error", err)
	}
}

// isDue tells whether this publication is the account's first in collectEvery.
func (r *run) isDue() bool {
	return layout.Slot(r.cycle, r.ClientID, collectEvery) != layout.Slot(r.base.CycleID, r.ClientID, collectEvery)
}

// Collection is what Collect is to do.
type Collection struct {
	Root durable.FS // of the tenant and product; the caller holds its lock
	Now  time.Time
	Keep Retention // of the product: see Retention.For
	// AfterLeap: the clock is right, although the newest publication came so late that
	// it may have leapt. Without it the error is ErrLeap.
	AfterLeap bool
	// DryRun deletes and rolls up nothing.
	DryRun bool
	// Tell is told every name before it is deleted; nil = nobody.
	Tell func(name string)
}

// Collect deletes what retention lets go of, and debris. It may be killed at any
// point. What will be missing is recorded first (Floors); a folder is moved to
// where nobody looks before it is deleted, so that it is there whole or not at
// all. What a reader may hold is kept: retention is never shorter than that.
func Collect(o Collection) (Collected, error) {
	c := newCollector(o)
	err := c.collect()
	return c.done, err
}

func newCollector(o Collection) *collector {
	c := &collector{f: o.Root, now: o.Now, keep: o.Keep, afterLeap: o.AfterLeap, dry: o.DryRun, tell: o.Tell}
	if c.tell == nil {
		c.tell = func(string) {}
	}
	return c
}

type collector struct {
	f         durable.FS
	now       time.Time
	keep      Retention
	afterLeap bool
	dry       bool
	tell      func(string)

	head   snapshot.Commit
	oldest snapshot.Commit // whose snapshot is kept
	floors Floors          // of this retention
	done   Collected
}

func (c *collector) collect() error {
	if err := c.begin(); err != nil || c.head.Version == 0 {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	if err := c.raise(); err != nil {
		return err
	}
	if c.floors.Snapshots != nil {
		if err := c.snapshotsAndSegments(); err != nil {
			return err
		}
		if err := c.packCommits(); err != nil {
			return err
		}
	}
	return c.cycles()
}

// begin finds the newest publication, and sweeps what broken runs left behind.
func (c *collector) begin() error {
	head, found, err := snapshot.Last(c.f)
	if err != nil {
		return err
	}
	c.head = head
	if found && !c.afterLeap {
		if err := checkLeap(c.f, head); err != nil {
			return err
		}
	}
	return c.sweepStaging()
}

// settle works out what is kept.
func (c *collector) settle() (err error) {
	if c.keep.Snapshots > 0 || c.keep.SnapshotAge > 0 {
		by := newRule(max(c.keep.Snapshots, leastCount), max(c.keep.SnapshotAge, c.keep.leastAge()))
		if c.oldest, err = oldestKept(c.f, c.head, by); err != nil {
			return err
		}
		c.floors.Snapshots = snapshotFloor(c.head, c.oldest, by)
	}
	if c.keep.CycleAge > 0 {
		if c.floors.Raw, err = cycleFloor(c.f, c.head, newRule(c.keep.cycles(), max(c.keep.CycleAge, leastAge))); err != nil {
			return err
		}
		c.floors.Canonical = c.floors.Raw
		if c.keep.ticks {
			c.floors.Thinned, err = cycleFloor(c.f, c.head, newRule(tickCount, tickAge))
		}
	}
	return err
}

func newRule(count int, age time.Duration) rule {
	return rule{count: count, age: age.Truncate(time.Second), capped: true}
}

// oldestKept is the oldest commit whose snapshot is kept. Versions and times
// rise together, so it halves its way.
func oldestKept(f durable.FS, head snapshot.Commit, by rule) (snapshot.Commit, error) {
	cutoff, err := by.cutoff(f, head)
	if err != nil {
		return head, err
	}
	byCount := int(head.Version) - by.count
	oldest := head
	sort.Search(max(byCount, 0)+1, func(i int) bool {
		if err != nil {
			return true
		}
		var commit snapshot.Commit
		if commit, err = snapshot.ReadCommit(f, uint64(i)+1); err != nil {
			return true
		}
		young := !commit.PublishedAt.Before(cutoff) || i >= byCount
		if young {
			oldest = commit
		}
		return young
	})
	return oldest, err
}

// packCommits rolls up the records of snapshots that are gone, where there are
// many.
func (c *collector) packCommits() (err error) {
	if c.keep.ticks && !c.dry {
		c.done.Packed, err = snapshot.Pack(c.f, c.oldest.Version)
	}
	return err
}

// sweepStaging deletes what broken runs left behind: what waits for it at once,
// the rest when it is a day old.
func (c *collector) sweepStaging() error {
	if c.dry {
		return nil
	}
	if err := c.f.RemoveAll(layout.GoneDir); err != nil {
		return err
	}
	for _, dir := range []string{layout.AsideDir, layout.StagingDir} {
		err := c.each(dir, func(name string, e fs.DirEntry) error {
			info, err := e.Info()
			if err != nil || name == layout.AsideDir || c.now.Sub(info.ModTime()) < debrisAge {
				return missing(err)
			}
			c.done.Debris++
			c.tell(name)
			return c.f.RemoveAll(name)
		})
		if err != nil {
			return err
		}
	}
	since := c.now.Add(-debrisAge)
	return errors.Join(durable.RemoveTemps(c.f, ".", since), durable.RemoveTemps(c.f, layout.StateDir, since),
		durable.RemoveTemps(c.f, layout.CommitsDir, since))
}

// age of a cycle against the newest publication.
func (c *collector) age(cycle layout.CycleID) time.Duration {
	at := began(cycle)
	if at.IsZero() {
		return 0
	}
	return c.head.PublishedAt.Sub(at)
}

// remove deletes a folder: first its name, in one step, then what is in it.
func (c *collector) remove(name string) error {
	c.tell(name)
	if c.dry {
		return nil
	}
	gone, err := durable.SetAside(c.f, name, layout.GoneDir)
	if err != nil {
		return err
	}
	return c.f.RemoveAll(gone)
}

// removeFile deletes a file.
func (c *collector) removeFile(name string) error {
	c.tell(name)
	if c.dry {
		return nil
	}
	return c.f.Remove(name)
}

// each visits the entries of a folder, which may be missing, by their whole name.
func (c *collector) each(dir string, visit func(name string, e fs.DirEntry) error) error {
	entries, err := c.f.ReadDir(dir)
	if err != nil {
		return missing(err)
	}
	for _, e := range entries {
		if err := visit(dir+"/"+e.Name(), e); err != nil {
			return fmt.Errorf("%s/%s: %w", dir, e.Name(), err)
		}
	}
	return nil
}
