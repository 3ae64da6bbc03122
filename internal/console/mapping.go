package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/dataset"
	"mkt/internal/evidence/history"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/coverage"
)

const (
	mappingsKept = 8    // cycles whose problems are kept in memory
	maxSuspected = 5000 // suspicious markets kept of a cycle
	suspectShown = 300  // of each list of a page
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

// problemsOf returns the problems of a cycle; nil if they are still being read.
func (c *Console) problemsOf(ctx context.Context, d dataset.Dataset, cycle layout.CycleID) (*problems, error) {
	r := c.mappings.Get(ctx, mappingKey{d, cycle}, "read", c.Now(), func(problems, func(done, total int)) (problems, error) {
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

// mappingBody is the content of the page with a cycle's suspicions and unreadable records.
type mappingBody struct {
	picker
	CycleID     layout.CycleID
	Version     uint64 // 0 if it was not published
	Before      uint64 // the publication compared with it; 0 if there is none
	BeforeCycle layout.CycleID
	Reading     bool   // the archive is being read
	Missing     string // why there is no comparison
	Now, Came   []suspected
	Went        []suspected
	NowAll      int
	CameAll     int
	WentAll     int
	Unreadable  []unreadable
	UnreadAll   int
}

func (c *Console) mapping(r *http.Request) (view, error) {
	p, m, root, err := c.momentOf(r)
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	if p.Product != football.MarketEngine {
		return view{}, notFound("Only cycles of market_engine have a mapping.")
	}
	id, archive, err := openArchive(root, p, m)
	if err != nil {
		return view{}, err
	}
	if archive.Cycle().Outcome == raw.Failed {
		return view{}, notFound("Cycle %s of %s failed before anything was mapped.", id, p.dataset)
	}
	b := &mappingBody{picker: p, CycleID: id}
	if commit, err := snapshot.Find(root, m); err == nil && commit.CycleID == id {
		b.Version = commit.Version
		if b.Version > 1 {
			if before, err := snapshot.Find(root, snapshot.Numbered(b.Version-1)); err == nil {
				b.Before, b.BeforeCycle = before.Version, before.CycleID
			}
		}
	}
	v := view{Page: "mapping", Section: "cycles", Title: "Mapping of cycle " + string(id), Body: b}
	return v, b.compare(r.Context(), c)
}

func (b *mappingBody) compare(ctx context.Context, c *Console) error {
	now, err := c.problemsOf(ctx, b.dataset, b.CycleID)
	if err != nil {
		return fmt.Errorf("cycle %s: %w", b.CycleID, err)
	}
	if b.Reading = now == nil; b.Reading {
		return nil
	}
	b.NowAll, b.UnreadAll = len(now.suspected)+now.more, len(now.unreadable)
	b.Now, b.Unreadable = now.suspected[:min(len(now.suspected), suspectShown)], now.unreadable[:min(len(now.unreadable), suspectShown)]
	defer b.name(c)
	if b.Before == 0 {
		b.Missing = "There is no publication before it to compare with."
		return nil
	}
	before, err := c.problemsOf(ctx, b.dataset, b.BeforeCycle)
	switch {
	case err != nil:
		b.Missing = fmt.Sprintf("Version %d cannot be compared with: %s.", b.Before, terminal.Message(err))
	case before == nil:
		b.Reading = true
	default:
		b.Came, b.CameAll = lacking(now.suspected, before.suspected)
		b.Went, b.WentAll = lacking(before.suspected, now.suspected)
		for i := range b.Went {
			b.Went[i].Unrefreshed = !now.fixtures[b.Went[i].Fixture]
		}
	}
	return nil
}

// lacking returns the first suspicions of list missing from other, and how many there are.
func lacking(list, other []suspected) (lack []suspected, n int) {
	has := map[[5]string]bool{}
	for _, s := range other {
		has[s.key()] = true
	}
	for _, s := range list {
		if has[s.key()] {
			continue
		}
		if n++; len(lack) < suspectShown {
			lack = append(lack, s)
		}
	}
	return lack, n
}

// name finds the names of the fixtures in the newest publication, and sorts by them.
func (b *mappingBody) name(c *Console) {
	list, err := c.fixtureLists.list(b.dataset)
	if err != nil || list == nil {
		return // they keep the provider's ids
	}
	known := map[string]*fixtureRow{}
	for i := range list.rows {
		known[list.rows[i].ProviderFixtureID] = &list.rows[i]
	}
	for _, of := range []*[]suspected{&b.Now, &b.Came, &b.Went} {
		*of = slices.Clone(*of) // the originals are kept for other pages
		for i := range *of {
			if s := &(*of)[i]; known[s.Fixture] != nil {
				s.FixtureID, s.Name = known[s.Fixture].FixtureID, history.FixtureName(&known[s.Fixture].FixtureRow)
			}
		}
		slices.SortStableFunc(*of, func(a, b suspected) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Fixture, b.Fixture))
		})
	}
}

// suspects is a list of suspicious markets for the template.
type suspects struct {
	Account string
	Path    string // of the cycle whose answers they came from
	List    []suspected
	All     int
}

// Suspects returns a list for the template.
func (b *mappingBody) Suspects(list []suspected, all int, path string) suspects {
	return suspects{b.Account, path, list, all}
}

// BeforePath returns the address of the cycle compared with this one.
func (b *mappingBody) BeforePath() string {
	return fmt.Sprintf("/cycles/%s/%s/%s", b.Account, b.Product, b.BeforeCycle)
}
