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
	if r.summary.Collected, err = Collect(r.Root, r.Now(), r.Retention.For(r.Product)); err != nil {
		r.Log.Warn("collecting old data stopped early", "tenant", r.ClientID, "product", r.Product, "error", err)
	}
}

// isDue tells whether this publication is the account's first in collectEvery.
func (r *run) isDue() bool {
	return layout.Slot(r.cycle, r.ClientID, collectEvery) != layout.Slot(r.base.CycleID, r.ClientID, collectEvery)
}

// Collect deletes what the retention of a product (see Retention.For) lets go of,
// and debris. Only for the holder
// of the lock; it may be killed at any point. A folder is first moved to where
// nobody looks, so that it is there whole or not at all.
func Collect(f durable.FS, now time.Time, keep Retention) (Collected, error) {
	c := &collector{f: f, now: now, keep: keep}
	err := c.collect()
	return c.done, err
}

type collector struct {
	f    durable.FS
	now  time.Time
	keep Retention
	head snapshot.Commit
	done Collected
}

func (c *collector) collect() error {
	if err := c.sweepStaging(); err != nil {
		return err
	}
	head, found, err := snapshot.Last(c.f)
	if err != nil || !found {
		return err
	}
	c.head = head
	if c.keep.Snapshots > 0 || c.keep.SnapshotAge > 0 {
		if err := c.snapshotsAndSegments(); err != nil {
			return err
		}
		if err := c.packCommits(); err != nil {
			return err
		}
	}
	if c.keep.CycleAge == 0 {
		return nil
	}
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
		if err := c.cycles(dir); err != nil {
			return err
		}
	}
	return c.rolled()
}

// packCommits rolls up the records of snapshots that are gone, where there are
// many.
func (c *collector) packCommits() (err error) {
	if !c.keep.ticks {
		return nil
	}
	oldest, err := c.oldestKept()
	if err != nil {
		return err
	}
	c.done.Packed, err = snapshot.Pack(c.f, oldest.Version)
	return err
}

// sweepStaging deletes what broken runs left behind: what waits for it at once,
// the rest when it is a day old.
func (c *collector) sweepStaging() error {
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

// snapshotsAndSegments deletes what is older than the oldest snapshot that is
// kept: folders, and segments that no kept manifest names.
func (c *collector) snapshotsAndSegments() error {
	oldest, err := c.oldestKept()
	if err != nil {
		return err
	}
	err = c.each(layout.SnapshotsDir, func(name string, e fs.DirEntry) error {
		cycle, ok := layout.ParseCycleDir(e.Name())
		if !ok || cycle >= oldest.CycleID {
			return nil
		}
		if young := c.age(cycle) < debrisAge && !c.keep.ticks; young {
			if commit, err := committed(c.f, cycle, c.head); err != nil || commit.CycleID != cycle {
				return err
			}
		}
		c.done.Snapshots++
		return c.remove(name)
	})
	if err != nil {
		return err
	}
	unused, err := c.unusedSegment(oldest)
	if err != nil {
		return err
	}
	return c.each(layout.ChangesDir, func(name string, e fs.DirEntry) error {
		if !unused(name, e) {
			return nil
		}
		c.done.Segments++
		return c.f.Remove(name)
	})
}

// unusedSegment tells which segments no kept manifest names: those behind the
// oldest one's window, and those that were put together before it was made.
func (c *collector) unusedSegment(oldest snapshot.Commit) (func(string, fs.DirEntry) bool, error) {
	used := map[string]bool{}
	for _, commit := range []snapshot.Commit{oldest, c.head} {
		m, err := snapshot.Open(c.f, commit)
		if errors.Is(err, fs.ErrNotExist) { // deleted under an earlier retention
			return func(_ string, e fs.DirEntry) bool {
				_, last, ok := layout.ParseChangeSegment(e.Name())
				return ok && last < oldest.FirstSeq
			}, nil
		}
		if err != nil {
			return nil, err
		}
		for _, s := range m.Changes {
			used[s.File] = true
		}
	}
	return func(name string, e fs.DirEntry) bool {
		first, last, ok := layout.ParseChangeSegment(e.Name())
		behind := last < oldest.FirstSeq
		// What the oldest manifest already had in another file, and the newest
		// still has in another file, is in that other file in between as well.
		replaced := !used[name] && last <= oldest.LastSeq && first >= c.head.FirstSeq
		return ok && (behind || replaced)
	}, nil
}

// oldestKept is the oldest commit whose snapshot is kept. Versions and times
// rise together, so it halves its way.
func (c *collector) oldestKept() (snapshot.Commit, error) {
	cutoff := c.head.PublishedAt.Add(-max(c.keep.SnapshotAge, c.keep.leastAge()))
	byCount := int(c.head.Version) - max(c.keep.Snapshots, leastCount)
	oldest, err := c.head, error(nil)
	sort.Search(max(byCount, 0)+1, func(i int) bool {
		if err != nil {
			return true
		}
		var commit snapshot.Commit
		if commit, err = snapshot.ReadCommit(c.f, uint64(i)+1); err != nil {
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

// cycles deletes raw or canonical cycles that are old and behind what is
// published.
func (c *collector) cycles(dir string) error {
	age := max(c.keep.CycleAge, leastAge)
	hour := ""
	return c.each(dir, func(name string, e fs.DirEntry) error {
		cycle, ok := layout.ParseCycleDir(e.Name())
		if !ok || cycle >= c.head.CycleID {
			return nil
		}
		first := layout.HourOf(cycle) != hour
		hour = layout.HourOf(cycle)
		thinned := c.keep.ticks && dir == layout.CanonicalDir && !first && c.age(cycle) >= tickAge
		if !thinned && c.age(cycle) < age {
			return nil
		}
		c.done.Cycles++
		return c.remove(name)
	})
}

// rolled deletes raw cycles that were rolled up and are old.
func (c *collector) rolled() error {
	return c.each(layout.RawDir, func(name string, e fs.DirEntry) error {
		until, ok := layout.ParseRawPack(e.Name())
		if !ok || c.head.PublishedAt.Sub(until) < max(c.keep.CycleAge, leastAge) {
			return nil
		}
		c.done.Cycles++
		return c.f.Remove(name)
	})
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
	gone, err := durable.SetAside(c.f, name, layout.GoneDir)
	if err != nil {
		return err
	}
	return c.f.RemoveAll(gone)
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
