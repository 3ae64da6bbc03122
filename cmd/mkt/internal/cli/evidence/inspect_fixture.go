package evidence

import (
	"errors"
	"fmt"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/find"
	"mkt/internal/evidence/history"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// inspectedFixture is a fixture in a publication.
type inspectedFixture struct {
	ClientID          string            `json:"client_id"`
	Product           football.Product  `json:"product"`
	Version           uint64            `json:"version"`
	CycleID           string            `json:"cycle_id"`
	PublishedAt       time.Time         `json:"published_at"`
	LeftAt            *time.Time        `json:"left_at"` // when a publication no longer had it; null if the newest has it
	FixtureID         string            `json:"fixture_id"`
	Home              *string           `json:"home"`
	Away              *string           `json:"away"`
	League            *string           `json:"league"`
	StartsAt          *time.Time        `json:"starts_at"`
	SourceProvider    string            `json:"source_provider"`
	ProviderFixtureID string            `json:"provider_fixture_id"`
	FetchedAt         time.Time         `json:"provider_fetched_at"`
	Markets           []inspectedMarket `json:"markets"`
}

type inspectedMarket struct {
	MarketID    string  `json:"market_id"`
	Market      *string `json:"market"`
	Period      *string `json:"period"`
	MarketName  *string `json:"market_name"`
	Selections  int     `json:"selections"`
	Publishable int     `json:"publishable"`

	group, title string
}

// inspectFixture shows a fixture in the newest publication with it.
func (g *Group) inspectFixture(f inspectFlags, text string) error {
	w := f.Filter
	if w.Product == "" {
		w.Product = string(football.MarketEngine)
	}
	if w.Product != string(football.MarketEngine) {
		return terminal.Usagef("CYCLE %q: want %s; of a fixture in play: mkt live show", text, snapshot.Forms)
	}
	datasets, err := dataset.List(g.Data, w)
	if err != nil {
		return err
	}
	if datasets, err = find.Having(datasets, text); err != nil {
		return err
	}
	for _, d := range datasets {
		shown, err := fixtureIn(d, text)
		if errors.Is(err, find.ErrUnknown) {
			continue
		}
		if err != nil {
			return err
		}
		return g.show(shown, shown.document)
	}
	return terminal.Usagef("%q is not a cycle (want %s), and %w", text, snapshot.Forms, find.ErrUnknown)
}

func fixtureIn(d dataset.Dataset, text string) (shown inspectedFixture, err error) {
	found, err := find.Named(d, text)
	if err != nil {
		return shown, err
	}
	root, err := d.Open()
	if err != nil {
		return shown, err
	}
	defer root.Close()
	commit, published, err := snapshot.Head(root)
	if err != nil {
		return shown, err
	}
	if !published {
		return shown, find.ErrUnknown
	}
	if found.Version != 0 && found.Version != commit.Version {
		if commit, err = snapshot.ReadCommit(root, found.Version); err != nil {
			return shown, err
		}
	}
	manifest, err := snapshot.Open(root, commit)
	if err != nil {
		return shown, err
	}
	row, markets, has, err := snapshot.FixtureOf(root, commit, manifest, found.ID)
	if err != nil {
		return shown, fmt.Errorf("%s: %w", d, err)
	}
	if !has {
		return shown, find.ErrUnknown
	}
	shown = inspectedFixture{ClientID: d.Tenant, Product: d.Product, Version: commit.Version, CycleID: string(commit.CycleID), PublishedAt: commit.PublishedAt.UTC(),
		FixtureID: row.FixtureID, Home: row.Home, Away: row.Away, League: row.League, StartsAt: row.StartsAt, SourceProvider: row.SourceProvider,
		ProviderFixtureID: row.ProviderFixtureID, FetchedAt: row.ProviderFetchedAt.UTC(), Markets: []inspectedMarket{}}
	if !found.Left.IsZero() {
		shown.LeftAt = &found.Left
	}
	for _, group := range history.Grouped(markets) {
		for _, m := range group.Markets {
			shown.Markets = append(shown.Markets, marketOf(group.Name, m))
		}
	}
	return shown, nil
}

func marketOf(group string, m *table.MarketRow) inspectedMarket {
	one := inspectedMarket{MarketID: m.MarketID, Market: m.Market, Period: m.Period, MarketName: m.MarketName, Selections: len(m.Selections), group: group, title: history.Heading(m)}
	for i := range m.Selections {
		if m.Selections[i].Publishable {
			one.Publishable++
		}
	}
	return one
}

func (f inspectedFixture) document() *document.Document {
	facts := []document.Fact{{Name: "league", Value: document.Words(orDash(f.League))}, {Name: "kick-off", Value: document.Words(terminal.Moment(f.StartsAt))},
		{Name: "provider", Value: document.Format("%s %s, retrieved %s", f.SourceProvider, f.ProviderFixtureID, document.At(f.FetchedAt))},
		{Name: "published", Value: document.Format("%s, version %d, cycle %s", f.ClientID, f.Version, f.CycleID)}}
	if f.LeftAt != nil {
		facts = append(facts, document.Fact{Name: "left", Value: document.Format("on %s: the newest publication does not have it", document.At(*f.LeftAt))})
	}
	d := &document.Document{Head: document.Words(find.Name(f.Home, f.Away) + "  " + f.FixtureID), Sections: []document.Section{{Facts: facts}}}
	if len(f.Markets) == 0 {
		d.Sections = append(d.Sections, document.Section{Notes: []document.Note{{Line: document.Words("no markets")}}})
		return d
	}
	t := &document.Table{Columns: document.Columns("Group", "Market", "#Selections", "#Publishable", "Id")}
	for _, m := range f.Markets {
		t.Add(m.group, m.title, m.Selections, m.Publishable, m.MarketID)
	}
	d.Sections = append(d.Sections, document.Section{Table: t})
	return d
}

func orDash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return *s
}
