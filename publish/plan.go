package publish

import (
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// plan is the decision about every fixture, sorted by fixture id.
type plan struct {
	fixtures []decision
	held     int // fixtures kept although the listing lacks them
	losses   []snapshot.Loss
}

// decision is the decision about one fixture in the previous dataset or in the cycle.
type decision struct {
	fixture    // as it will be published, or as it was if it is removed
	source     table.MergeSource
	notOffered bool // published as listed: the provider offers no markets on it
	moved      bool // carried over with the kick-off of the list
	silent     bool // with the same content as in the previous dataset: there is no event
	removed    bool // it is in the previous dataset but not in the next one
	missing    bool // removed only because a complete listing lacks it

	before *fixture // in the previous dataset; nil if it was absent
	seq    int64    // of its event; 0 if it has none
}

// A listing is held if with it more than this number of fixtures would be removed within this time, and more than this
// share of the largest dataset: at once, or little by little.
const (
	holdShare  = 0.20
	holdNumber = 20
	holdTime   = 24 * time.Hour
)

// decide makes the plan. A fixture is:
//
//   - replaced if it was refreshed;
//   - published as listed if the provider offers no markets on it, unless the previous dataset
//     has markets of it, at the same bookmaker;
//   - kept with its own times if its retrieval failed, if it was not asked for, or if it is not
//     offered any more; with the kick-off that the list has now;
//   - removed if it is over, or belongs to a former provider of the account, or would keep the
//     prices of a former bookmaker: prices of several bookmakers are never mixed;
//   - removed if a complete listing lacks it, unless too many would be removed within a day. Fixtures
//     whose kick-off has passed do not count: they leave every list of coming fixtures. Nor does what was
//     removed before a person accepted all removals.
func decide(in inputs, acceptRemovals bool) plan {
	var p plan
	unexpected := 0
	walk(in, func(before, now *fixture, entry *table.ListingRow) {
		over := entry != nil && entry.Status == "OVER"
		notOffered := entry != nil && entry.Markets == "NONE"
		switch {
		case now != nil && !over && !notOffered:
			p.fixtures = append(p.fixtures, decision{fixture: *now, source: table.FromNew, before: before})
		case now != nil && !over && (before == nil || before.markets == 0 || in.otherPrices):
			same := before != nil && before.digest == now.digest
			p.fixtures = append(p.fixtures, decision{fixture: *now, source: table.FromNew, notOffered: true, silent: same, before: before})
		case before == nil:
			return
		case over || before.provider != in.provider || in.otherPrices:
			p.fixtures = append(p.fixtures, decision{fixture: *before, removed: true, before: before})
		case entry == nil && in.complete:
			p.fixtures = append(p.fixtures, decision{fixture: *before, removed: true, missing: true, before: before})
			if before.startsAt == nil || before.startsAt.After(in.at) {
				unexpected++
			}
		default:
			d := decision{fixture: *before, source: table.FromOld, before: before}
			if entry != nil && entry.StartsAt != nil && !sameTime(entry.StartsAt, before.startsAt) {
				d.startsAt, d.moved = entry.StartsAt, true
			}
			p.fixtures = append(p.fixtures, d)
		}
	})
	if acceptRemovals || unexpected == 0 {
		if !acceptRemovals {
			p.losses = in.losses
		}
		return p
	}
	lost, largest := unexpected, len(in.previous)
	for _, l := range in.losses {
		lost, largest = lost+l.Fixtures, max(largest, l.Of)
	}
	if p.losses = in.losses; lost > holdNumber && float64(lost) > holdShare*float64(largest) {
		p.hold()
	} else {
		p.losses = append(slices.Clone(in.losses), snapshot.Loss{At: in.at, Fixtures: unexpected, Of: len(in.previous)})
	}
	return p
}

// hold keeps every fixture that was only removed because the listing lacks it.
func (p *plan) hold() {
	for i := range p.fixtures {
		if f := &p.fixtures[i]; f.missing {
			f.removed, f.source = false, table.FromOld
			p.held++
		}
	}
}

// walk merges the three sorted lists and visits each fixture with its entries, nil for a list
// without it.
func walk(in inputs, visit func(before, now *fixture, entry *table.ListingRow)) {
	previous, refreshed, listing := in.previous, in.refreshed, in.listing
	heads := make([]string, 0, 3)
	for len(previous) > 0 || len(refreshed) > 0 || len(listing) > 0 {
		heads = heads[:0]
		if len(previous) > 0 {
			heads = append(heads, previous[0].id)
		}
		if len(refreshed) > 0 {
			heads = append(heads, refreshed[0].id)
		}
		if len(listing) > 0 {
			heads = append(heads, listing[0].FixtureID)
		}
		id := slices.Min(heads)
		var before, now *fixture
		var entry *table.ListingRow
		if len(previous) > 0 && previous[0].id == id {
			before, previous = &previous[0], previous[1:]
		}
		if len(refreshed) > 0 && refreshed[0].id == id {
			now, refreshed = &refreshed[0], refreshed[1:]
		}
		if len(listing) > 0 && listing[0].FixtureID == id {
			entry, listing = &listing[0], listing[1:]
		}
		visit(before, now, entry)
	}
}

// sources returns the source of the rows of each fixture of the dataset.
func (p *plan) sources() map[string]table.MergeSource {
	all := make(map[string]table.MergeSource, len(p.fixtures))
	for i := range p.fixtures {
		if f := &p.fixtures[i]; !f.removed {
			all[f.id] = f.source
		}
	}
	return all
}

// moved returns how many fixtures are carried over with another kick-off.
func (p *plan) moved() (n int) {
	for i := range p.fixtures {
		if p.fixtures[i].moved {
			n++
		}
	}
	return n
}

// digestMoved finds the digests of fixtures that are carried over with another kick-off.
func (p *plan) digestMoved(f durable.ReadFS, base *Base) error {
	if p.moved() == 0 {
		return nil
	}
	fixtures, err := base.file(f, layout.FixturesFile)
	if err != nil {
		return err
	}
	markets, err := base.file(f, layout.MarketsFile)
	if err != nil {
		return err
	}
	for i := range p.fixtures {
		d := &p.fixtures[i]
		if !d.moved {
			continue
		}
		own, err := rowsOf[table.FixtureRow](f, fixtures, d.id)
		if err != nil {
			return err
		}
		its, err := rowsOf[table.MarketRow](f, markets, d.id)
		if err != nil {
			return err
		}
		d.move(&own[0])
		d.digest = content.Digest(own[0], its)
	}
	return nil
}

// move gives a row the kick-off of the decision, and its digest.
func (d *decision) move(row *table.FixtureRow) {
	row.StartsAt, row.ContentDigest = d.startsAt, d.digest
	row.Absent = slices.DeleteFunc(row.Absent, func(column string) bool { return column == "starts_at" })
}

// rowsOf reads the rows of a fixture.
func rowsOf[T table.Row](f durable.ReadFS, name, fixture string) (rows []T, err error) {
	for row, err := range snapshot.FixtureRows[T](f, name, fixture) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, *row)
	}
	return rows, nil
}

// replacesAll reports whether the dataset is exactly the cycle's rows.
func (p *plan) replacesAll(rows int) bool {
	n := p.counts()
	return n.carried == 0 && n.refreshed+n.notOffered == rows
}

// markets is the number of markets of the dataset according to its fixtures.
func (p *plan) markets() (n int64) {
	for i := range p.fixtures {
		if f := &p.fixtures[i]; !f.removed {
			n += int64(f.markets)
		}
	}
	return n
}

// plannedRoot returns the fixtures_root of the dataset.
func (d *Draft) plannedRoot() string {
	entries := make([]snapshot.FixtureEntry, 0, len(d.plan.fixtures))
	for i := range d.plan.fixtures {
		if f := &d.plan.fixtures[i]; !f.removed {
			entries = append(entries, snapshot.FixtureEntry{ID: f.id, Content: f.digest, FetchedAt: f.fetchedAt, Answer: f.answer})
		}
	}
	return snapshot.FixturesRoot(entries)
}

// sharedRoot returns the fixtures_root that the canonical cycle has, as it has all rows of the dataset. It is "" in cycles
// of builds before it.
func (d *Draft) sharedRoot() string { return d.canonical.FixturesRoot }

// counts are the numbers of fixtures by decision; the first three add up to the dataset.
type counts struct{ refreshed, notOffered, carried, removed int }

func (p *plan) counts() (n counts) {
	for i := range p.fixtures {
		switch f := &p.fixtures[i]; {
		case f.removed:
			n.removed++
		case f.notOffered:
			n.notOffered++
		case f.source == table.FromNew:
			n.refreshed++
		default:
			n.carried++
		}
	}
	return n
}

func (p *plan) count(to map[string]int64) {
	n := p.counts()
	to["fixtures_refreshed"], to["fixtures_carried"], to["fixtures_removed"] = int64(n.refreshed), int64(n.carried), int64(n.removed)
	if moved := p.moved(); moved > 0 {
		to["fixtures_moved"] = int64(moved)
	}
	to["fixtures_without_markets"], to["fixtures_held"] = int64(n.notOffered), int64(p.held)
}

// Types of change events (specification, section 6.1).
const (
	Updated = "fixture_markets_updated"
	Removed = "fixture_removed"
)

// events returns the change events of the plan, by fixture id, numbered from first. There is one
// for each fixture that was refreshed, is listed for the first time or with changed values, or
// is removed. Fixtures carried over have none, unless their kick-off moved. It notes the numbers in the plan.
func (p *plan) events(first uint64, at time.Time, cycle layout.CycleID) []table.EventRow {
	var rows []table.EventRow
	for i := range p.fixtures {
		f := &p.fixtures[i]
		row := table.EventRow{Seq: int64(first) + int64(len(rows)), FixtureID: f.id, PublishedAt: at, CycleID: string(cycle), ProviderFixtureID: f.providerID}
		switch {
		case f.removed:
			row.Type = Removed
		case f.source == table.FromNew && !f.silent, f.moved:
			row.Type, row.ContentDigest = Updated, &f.digest
		default:
			continue
		}
		f.seq = row.Seq
		rows = append(rows, row)
	}
	return rows
}
