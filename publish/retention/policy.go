package retention

import (
	"cmp"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
)

// Policy says how much is kept. Ages are measured against the newest publication,
// never against the clock, and an interval between two publications counts as at most
// a day (see cutoffAt). Commit records are always kept.
type Policy struct {
	// Snapshots is how many snapshots are kept whatever their age, at least 3. Those
	// younger than SnapshotAge, which is at least an hour, are kept too. 0 keeps all.
	Snapshots   int
	SnapshotAge time.Duration
	// The raw and canonical cycles of the newest Cycles publications, at least 3, are
	// kept whatever their age, and so are those younger than CycleAge, which is at
	// least an hour. A CycleAge of 0 keeps all.
	Cycles   int
	CycleAge time.Duration
	// The change log keeps at least ChangeEvents events (0 = 1,000) and all events that
	// are younger than ChangeAge, which is at least seven days.
	ChangeEvents uint64
	ChangeAge    time.Duration

	frequent bool // see For
}

// isFrequent reports whether a product has a cycle every few seconds.
func isFrequent(p football.Product) bool { return p == football.LiveIntelligence }

// For is the policy as it applies to a product. If the product has a cycle every few
// seconds, its snapshots and canonical cycles are kept for a quarter of an hour. After
// that the first canonical cycle of every hour is kept for as long as Cycles and
// CycleAge say, where one cycle of the count stands for an hour of cycles: all others
// can be rebuilt from it and from the raw cycles. Older commit records are compacted.
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

const (
	week       = 7 * 24 * time.Hour
	debrisAge  = 24 * time.Hour
	leastAge   = time.Hour // what a reader may still be loading
	leastCount = 3

	// frequentAge is leastAge for a product whose readers find something newer every
	// few seconds.
	frequentAge   = 15 * time.Minute
	frequentCount = 100 // canonical cycles that are not thinned out, whatever their age
	// cyclesInHour is how many cycles of a frequent product stand for one of the cycles
	// that Policy counts.
	cyclesInHour = 450
	// collectEvery is how often a frequent product is collected: finding what is to be
	// deleted takes a listing, which is too slow for every cycle.
	collectEvery = 10 * time.Minute
)

// IsDue reports whether the publication of a cycle is to be followed by a collection.
// A frequent product is collected once in ten minutes.
func IsDue(product football.Product, clientID string, previous, cycle layout.CycleID) bool {
	return !isFrequent(product) || layout.Slot(cycle, clientID, collectEvery) != layout.Slot(previous, clientID, collectEvery)
}

// leastAge of snapshots.
func (p Policy) leastAge() time.Duration {
	if p.frequent {
		return frequentAge
	}
	return leastAge
}

// cycles is how many cycles are kept whatever their age.
func (p Policy) cycles() int {
	n := max(p.Cycles, leastCount)
	if p.frequent {
		n = min(n, 1<<40) * cyclesInHour
	}
	return n
}

func (p Policy) changeEvents() uint64     { return cmp.Or(p.ChangeEvents, 1000) }
func (p Policy) changeAge() time.Duration { return max(p.ChangeAge, week) }
