package retention

import (
	"cmp"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
)

// Policy decides how much is kept. Ages are measured against the newest publication, never
// against the clock. An interval between two publications counts as at most a day (see cutoffAt).
// Commit records are always kept.
type Policy struct {
	// Snapshots is the number of snapshots kept whatever their age, at least 3. Snapshots younger
	// than SnapshotAge, which is at least an hour, are kept too. 0 keeps all.
	Snapshots   int
	SnapshotAge time.Duration
	// Cycles is the number of publications, at least 3, which keep their raw and canonical cycles
	// whatever their age. Cycles younger than CycleAge, which is at least an hour, are kept too.
	// A CycleAge of 0 keeps all.
	Cycles   int
	CycleAge time.Duration
	// The change log keeps at least ChangeEvents events (0 = 1,000), and all events younger than
	// ChangeAge, which is at least seven days.
	ChangeEvents uint64
	ChangeAge    time.Duration
	// Steps younger than StepsAge (0 = a year), which is at least seven days, are kept.
	StepsAge time.Duration

	frequent bool // see For
}

// isFrequent reports whether a product has a cycle every few seconds.
func isFrequent(p football.Product) bool { return p == football.LiveIntelligence }

// For returns the policy for a product. If the product has a cycle every few seconds, its
// snapshots and canonical cycles are kept for a quarter of an hour. After that, Cycles and
// CycleAge only keep the first canonical cycle of every hour, and one of Cycles stands for an
// hour of cycles: the others can be rebuilt from it and from the raw cycles. Older commit records
// are compacted.
func (p Policy) For(product football.Product) Policy {
	p.frequent = isFrequent(product)
	if p.frequent && (p.Snapshots > 0 || p.SnapshotAge > 0) {
		p.Snapshots, p.SnapshotAge = leastCount, frequentAge
	}
	return p
}

// Default keeps a week.
func Default() Policy {
	return Policy{Snapshots: 24, SnapshotAge: week, Cycles: 24, CycleAge: week}
}

// DefaultSteps is the time for which steps are kept.
const DefaultSteps = 365 * 24 * time.Hour

const (
	week       = 7 * 24 * time.Hour
	debrisAge  = 24 * time.Hour
	leastAge   = time.Hour // a reader may still be loading them
	leastCount = 3

	// frequentAge is the leastAge of a product whose readers get a newer snapshot every few
	// seconds.
	frequentAge   = 15 * time.Minute
	frequentCount = 100 // canonical cycles never thinned out
	// cyclesInHour is the number of cycles of a frequent product for one of Policy.Cycles.
	cyclesInHour = 450
	// collectEvery is the time between two collections of a frequent product. A collection lists
	// folders, which is too slow for every cycle.
	collectEvery = 10 * time.Minute
)

// IsDue reports whether retention runs after the publication of a cycle. For a frequent
// product it runs once in ten minutes.
func IsDue(product football.Product, clientID string, previous, cycle layout.CycleID) bool {
	return !isFrequent(product) || layout.Slot(cycle, clientID, collectEvery) != layout.Slot(previous, clientID, collectEvery)
}

func (p Policy) leastAge() time.Duration {
	if p.frequent {
		return frequentAge
	}
	return leastAge
}

func (p Policy) cycles() int {
	n := max(p.Cycles, leastCount)
	if p.frequent {
		n = min(n, 1<<40) * cyclesInHour
	}
	return n
}

func (p Policy) changeEvents() uint64     { return cmp.Or(p.ChangeEvents, 1000) }
func (p Policy) stepsAge() time.Duration  { return max(cmp.Or(p.StepsAge, DefaultSteps), week) }
func (p Policy) changeAge() time.Duration { return max(p.ChangeAge, week) }
