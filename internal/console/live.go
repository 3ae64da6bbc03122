package console

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/publish/football"
	"mkt/publish/table"
)

// liveBody is the content of the page of an account's matches in play.
type liveBody struct {
	picker
	InPlay, Over []liveLine
	Stale        int
	Version      uint64
}

// liveLines are matches of an account.
type liveLines struct {
	Account string
	Lines   []liveLine
}

// LinesInPlay returns the matches in play, and LinesOver the others.
func (b *liveBody) LinesInPlay() liveLines { return liveLines{b.Account, b.InPlay} }
func (b *liveBody) LinesOver() liveLines   { return liveLines{b.Account, b.Over} }

// liveLine is a match in one line.
type liveLine struct {
	*table.LiveRow
	Clock    string
	Momentum bool // whether there is a momentum of the present
	Pressing string
	State    string
	Stale    bool
	Age      time.Duration
}

func (c *Console) live(r *http.Request) (view, error) {
	p, err := c.pickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	body := liveBody{picker: p}
	v := view{Page: "live", Section: "live", Title: "Live", Body: &body}
	if err != nil || p.Account == "" {
		return v, err
	}
	v.Title = "Live, " + p.Account
	root, err := p.dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	s, err := inplay.Read(root)
	if err != nil || s == nil {
		return v, err
	}
	body.Version = s.Commit.Version
	body.read(s, c.Now())
	return v, nil
}

func (b *liveBody) read(s *inplay.Snapshot, now time.Time) {
	for i := range s.Rows {
		l := liveLineOf(&s.Rows[i], now)
		switch {
		case !l.InPlay:
			b.Over = append(b.Over, l)
			continue
		case l.Stale:
			b.Stale++
		}
		b.InPlay = append(b.InPlay, l)
	}
	for _, lines := range [][]liveLine{b.InPlay, b.Over} {
		slices.SortFunc(lines, func(a, b liveLine) int {
			return cmp.Or(compareKnown(a.League, b.League, strings.Compare), compareKnown(a.Home, b.Home, strings.Compare), strings.Compare(a.FixtureID, b.FixtureID))
		})
	}
}

func liveLineOf(r *table.LiveRow, now time.Time) liveLine {
	l := liveLine{LiveRow: r, Clock: matchpage.Minute(r), Pressing: matchpage.Pressing(r), State: matchpage.State(r, now),
		Stale: matchpage.IsStale(r, now), Age: max(0, now.Sub(r.FreshAt))}
	l.Momentum = r.MomentumHome != nil && r.MomentumAway != nil && !l.Stale
	return l
}

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
