package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Floors say what retention has let go of, in COLLECTED: written before anything
// is deleted, so that what is missing above them was not deleted by us. A nil one
// says that nothing of its kind was.
type Floors struct {
	Format    int    `json:"format"` // FloorsFormat, or an older one
	Snapshots *Floor `json:"snapshots,omitempty"`
	Raw       *Floor `json:"raw,omitempty"`
	Canonical *Floor `json:"canonical,omitempty"`
	// Thinned is that of canonical cycles which are not the first of their hour.
	Thinned *Floor `json:"thinned,omitempty"`
}

// Floor is one of them, with what it was settled by: anybody can settle it again.
type Floor struct {
	Before       layout.CycleID `json:"before"`        // cycles before this one are gone, or about to be
	Version      uint64         `json:"version"`       // newest publication at that time
	CommitSHA256 string         `json:"commit_sha256"` // of its record
	Count        int            `json:"count,omitempty"`
	AgeSeconds   int64          `json:"age_seconds"` // younger ones were kept
	// Capped: a long interval between publications counted as a day: see cutoffAt.
	// Floors of format 1 went by the clock alone, and had no count of cycles.
	Capped bool `json:"capped,omitempty"`
}

// FloorsFormat is the version of COLLECTED.
//
//	1: first
//	2: cycles are kept by count as well, and no interval counts as more than a day
const FloorsFormat = 2

const maxFloors = 16 << 10

// ReadFloors reads what retention has let go of; nothing when there is no record.
func ReadFloors(f durable.FS) (Floors, error) {
	data, err := durable.ReadFile(f, layout.Collected, maxFloors)
	if errors.Is(err, fs.ErrNotExist) {
		return Floors{}, nil
	}
	if err != nil {
		return Floors{}, snapshot.Fault(layout.Collected, err)
	}
	var header struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(data, &header) == nil {
		if err := layout.CheckFormat(layout.Collected, header.Format, FloorsFormat); err != nil {
			return Floors{}, err
		}
	}
	var all Floors
	if err := json.Unmarshal(data, &all); err != nil || all.Format < 1 {
		return Floors{}, fmt.Errorf("%s: %w: not a record of this version", layout.Collected, snapshot.ErrDamaged)
	}
	if again, err := all.encode(); err != nil || !bytes.Equal(again, data) {
		return Floors{}, fmt.Errorf("%s: %w: not as it is written", layout.Collected, snapshot.ErrDamaged)
	}
	return all, nil
}

func (a Floors) encode() ([]byte, error) {
	data, err := json.MarshalIndent(a, "", "  ")
	return append(data, '\n'), err
}

// Covers tells whether retention has let go of a cycle.
func (l *Floor) Covers(c layout.CycleID) bool { return l != nil && c < l.Before }

// Check settles every floor again, from the records that it names: one that was
// raised by hand is not what its own retention gives.
func (a Floors) Check(f durable.FS) error {
	for name, l := range map[string]*Floor{"snapshots": a.Snapshots, "raw": a.Raw, "canonical": a.Canonical, "thinned": a.Thinned} {
		if l == nil {
			continue
		}
		head, err := snapshot.ReadCommit(f, l.Version)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", layout.Collected, name, err)
		}
		by := rule{count: l.Count, age: time.Duration(l.AgeSeconds) * time.Second, capped: l.Capped}
		want, err := cycleFloor(f, head, by)
		if name == "snapshots" {
			var oldest snapshot.Commit
			oldest, err = oldestKept(f, head, by)
			want = snapshotFloor(head, oldest, by)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", layout.Collected, name, err)
		}
		if *want != *l {
			if want.Before == l.Before {
				return fmt.Errorf("%s: %s: %w: version %d has another hash", layout.Collected, name, snapshot.ErrDamaged, l.Version)
			}
			return fmt.Errorf("%s: %s: %w: its own retention gives %s at version %d, not %s", layout.Collected, name, snapshot.ErrDamaged, want.Before, l.Version, l.Before)
		}
	}
	return nil
}

// rule is what one kind of things is kept by: those that are among the newest, and
// those that are younger than an age.
type rule struct {
	count  int
	age    time.Duration
	capped bool // see Floor.Capped
}

// cutoff is the time before which things are older than the rule's age.
func (by rule) cutoff(f durable.FS, head snapshot.Commit) (time.Time, error) {
	if !by.capped {
		return head.PublishedAt.Add(-by.age), nil
	}
	return cutoffAt(f, head, by.age)
}

// floor is the one that a rule gives at a publication.
func (by rule) floor(head snapshot.Commit, before layout.CycleID) *Floor {
	return &Floor{Before: before, Version: head.Version, CommitSHA256: head.SHA256, Count: by.count, AgeSeconds: int64(by.age / time.Second), Capped: by.capped}
}

// cycleFloor is that of cycles which are neither of the newest publications nor
// young.
func cycleFloor(f durable.FS, head snapshot.Commit, by rule) (*Floor, error) {
	cut, err := by.cutoff(f, head)
	if err != nil {
		return nil, err
	}
	_, product, _ := layout.ParseCycleID(string(head.CycleID)) // it was read
	before := min(layout.NewCycleID(cut.Truncate(time.Second).Add(time.Second), product), head.CycleID)
	if by.count > 0 {
		oldest, err := snapshot.ReadCommit(f, oldestByCount(head, by.count))
		if err != nil {
			return nil, err
		}
		before = min(before, oldest.CycleID)
	}
	return by.floor(head, before), nil
}

// oldestByCount is the version of the oldest publication among so many newest.
func oldestByCount(head snapshot.Commit, count int) uint64 {
	return head.Version - min(uint64(count), head.Version) + 1
}

// snapshotFloor is that of snapshots, when oldest is the oldest that is kept.
func snapshotFloor(head, oldest snapshot.Commit, by rule) *Floor {
	return by.floor(head, oldest.CycleID)
}

// raise records the floors of this collection, before anything is deleted. A
// floor never sinks: what an earlier, shorter retention let go of does not come
// back.
func (c *collector) raise() error {
	recorded, err := ReadFloors(c.f)
	if errors.Is(err, snapshot.ErrDamaged) {
		recorded, err = Floors{}, nil
	}
	if err != nil {
		return err
	}
	next := Floors{Format: FloorsFormat, Snapshots: higher(recorded.Snapshots, c.floors.Snapshots), Raw: higher(recorded.Raw, c.floors.Raw),
		Canonical: higher(recorded.Canonical, c.floors.Canonical), Thinned: higher(recorded.Thinned, c.floors.Thinned)}
	if c.dry || next == (Floors{Format: FloorsFormat}) || recorded == next {
		return nil
	}
	data, err := next.encode()
	if err != nil {
		return err
	}
	return durable.Overwrite(c.f, layout.Collected, data)
}

func higher(a, b *Floor) *Floor {
	if a == nil || b != nil && b.Before > a.Before {
		return b
	}
	return a
}
