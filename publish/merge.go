package publish

import (
	"slices"

	"mkt/publish/table"
)

// plan is what becomes of every fixture, sorted by fixture id.
type plan struct {
	fixtures []fate
	held     int // fixtures kept although the listing no longer has them
}

// fate is what becomes of one fixture that is in the previous dataset or has a
// row in the cycle.
type fate struct {
	fixture    // as it will be published; as it was when it goes
	source     table.Source
	notOffered bool // its row is the listing's: the provider offers no markets on it
	silent     bool // and says what the previous dataset said
	removed    bool // it was in the previous dataset and goes
	missing    bool // because a complete listing lacks it
}

// A listing is not believed that would take away more than this share and this
// number of fixtures at once.
const (
	holdShare  = 0.20
	holdNumber = 20
)

// decide says what becomes of every fixture:
//
//   - refreshed: replaced;
//   - the provider offers no markets on it: as it is listed, unless the previous
//     dataset has markets of it;
//   - its retrieval failed, it was not asked for, or is not offered any more:
//     kept, with its own times;
//   - over, or of a provider the account has left: removed;
//   - gone from a complete listing: removed, unless that takes away too much at
//     once. Those whose kick-off has passed leave every list of fixtures to come
//     and do not count as too much.
func decide(in inputs, acceptRemovals bool) plan {
	var p plan
	unexpected := 0
	walk(in, func(before, now *fixture, entry *table.ListingRow) {
		over := entry != nil && entry.Status == "OVER"
		notOffered := entry != nil && entry.Markets == "NONE"
		switch {
		case now != nil && !over && !notOffered:
			p.fixtures = append(p.fixtures, fate{fixture: *now, source: table.New})
		case now != nil && !over && (before == nil || before.markets == 0):
			same := before != nil && before.digest == now.digest
			p.fixtures = append(p.fixtures, fate{fixture: *now, source: table.New, notOffered: true, silent: same})
		case before == nil:
			return
		case over || before.provider != in.provider:
			p.fixtures = append(p.fixtures, fate{fixture: *before, removed: true})
		case entry == nil && in.complete:
			p.fixtures = append(p.fixtures, fate{fixture: *before, removed: true, missing: true})
			if before.startsAt == nil || before.startsAt.After(in.at) {
				unexpected++
			}
		default:
			p.fixtures = append(p.fixtures, fate{fixture: *before, source: table.Old})
		}
	})
	tooMany := unexpected > holdNumber && float64(unexpected) > holdShare*float64(len(in.previous))
	if tooMany && !acceptRemovals {
		p.hold()
	}
	return p
}

// hold keeps every fixture whose only fault is that the listing lacks it.
func (p *plan) hold() {
	for i := range p.fixtures {
		if f := &p.fixtures[i]; f.missing {
			f.removed, f.source = false, table.Old
			p.held++
		}
	}
}

// walk goes through the three sorted lists at once and gives each fixture id
// with what the lists know of it.
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

// sources tells for each fixture that stays where its rows come from.
func (p *plan) sources() map[string]table.Source {
	all := make(map[string]table.Source, len(p.fixtures))
	for i := range p.fixtures {
		if f := &p.fixtures[i]; !f.removed {
			all[f.id] = f.source
		}
	}
	return all
}

// replacesAll tells whether the dataset is exactly the cycle's rows.
func (p *plan) replacesAll(rows int) bool {
	n := p.counts()
	return n.carried == 0 && n.refreshed+n.notOffered == rows
}

// markets is how many markets the dataset has, by its fixtures' word.
func (p *plan) markets() (n int64) {
	for i := range p.fixtures {
		if f := &p.fixtures[i]; !f.removed {
			n += int64(f.markets)
		}
	}
	return n
}

// counts are how many fixtures have which fate; the first three are the dataset.
type counts struct{ refreshed, notOffered, carried, removed int }

func (p *plan) counts() (n counts) {
	for i := range p.fixtures {
		switch f := &p.fixtures[i]; {
		case f.removed:
			n.removed++
		case f.notOffered:
			n.notOffered++
		case f.source == table.New:
			n.refreshed++
		default:
			n.carried++
		}
	}
	return n
}
