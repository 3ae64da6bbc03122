package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// uniqueFrom is the version of the derivation rules from which on an id of a selection occurs
// once in a fixture. Older rules gave two lists of one market the same ids.
const uniqueFrom = 4

// selections looks for an id of a selection that occurs twice in a fixture of a snapshot: two
// histories are mixed. In rows of older rules it is no finding, because they are as they were
// sealed.
func (v *verifier) selections(dir string, m snapshot.Manifest) error {
	if !slices.ContainsFunc(m.Files, func(f snapshot.File) bool { return f.Name == layout.MarketsFile }) {
		return nil
	}
	name := dir + "/" + layout.MarketsFile
	var old, now repeated
	fixture, markets := "", map[string]string{} // of each selection of the fixture
	for row, err := range snapshot.Rows[table.MarketRow](v.Root, name) {
		if durable.IsExhausted(err) {
			return err
		}
		if err != nil {
			return nil // it is a finding already
		}
		if row.FixtureID != fixture {
			fixture = strings.Clone(row.FixtureID)
			clear(markets)
		}
		of := &now
		if version, err := strconv.Atoi(row.DerivationVersion); err == nil && version < uniqueFrom {
			of = &old
		}
		market := strings.Clone(row.MarketID)
		for i := range row.Selections {
			id := row.Selections[i].SelectionID
			if before, twice := markets[id]; twice {
				of.add(id, before, market, fixture)
				continue
			}
			markets[strings.Clone(id)] = market
		}
	}
	if now.n > 0 {
		v.addFinding("SELECTION_TWICE", name, "report it: the rules that make ids have a fault. The file is as it was sealed", "%s", now)
	}
	if old.n > 0 {
		v.note("%s: %s. It is as it was sealed: rules before version %d made these ids, and a fixture gets its own with its next refresh", name, old, uniqueFrom)
	}
	return nil
}

// repeated counts repeated ids.
type repeated struct {
	n     int
	first string
}

func (r *repeated) add(id, before, market, fixture string) {
	if r.n++; r.n == 1 {
		r.first = fmt.Sprintf("%s in the markets %s and %s of %s", id, before, market, fixture)
	}
}

func (r repeated) String() string {
	return fmt.Sprintf("ids of selections that occur again in their fixture: %d, the first is %s", r.n, r.first)
}
