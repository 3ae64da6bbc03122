package publish

import (
	"time"

	"mkt/publish/layout"
	"mkt/publish/table"
)

// Types of change events (specification, section 6.1).
const (
	Updated = "fixture_markets_updated"
	Removed = "fixture_removed"
)

// events returns the change events of the plan, by fixture id, numbered from first: one
// for each fixture that was refreshed, is listed for the first time or with changed
// values, or is removed; none for those that are carried over.
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
