package cycles

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"mkt/fetch/raw"
	"mkt/internal/console/choice"
	"mkt/internal/console/fixtures"
	"mkt/internal/console/frame"
	"mkt/internal/evidence/history"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

const suspectShown = 300 // of each list of a page

// mappingBody is the content of the page with a cycle's suspicions and unreadable records.
type mappingBody struct {
	choice.Choice
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

func (c *Pages) Mapping(r *http.Request) (frame.View, error) {
	p, m, root, err := c.PickMoment(r)
	if err != nil {
		return frame.View{}, err
	}
	defer root.Close()
	if p.Product != football.MarketEngine {
		return frame.View{}, frame.NotFound("Only cycles of market_engine have a mapping.")
	}
	id, archive, err := openArchive(root, p, m)
	if err != nil {
		return frame.View{}, err
	}
	if archive.Cycle().Outcome == raw.Failed {
		return frame.View{}, frame.NotFound("Cycle %s of %s failed before anything was mapped.", id, p.Dataset)
	}
	b := &mappingBody{Choice: p, CycleID: id}
	if commit, err := snapshot.Find(root, m); err == nil && commit.CycleID == id {
		b.Version = commit.Version
		if b.Version > 1 {
			if before, err := snapshot.Find(root, snapshot.Numbered(b.Version-1)); err == nil {
				b.Before, b.BeforeCycle = before.Version, before.CycleID
			}
		}
	}
	v := frame.View{Page: "mapping", Section: "cycles", Title: "Mapping of cycle " + string(id), Body: b}
	return v, b.compare(r.Context(), c)
}

func (b *mappingBody) compare(ctx context.Context, c *Pages) error {
	now, err := c.mappings.of(ctx, c.Now(), b.Dataset, b.CycleID)
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
	before, err := c.mappings.of(ctx, c.Now(), b.Dataset, b.BeforeCycle)
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
func (b *mappingBody) name(c *Pages) {
	list, err := c.lists.Of(b.Dataset)
	if err != nil || list == nil {
		return // they keep the provider's ids
	}
	known := map[string]*fixtures.Row{}
	for i := range list.Rows {
		known[list.Rows[i].ProviderFixtureID] = &list.Rows[i]
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
