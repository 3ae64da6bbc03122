package publish

import (
	"time"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Types of change events (specification, section 6.1).
const (
	Updated = "fixture_markets_updated"
	Removed = "fixture_removed"
)

// events are what the plan has to tell, in the order of fixture ids, numbered
// from first: one for each fixture that was refreshed, is listed anew or
// otherwise than before, or that goes; none for those that stay.
func (p *plan) events(first uint64, at time.Time, cycle layout.CycleID) []table.EventRow {
	var rows []table.EventRow
	for i := range p.fixtures {
		f := &p.fixtures[i]
		row := table.EventRow{Seq: int64(first) + int64(len(rows)), FixtureID: f.id, PublishedAt: at, CycleID: string(cycle), ProviderFixtureID: f.providerID}
		switch {
		case f.removed:
			row.Type = Removed
		case f.source == table.New && !f.silent:
			row.Type, row.ContentDigest = Updated, &f.digest
		default:
			continue
		}
		rows = append(rows, row)
	}
	return rows
}

// retain adds a segment to those of the previous manifest and lets go of the
// oldest ones: those that are neither among the newest events nor young enough,
// by the time of this publication.
func retain(segments []snapshot.Segment, added *snapshot.Segment, now time.Time, keep Retention) []snapshot.Segment {
	var kept []snapshot.Segment
	kept = append(kept, segments...)
	if added != nil {
		kept = append(kept, *added)
	}
	times := make([]time.Time, 0, len(kept)+1)
	for _, s := range kept {
		times = append(times, s.At)
	}
	ages := agesOf(append(times, now))
	for i, s := range kept {
		if behind := kept[len(kept)-1].Last - s.Last; behind < keep.changeEvents() || ages[i] < keep.changeAge() {
			return kept[i:]
		}
	}
	return nil
}
