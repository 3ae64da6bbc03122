package console

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/table"
)

// matchBody is the content of the page of a match.
type matchBody struct {
	picker
	FixtureID   string
	HTML        template.HTML
	Publication *publication
	Receipt     string // its address; "" if there is none
	Provable    uint64 // the version that it is of
}

func (c *Console) match(r *http.Request) (view, error) {
	p, err := c.pickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	if err != nil {
		return view{}, err
	}
	id := r.PathValue("fixture")
	missing := notFound("%s is not among the matches that %s has in play, or had until a few minutes ago.", id, p.Account)
	if p.Account == "" {
		return view{}, missing
	}
	root, err := p.dataset.Open()
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	then, err := publicationOf(r, root)
	if err != nil {
		return view{}, err
	}
	if then == nil {
		return view{}, missing
	}
	s, err := inplay.ReadOf(root, then.commit)
	if err != nil {
		return view{}, err
	}
	at := slices.IndexFunc(s.Rows, func(r table.LiveRow) bool { return r.FixtureID == id })
	if at < 0 && then.IsPast() {
		return view{}, notFound("Version %d does not have this match.", then.Version)
	}
	if at < 0 {
		return view{}, missing
	}
	m, err := s.Match(&s.Rows[at])
	if err != nil {
		return view{}, err
	}
	m.Now = c.Now()
	c.follow(r.Context(), p.dataset, m)
	if then.IsPast() { // the archive knows what came later
		m.Now = then.PublishedAt
		later := slices.IndexFunc(m.Past, func(l football.Live) bool { return l.Fixture.FetchedAt.After(m.Row.ProviderFetchedAt) })
		if later >= 0 {
			m.Past = m.Past[:later:later]
		}
	}
	body := matchBody{picker: p, FixtureID: id, Publication: then}
	if body.Provable = c.provableMatch(p.dataset, then); body.Provable > 0 {
		body.Receipt = fmt.Sprintf("/receipts/%s/%s?version=%d", p.Account, url.PathEscape(id), body.Provable)
	}
	if body.HTML, err = m.HTML(); err != nil {
		return view{}, err
	}
	return view{Page: "match", Section: "live", Title: m.Title(), Body: &body}, nil
}

const (
	tracesKept = 16 // matches whose past is kept in memory
	traceTime  = 2 * time.Minute
)

// traceKey identifies a match. The past of one of ninety minutes is in some 700 cycles: they are read
// once, and then only the new ones.
type traceKey struct {
	dataset         dataset.Dataset
	fixture, source string
}

// follow adds its past to a match. If reading takes long, the match gets the part read so far and
// a note of the progress.
func (c *Console) follow(ctx context.Context, d dataset.Dataset, m *matchpage.Match) {
	own := *m // the page goes on to use m
	key := traceKey{d, m.Row.ProviderFixtureID, m.Row.SourceProvider}
	r := c.traces.Get(ctx, key, strconv.FormatUint(m.Commit.Version, 10), m.Now, func(before inplay.Trace, progress func(done, total int)) (inplay.Trace, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceTime)
		defer cancel()
		return before.Extend(ctx, d, &own, progress)
	})
	m.Past, m.Damaged = r.Value.Past, r.Value.Damaged
	switch {
	case r.Err != nil:
		m.Tracing = fmt.Sprintf("The archive could not be read: %s.", terminal.Message(r.Err))
	case r.Running != nil && r.Total > 1:
		m.Tracing = fmt.Sprintf("The archive is being read: %d of %d cycles so far. The page shows them as soon as they are read.", r.Done, r.Total)
	case r.Running != nil:
		m.Tracing = "The archive is being read. The page shows it as soon as it is read."
	}
}
