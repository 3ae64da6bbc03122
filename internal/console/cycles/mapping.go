package cycles

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/console/background"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/suspicions"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// mappingsKept is how many cycles are kept in memory with what looks wrong in them.
const mappingsKept = 8

// mappingKey identifies a cycle whose answers are read again.
type mappingKey struct {
	dataset dataset.Dataset
	cycle   layout.CycleID
}

type mappings struct {
	*background.Reader[mappingKey, suspicions.Cycle]
}

// of returns what looks wrong in a cycle; nil if its answers are still being read.
func (m mappings) of(ctx context.Context, now time.Time, d dataset.Dataset, cycle layout.CycleID) (*suspicions.Cycle, error) {
	r := m.Get(ctx, mappingKey{d, cycle}, "read", now, func(suspicions.Cycle, func(done, total int)) (suspicions.Cycle, error) {
		return suspicions.Read(d, cycle)
	})
	if r.Running != nil {
		return nil, nil
	}
	return &r.Value, r.Err
}

// Mapping shows what looks wrong in a cycle, compared with the publication before it.
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
	now, err := c.mappings.of(r.Context(), c.Now(), p.Dataset, id)
	if err != nil {
		return frame.View{}, fmt.Errorf("cycle %s: %w", id, err)
	}
	section := fmt.Sprintf("/cycles/%s/%s", p.Account, p.Product)
	pages, missing := suspicions.Pages{Cycle: section + "/" + string(id)}, "There is no publication before it to compare with."
	var earlier *suspicions.Cycle
	var before snapshot.Commit
	if commit, err := snapshot.Find(root, m); now != nil && err == nil && commit.CycleID == id && commit.Version > 1 {
		if before, err = snapshot.Find(root, snapshot.Numbered(commit.Version-1)); err == nil {
			pages.Before, missing = section+"/"+string(before.CycleID), ""
			if earlier, err = c.mappings.of(r.Context(), c.Now(), p.Dataset, before.CycleID); err != nil {
				missing = fmt.Sprintf("Version %d cannot be compared with: %s.", before.Version, terminal.Message(err))
			} else if earlier == nil {
				now = nil
			}
		}
	}
	b := &frame.Document{Account: p.Account, Command: fmt.Sprintf("mapping report --tenant %s --cycle %s", p.Account, id),
		Above: []document.Span{document.Link(section, fmt.Sprintf("Cycles of %s, %s", p.Account, p.Product)), document.Link(pages.Cycle, string(id))}}
	d := &document.Document{Title: "The archive is being read", Sections: []document.Section{{Notes: []document.Note{{Line: document.Words("The page shows it as soon as it is read.")}}}}}
	if now != nil {
		d = now.Document(earlier, before.Version, missing, c.names(p.Dataset), pages)
	} else {
		b.Refresh = 1
	}
	return b.View("cycles", "Mapping of cycle "+string(id), d)
}

// names finds fixtures in the newest publication. The others keep the provider's ids.
func (c *Pages) names(d dataset.Dataset) suspicions.Names {
	known := map[string]document.Span{}
	if list, err := c.lists.Of(d); err == nil && list != nil {
		for i := range list.Rows {
			row := &list.Rows[i]
			known[row.ProviderFixtureID] = document.Link("/fixtures/"+d.Tenant+"/"+row.FixtureID, history.FixtureName(&row.FixtureRow))
		}
	}
	return func(id string) (string, string, bool) {
		span, ok := known[id]
		return span.Words, span.Link, ok
	}
}
