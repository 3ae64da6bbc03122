// Package suspicions reads the archived answers of a cycle again, by the rules of this build, and lists
// the markets that look as if they were misread and the records that could not be read, each with
// the answer that it came from. It compares two cycles. A suspicion changes no data: a bookmaker's own
// mistakes look the same.
package suspicions

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/dataset"
	"mkt/publish/layout"
	"mkt/transform/coverage"
)

// ErrNoAnswers is the error for a cycle whose answers are deleted.
var ErrNoAnswers = errors.New("its answers are not kept")

// maxMarkets is how many suspicious markets are kept of a cycle.
const maxMarkets = 5000

// Cycle has what looks wrong in a cycle.
type Cycle struct {
	ID         layout.CycleID
	Markets    []Market // that look as if they were misread, at most maxMarkets
	More       int      // left out of Markets
	Unreadable []Unreadable

	fixtures map[string]bool // refreshed by the cycle, by the provider's id
}

// Market is a suspicious market.
type Market struct {
	coverage.SuspiciousMarket
	Answer int // its number in the archive
	// Unrefreshed: of a market that is not suspicious in a newer cycle, which did not fetch its fixture.
	Unrefreshed bool
}

// key is the identity of a suspicion over cycles.
func (m *Market) key() [5]string {
	return [5]string{m.Kind.String(), m.Fixture, m.Key, m.Canonical, m.Period}
}

// Unreadable counts one kind of unreadable record in an answer.
type Unreadable struct {
	Answer int
	What   string
	Count  int
}

// Read reads the answers of a cycle. If they are deleted the error is [ErrNoAnswers].
func Read(d dataset.Dataset, cycle layout.CycleID) (c Cycle, err error) {
	root, err := d.Open()
	if err != nil {
		return c, err
	}
	defer root.Close()
	archive, err := raw.Open(root, cycle)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		return c, ErrNoAnswers
	}
	if err != nil {
		return c, err
	}
	adapter, known := all.Lookup(archive.Cycle().Provider)
	if !known {
		return c, fmt.Errorf("this build does not know the provider %q", archive.Cycle().Provider)
	}
	report, err := coverage.Problems(archive, adapter)
	if err != nil {
		return c, err
	}
	c.ID = cycle
	c.add(&report)
	return c, nil
}

func (c *Cycle) add(report *coverage.Report) {
	c.fixtures = map[string]bool{}
	for i := range report.Payloads {
		of := &report.Payloads[i]
		for id := range of.FixtureIDs() {
			c.fixtures[id] = true
		}
		for _, s := range of.Suspicions {
			if len(c.Markets) == maxMarkets {
				c.More++
				continue
			}
			c.Markets = append(c.Markets, Market{SuspiciousMarket: s, Answer: of.Number})
		}
		if of.Err != nil {
			c.Unreadable = append(c.Unreadable, Unreadable{of.Number, "the whole answer: " + of.Err.Error(), 1})
		}
		broken := map[string]int{}
		for id, why := range of.Broken {
			broken[fmt.Sprintf("fixture %s: %s", id, why)]++
		}
		for _, counts := range []map[string]int{broken, of.Damaged} {
			for _, what := range slices.Sorted(maps.Keys(counts)) {
				c.Unreadable = append(c.Unreadable, Unreadable{of.Number, what, counts[what]})
			}
		}
	}
}

// Lacking returns the suspicious markets of a cycle that another one does not have.
func (c *Cycle) Lacking(other *Cycle) (list []Market) {
	has := map[[5]string]bool{}
	for i := range other.Markets {
		has[other.Markets[i].key()] = true
	}
	for _, m := range c.Markets {
		if !has[m.key()] {
			m.Unrefreshed = !other.fixtures[m.Fixture]
			list = append(list, m)
		}
	}
	return list
}
