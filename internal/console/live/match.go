package live

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/console/inplay"
	"mkt/internal/dataset"
	"mkt/publish/football"
	"mkt/publish/table"
)

// matchBody is the content of the page of a match.
type matchBody struct {
	choice.Choice
	FixtureID   string
	HTML        template.HTML
	Publication *choice.Publication
	Receipt     string // its address; "" if there is none
	Provable    uint64 // the version that it is of
}

func (c *Pages) Match(r *http.Request) (frame.View, error) {
	p, err := c.PickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	if err != nil {
		return frame.View{}, err
	}
	id := r.PathValue("fixture")
	missing := frame.NotFound("%s is not among the matches that %s has in play, or had until a few minutes ago.", id, p.Account)
	if p.Account == "" {
		return frame.View{}, missing
	}
	root, err := p.Dataset.Open()
	if err != nil {
		return frame.View{}, err
	}
	defer root.Close()
	then, err := choice.PublicationOf(r, root)
	if err != nil {
		return frame.View{}, err
	}
	if then == nil {
		return frame.View{}, missing
	}
	s, err := inplay.ReadOf(root, then.Commit)
	if err != nil {
		return frame.View{}, err
	}
	at := slices.IndexFunc(s.Rows, func(r table.LiveRow) bool { return r.FixtureID == id })
	if at < 0 && then.IsPast() {
		return frame.View{}, frame.NotFound("Version %d does not have this match.", then.Version)
	}
	if at < 0 {
		return frame.View{}, missing
	}
	m, err := s.Match(&s.Rows[at])
	if err != nil {
		return frame.View{}, err
	}
	m.Now = c.Now()
	follow(r.Context(), c.traces, p.Dataset, m)
	if then.IsPast() { // the archive knows what came later
		m.Now = then.PublishedAt
		later := slices.IndexFunc(m.Past, func(l football.Live) bool { return l.Fixture.FetchedAt.After(m.Row.ProviderFetchedAt) })
		if later >= 0 {
			m.Past = m.Past[:later:later]
		}
	}
	body := matchBody{Choice: p, FixtureID: id, Publication: then}
	if body.Provable = c.log.ProvableMatch(p.Dataset, then); body.Provable > 0 {
		body.Receipt = fmt.Sprintf("/receipts/%s/%s?version=%d", p.Account, url.PathEscape(id), body.Provable)
	}
	if body.HTML, err = m.HTML(); err != nil {
		return frame.View{}, err
	}
	return frame.View{Page: "match", Section: "live", Title: m.Title(), Body: &body}, nil
}
