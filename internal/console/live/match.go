package live

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"mkt/internal/console/choice"
	"mkt/internal/console/fixtures"
	"mkt/internal/console/frame"
	"mkt/internal/console/inplay"
	"mkt/internal/dataset"
	"mkt/internal/evidence/find"
	"mkt/internal/terminal"
	"mkt/publish/football"
)

// matchBody is the content of the page of a match: its part in play and its prices up to kick-off, of
// which one may be missing.
type matchBody struct {
	choice.Choice
	FixtureID   string
	HTML        template.HTML // "" if no kept publication has the match
	Gone        bool          // the newest publication does not have it
	Publication *choice.Publication
	Receipt     string        // its address; "" if there is none
	Provable    uint64        // the version that it is of
	Name        string        // of the teams
	Prices      template.HTML // "" if no kept publication has the fixture
	Unread      string        // why the prices could not be read
	title       string        // of the part in play
}

// Match shows a match with its prices up to kick-off. A request of the script has the part in play alone,
// which it renews.
func (c *Pages) Match(r *http.Request) (frame.View, error) {
	p, err := c.PickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	if err != nil {
		return frame.View{}, err
	}
	b := &matchBody{Choice: p, FixtureID: r.PathValue("fixture")}
	if p.Account != "" {
		err = c.inPlay(r, b)
	}
	if err != nil {
		return frame.View{}, err
	}
	if d, err := c.DatasetOf(p.Account, string(football.MarketEngine)); err == nil && r.Header.Get("Prefer") == "" && find.IsID(b.FixtureID) {
		name, prices, err := fixtures.MainPrices(r.Context(), d, c.log, b.FixtureID)
		if b.Name, b.Prices = cmp.Or(b.Name, name), prices; err != nil {
			b.Unread = terminal.Message(err)
		}
	}
	if b.Name == "" {
		return frame.View{}, frame.NotFound("%s is not among the matches that %s has in play, or had until a few minutes ago.", b.FixtureID, p.Account)
	}
	return frame.View{Page: "match", Section: "live", Title: cmp.Or(b.title, b.Name), Body: b}, nil
}

// inPlay adds the part in play of the requested publication, or else of the newest one with the match.
func (c *Pages) inPlay(r *http.Request, b *matchBody) error {
	root, err := b.Dataset.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	then, err := choice.PublicationOf(r, root)
	if err != nil || then == nil {
		return err
	}
	s, err := inplay.ReadOf(root, then.Commit)
	if err != nil {
		return err
	}
	row := s.Row(b.FixtureID)
	if row == nil && r.URL.Query().Has("version") {
		return frame.NotFound("Version %d does not have this match.", then.Version)
	}
	if b.Gone = row == nil; b.Gone {
		last := find.LastWithMatch(root, then.First, then.Commit, b.FixtureID)
		if last.Version < then.First {
			return nil
		}
		then.Commit, then.PublishedAt, then.Version, then.Last = last, last.PublishedAt, last.Version, last.Version
		if s, err = inplay.ReadOf(root, last); err != nil {
			return err
		}
		row = s.Row(b.FixtureID)
	}
	m, err := s.Match(row)
	if err != nil {
		return err
	}
	m.Now = c.Now()
	follow(r.Context(), c.traces, b.Dataset, m)
	if then.IsPast() { // the archive knows what came later
		m.Now = then.PublishedAt
		later := slices.IndexFunc(m.Past, func(l football.Live) bool { return l.Fixture.FetchedAt.After(m.Row.ProviderFetchedAt) })
		if later >= 0 {
			m.Past = m.Past[:later:later]
		}
	}
	b.Publication, b.Name = then, find.Name(row.Home, row.Away)
	if b.Provable = c.log.ProvableMatch(b.Dataset, then); b.Provable > 0 {
		b.Receipt = fmt.Sprintf("/receipts/%s/%s?version=%d", b.Account, url.PathEscape(b.FixtureID), b.Provable)
	}
	b.title = m.Title()
	b.HTML, err = m.HTML()
	return err
}
