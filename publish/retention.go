package publish

import (
	"cmp"
	"time"
)

// Retention says how much is kept. Ages are measured against the newest
// publication, never against the clock. Commit records are always kept.
type Retention struct {
	// Snapshots that are kept whatever their age, at least 3. SnapshotAge: all
	// younger ones are kept too, at least one hour. 0 keeps all.
	Snapshots   int
	SnapshotAge time.Duration
	// CycleAge of raw and canonical cycles, at least one hour. 0 keeps all.
	CycleAge time.Duration
	// The change log keeps at least ChangeEvents events (0 = 1,000) and all that
	// are younger than ChangeAge, which is at least seven days. It always does.
	ChangeEvents uint64
	ChangeAge    time.Duration
}

// DefaultRetention keeps a week.
func DefaultRetention() Retention {
	return Retention{Snapshots: 24, SnapshotAge: week, CycleAge: week}
}

const (
	week       = 7 * 24 * time.Hour
	debrisAge  = 24 * time.Hour
	leastAge   = time.Hour // what a reader may still be loading
	leastCount = 3
)

func (k Retention) changeEvents() uint64     { return cmp.Or(k.ChangeEvents, 1000) }
func (k Retention) changeAge() time.Duration { return max(k.ChangeAge, week) }
