package publish

import (
	"cmp"
	"time"

	"mkt/publish/football"
)

// Retention says how much is kept. Ages are measured against the newest
// publication, never against the clock, and an interval between two publications
// counts as a day at most (cutoffAt). Commit records are always kept.
type Retention struct {
	// Snapshots that are kept whatever their age, at least 3. SnapshotAge: all
	// younger ones are kept too, at least one hour. 0 keeps all.
	Snapshots   int
	SnapshotAge time.Duration
	// Raw and canonical cycles of the newest Cycles publications are kept whatever their
	// age, at least 3, and all that are younger than CycleAge, at least one hour.
	// CycleAge 0 keeps all.
	Cycles   int
	CycleAge time.Duration
	// The change log keeps at least ChangeEvents events (0 = 1,000) and all that
	// are younger than ChangeAge, which is at least seven days. It always does.
	ChangeEvents uint64
	ChangeAge    time.Duration

	// ticks: the product has thousands of cycles a day, see For.
	ticks bool
}

// For is the retention of a product. Of one with a cycle every few seconds,
// snapshots and canonical cycles are kept for a quarter of an hour, then the
// first canonical cycle of every hour as long as Cycles and CycleAge say, a cycle of
// the count being an hour's worth: from it and the raw cycles, which fetch rolls up,
// every other can be made again. Older commit records are rolled up.
func (k Retention) For(p football.Product) Retention {
	k.ticks = products[p].ticks
	if k.ticks && (k.Snapshots > 0 || k.SnapshotAge > 0) {
		k.Snapshots, k.SnapshotAge = leastCount, tickAge
	}
	return k
}

// DefaultRetention keeps a week.
func DefaultRetention() Retention {
	return Retention{Snapshots: 24, SnapshotAge: week, Cycles: 24, CycleAge: week}
}

const (
	week       = 7 * 24 * time.Hour
	debrisAge  = 24 * time.Hour
	leastAge   = time.Hour // what a reader may still be loading
	leastCount = 3

	// tickAge is leastAge where a reader has something newer every few seconds.
	tickAge   = 15 * time.Minute
	tickCount = 100 // canonical cycles that are not thinned out, whatever their age
	// ticksOf is how many ticks stand for one of the cycles that Retention counts: an
	// hour of them.
	ticksOf = 450
	// collectEvery is how often that is collected: what is to be deleted is found
	// by listing, which no tick does.
	collectEvery = 10 * time.Minute
)

// leastAge of snapshots.
func (k Retention) leastAge() time.Duration {
	if k.ticks {
		return tickAge
	}
	return leastAge
}

// cycles is how many of them are kept whatever their age.
func (k Retention) cycles() int {
	n := max(k.Cycles, leastCount)
	if k.ticks {
		n = min(n, 1<<40) * ticksOf
	}
	return n
}

func (k Retention) changeEvents() uint64     { return cmp.Or(k.ChangeEvents, 1000) }
func (k Retention) changeAge() time.Duration { return max(k.ChangeAge, week) }
