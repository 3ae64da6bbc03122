package cycles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/console/background"
	"mkt/internal/dataset"
	"mkt/publish/layout"
	"mkt/transform/coverage"
)

const (
	mappingsKept = 8    // cycles whose problems are kept in memory
	maxSuspected = 5000 // suspicious markets kept of a cycle
)

// problems are the unreadable records and suspicious markets of a cycle.
type problems struct {
	suspected  []suspected
	more       int // suspicious markets left out of suspected
	unreadable []unreadable
	fixtures   map[string]bool // refreshed by the cycle, by the provider's id
}

// suspected is a suspicious market.
type suspected struct {
	coverage.SuspiciousMarket
	Answer      int    // its number in the archive
	Name        string // of the fixture; "" if it is not in the newest publication
	FixtureID   string
	Unrefreshed bool // of a resolved one: the newer cycle did not fetch the fixture
}

// key is the identity of a suspicion over cycles.
func (s suspected) key() [5]string {
	return [5]string{s.Kind.String(), s.Fixture, s.Key, s.Canonical, s.Period}
}

// unreadable counts one kind of unreadable record in an answer.
type unreadable struct {
	Answer int
	What   string
	Count  int
}

// mappingKey identifies a cycle whose problems are read from its archive.
type mappingKey struct {
	dataset dataset.Dataset
	cycle   layout.CycleID
}

// mappings reads the problems of cycles.
type mappings struct {
	*background.Reader[mappingKey, problems]
}

// of returns the problems of a cycle; nil if they are still being read.
func (m mappings) of(ctx context.Context, now time.Time, d dataset.Dataset, cycle layout.CycleID) (*problems, error) {
	r := m.Get(ctx, mappingKey{d, cycle}, "read", now, func(problems, func(done, total int)) (problems, error) {
		return problemsIn(mappingKey{d, cycle})
	})
	if r.Running != nil {
		return nil, nil
	}
	return &r.Value, r.Err
}

// problemsIn reads the answers of a cycle.
func problemsIn(key mappingKey) (found problems, err error) {
	root, err := key.dataset.Open()
	if err != nil {
		return found, err
	}
	defer root.Close()
	archive, err := raw.Open(root, key.cycle)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		return found, errNoAnswers
	}
	if err != nil {
		return found, err
	}
	adapter, known := all.Lookup(archive.Cycle().Provider)
	if !known {
		return found, fmt.Errorf("this build does not know the provider %q", archive.Cycle().Provider)
	}
	report, err := coverage.Problems(archive, adapter)
	if err != nil {
		return found, err
	}
	found.add(&report)
	return found, nil
}

// errNoAnswers is the error for a cycle whose payloads are deleted.
var errNoAnswers = errors.New("its answers are not kept")

func (p *problems) add(c *coverage.Report) {
	p.fixtures = map[string]bool{}
	for i := range c.Payloads {
		of := &c.Payloads[i]
		for id := range of.FixtureIDs() {
			p.fixtures[id] = true
		}
		for _, s := range of.Suspicions {
			if len(p.suspected) == maxSuspected {
				p.more++
				continue
			}
			p.suspected = append(p.suspected, suspected{SuspiciousMarket: s, Answer: of.Number})
		}
		if of.Err != nil {
			p.unreadable = append(p.unreadable, unreadable{of.Number, "the whole answer: " + of.Err.Error(), 1})
		}
		broken := map[string]int{}
		for id, why := range of.Broken {
			broken[fmt.Sprintf("fixture %s: %s", id, why)]++
		}
		for _, counts := range []map[string]int{broken, of.Damaged} {
			for _, what := range slices.Sorted(maps.Keys(counts)) {
				p.unreadable = append(p.unreadable, unreadable{of.Number, what, counts[what]})
			}
		}
	}
}
