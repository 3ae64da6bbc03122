package simulation

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/retention"
)

// services are what the machines of a world use.
type services struct {
	*world
	accounts []*account
	jobs     []job
	every    map[football.Product]time.Duration
	slowness time.Duration // all else that takes longer if cycles are seldom: so many times as long as usual
	network  *network
	office   *office
	book     *book
	translog *translog
	depot    *depot // nil without an object store
	redis    *redis // nil without a cluster, as are the next two
	counting *counting
	shift    *shift
	served   bool // replicas have a server
}

// keeps returns the retention of a life, from the seed: an operator may have changed the settings before it began.
func (s *services) keeps(l *life) retention.Policy {
	draw := func(setting string, of ...int) int { return of[s.pick("keep "+setting, l.id(), len(of))] }
	cycles := func(n int) time.Duration { return time.Duration(n) * s.every[football.MarketEngine] }
	p := retention.Policy{
		Snapshots: draw("snapshots", 0, 1, 2, 3, 4, 8), SnapshotAge: cycles(draw("snapshot age", 1, 1, 2, 5)),
		Cycles: draw("cycles", 0, 1, 2, 3, 4, 8), CycleAge: cycles(draw("cycle age", 1, 1, 2, 5)),
		ChangeEvents: uint64(draw("change events", 1, 20, 60, 75)), ChangeAge: day * time.Duration(draw("change age", 7, 7, 8, 10)),
		StepsAge: day * time.Duration(draw("steps", 7, 8, 12, 365)),
	}
	if p.Snapshots == 0 {
		p.SnapshotAge = 0
	}
	if p.Cycles == 0 {
		p.CycleAge = 0
	}
	return p
}
