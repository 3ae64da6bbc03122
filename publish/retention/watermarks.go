package retention

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Watermarks record the deletions of retention. They are the content of COLLECTED, which is
// written before anything is deleted: anything missing above them was lost otherwise. nil means
// that nothing of its kind was deleted.
type Watermarks struct {
	Format    int        `json:"format"` // Format, or an older one
	Snapshots *Watermark `json:"snapshots,omitempty"`
	Raw       *Watermark `json:"raw,omitempty"`
	Canonical *Watermark `json:"canonical,omitempty"`
	// Thinned is for canonical cycles other than the first of their hour.
	Thinned *Watermark `json:"thinned,omitempty"`
}

// Watermark is one of them, with all inputs of its computation, so that it can be verified.
type Watermark struct {
	Before       layout.CycleID `json:"before"`        // cycles before this one are deleted, or about to be
	Version      uint64         `json:"version"`       // newest publication at that time
	CommitSHA256 string         `json:"commit_sha256"` // of its record
	Count        int            `json:"count,omitempty"`
	AgeSeconds   int64          `json:"age_seconds"` // younger ones were kept
	// Capped: an interval between publications counted as at most a day (see cutoffAt).
	// Watermarks of format 1 used the clock alone, and had no count of cycles.
	Capped bool `json:"capped,omitempty"`
}

// Format is the version of COLLECTED.
//
//	1: first
//	2: cycles are kept by count as well, and no interval counts as more than a day
const Format = 2

const maxWatermarks = 16 << 10

// ReadWatermarks reads the record of the deletions. Without a record, nothing was deleted.
func ReadWatermarks(f durable.ReadFS) (Watermarks, error) {
	data, err := durable.ReadFile(f, layout.Collected, maxWatermarks)
	if errors.Is(err, fs.ErrNotExist) {
		return Watermarks{}, nil
	}
	if err != nil {
		return Watermarks{}, snapshot.Fault(layout.Collected, err)
	}
	var all Watermarks
	err = layout.DecodeHeader(layout.Collected, data, Format, &all)
	if errors.Is(err, layout.ErrNewer) {
		return Watermarks{}, err
	}
	if err != nil || all.Format < 1 {
		return Watermarks{}, fmt.Errorf("%s: %w: not a record of this version", layout.Collected, snapshot.ErrDamaged)
	}
	if encoded, err := layout.EncodeHeader(all); err != nil || !bytes.Equal(encoded, data) {
		return Watermarks{}, fmt.Errorf("%s: %w: changed since it was written", layout.Collected, snapshot.ErrDamaged)
	}
	return all, nil
}

// Covers reports whether retention has deleted a cycle, or is about to.
func (w *Watermark) Covers(c layout.CycleID) bool { return w != nil && c < w.Before }

// Check recomputes every watermark from its records, and so detects one raised by hand.
func (w Watermarks) Check(f durable.ReadFS) error {
	for name, mark := range map[string]*Watermark{"snapshots": w.Snapshots, "raw": w.Raw, "canonical": w.Canonical, "thinned": w.Thinned} {
		if mark == nil {
			continue
		}
		if err := mark.check(f, name == "snapshots"); err != nil {
			return fmt.Errorf("%s: %s: %w", layout.Collected, name, err)
		}
	}
	return nil
}

func (w *Watermark) check(f durable.ReadFS, ofSnapshots bool) error {
	head, err := snapshot.ReadCommit(f, w.Version)
	if err != nil {
		return err
	}
	by := rule{count: w.Count, age: time.Duration(w.AgeSeconds) * time.Second, capped: w.Capped}
	var want *Watermark
	if ofSnapshots {
		want, _, err = snapshotWatermark(f, head, by)
	} else {
		want, err = cycleWatermark(f, head, by)
	}
	switch {
	case err != nil:
		return err
	case want.Before != w.Before:
		return fmt.Errorf("%w: its rule gives %s at version %d, not %s", snapshot.ErrDamaged, want.Before, w.Version, w.Before)
	case *want != *w:
		return fmt.Errorf("%w: version %d has another hash", snapshot.ErrDamaged, w.Version)
	}
	return nil
}

// rule keeps the newest of one kind, by count, and those younger than an age.
type rule struct {
	count  int
	age    time.Duration
	capped bool
}

func newRule(count int, age time.Duration) rule {
	return rule{count: count, age: age.Truncate(time.Second), capped: true}
}

func (by rule) cutoff(f durable.ReadFS, head snapshot.Commit) (time.Time, error) {
	if !by.capped {
		return head.PublishedAt.Add(-by.age), nil
	}
	return cutoffAt(f, head, by.age)
}

func (by rule) watermark(head snapshot.Commit, before layout.CycleID) *Watermark {
	return &Watermark{Before: before, Version: head.Version, CommitSHA256: head.SHA256, Count: by.count, AgeSeconds: int64(by.age / time.Second), Capped: by.capped}
}

// cycleWatermark is for cycles that are neither young nor of the newest publications.
func cycleWatermark(f durable.ReadFS, head snapshot.Commit, by rule) (*Watermark, error) {
	cut, err := by.cutoff(f, head)
	if err != nil {
		return nil, err
	}
	_, product, _ := layout.ParseCycleID(string(head.CycleID)) // valid: it is in a commit
	before := min(layout.NewCycleID(cut.Truncate(time.Second).Add(time.Second), product), head.CycleID)
	if by.count > 0 {
		n, err := oldestByCount(f, head, by.count)
		if err != nil {
			return nil, err
		}
		oldest, err := snapshot.ReadCommit(f, n)
		if err != nil {
			return nil, err
		}
		before = min(before, oldest.CycleID)
	}
	return by.watermark(head, before), nil
}

// snapshotWatermark is for snapshots. It also returns the oldest commit with a kept snapshot.
func snapshotWatermark(f durable.ReadFS, head snapshot.Commit, by rule) (*Watermark, snapshot.Commit, error) {
	cutoff, err := by.cutoff(f, head)
	if err != nil {
		return nil, head, err
	}
	byCount, err := oldestByCount(f, head, by.count)
	if err != nil {
		return nil, head, err
	}
	_, oldest, err := snapshot.Search(f, head, func(c snapshot.Commit) bool {
		return c.Version >= byCount || !c.PublishedAt.Before(cutoff)
	})
	if oldest.Version == 0 {
		oldest = head
	}
	return by.watermark(head, oldest.CycleID), oldest, err
}

// oldestByCount is the version of the oldest publication among the newest count, or the oldest
// one with a record in the root.
func oldestByCount(f durable.ReadFS, head snapshot.Commit, count int) (uint64, error) {
	first, err := snapshot.First(f)
	return max(first, head.Version-min(uint64(count), head.Version)+1), err
}

// over is the higher one of each watermark.
func (w Watermarks) over(recorded Watermarks) Watermarks {
	return Watermarks{Format: Format, Snapshots: higher(recorded.Snapshots, w.Snapshots), Raw: higher(recorded.Raw, w.Raw),
		Canonical: higher(recorded.Canonical, w.Canonical), Thinned: higher(recorded.Thinned, w.Thinned)}
}

// record raises the recorded watermarks before anything is deleted. A watermark is never lowered:
// files deleted under an earlier, shorter policy stay deleted. A dry run only checks that the
// record can be read.
func (w Watermarks) record(f durable.FS, dryRun bool) error {
	recorded, err := ReadWatermarks(f)
	if errors.Is(err, snapshot.ErrDamaged) {
		recorded, err = Watermarks{}, nil
	}
	if err != nil {
		return err
	}
	data, err := w.Raise(recorded)
	if err != nil || data == nil || dryRun {
		return err
	}
	return durable.Overwrite(f, layout.Collected, data)
}

func higher(a, b *Watermark) *Watermark {
	if a == nil || b != nil && b.Before > a.Before {
		return b
	}
	return a
}
