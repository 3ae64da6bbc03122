package console

import (
	"net/http"
	"strconv"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/names"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Limits of the list of fixtures.
const (
	fixturesShown   = 100
	maxFixtureLists = 8   // datasets whose newest list is kept in memory
	maxLeagues      = 500 // in the choice of leagues
	maxQuery        = 200
)

// fixturesBody is the content of the page of an account's fixtures.
type fixturesBody struct {
	picker
	Query, League, From, To, With string
	Leagues                       []string
	Commit                        snapshot.Commit
	FetchedAt                     *time.Time
	Rows                          []fixtureRow
	All, Matching                 int
	First, Last                   int
	Before, After                 string // addresses of the pages before and after; "" if there is none
	Departed                      departedShown
}

func (c *Console) fixtures(r *http.Request) (view, error) {
	p, err := c.pickOf(r, "/fixtures", dataset.Filter{Product: string(football.MarketEngine)})
	if err != nil {
		return view{}, err
	}
	q := r.URL.Query()
	b := fixturesBody{picker: p, Query: q.Get("q"), League: q.Get("league"), From: q.Get("from"), To: q.Get("to"), With: q.Get("with")}
	v := view{Page: "fixtures", Section: "fixtures", Title: "Fixtures", Body: &b}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Fixtures of " + p.Account
	list, err := c.fixtureLists.list(p.dataset)
	if err != nil || list == nil {
		return v, err
	}
	b.Commit, b.FetchedAt, b.All = list.commit, list.manifest.ProviderFetchedAt, len(list.rows)
	b.Leagues = list.leagues[:min(len(list.leagues), maxLeagues)]
	matches, err := b.selects()
	if err != nil {
		return v, err
	}
	if b.Departed, err = c.searchDeparted(r.Context(), p.dataset, list, b.Query, matches); err != nil {
		return v, err
	}
	var matching []fixtureRow
	for i := range list.rows {
		if matches(&list.rows[i]) {
			matching = append(matching, list.rows[i])
		}
	}
	return v, b.page(r, matching)
}

// selects returns a function that reports whether the form selects a fixture.
func (b *fixturesBody) selects() (func(*fixtureRow) bool, error) {
	if len(b.Query) > maxQuery || len(b.League) > maxQuery {
		return nil, badRequest("q and league: want at most %d characters.", maxQuery)
	}
	if b.With != "" && b.With != "markets" && b.With != "none" {
		return nil, badRequest("with=%s: want markets, none, or nothing.", b.With)
	}
	from, err := formTime("from", b.From)
	if err != nil {
		return nil, err
	}
	to, err := formTime("to", b.To)
	if err != nil {
		return nil, err
	}
	query := names.Search(b.Query)
	return func(row *fixtureRow) bool {
		at := row.StartsAt
		switch {
		case b.League != "" && (row.League == nil || *row.League != b.League),
			b.With == "markets" && row.MarketCount == 0, b.With == "none" && row.MarketCount > 0,
			!from.IsZero() && (at == nil || at.Before(from)), !to.IsZero() && (at == nil || at.After(to)),
			!query.MatchesFolded(row.words):
			return false
		}
		return true
	}, nil
}

// page cuts the requested page from the matching fixtures.
func (b *fixturesBody) page(r *http.Request, matching []fixtureRow) error {
	b.Matching = len(matching)
	number, pages := 1, max(1, (len(matching)+fixturesShown-1)/fixturesShown)
	if text := r.URL.Query().Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return badRequest("page=%s: want the number of a page, from 1.", text)
		}
		number = min(n, pages)
	}
	first := (number - 1) * fixturesShown
	b.Rows = matching[first:min(first+fixturesShown, len(matching))]
	b.First, b.Last = first+1, first+len(b.Rows)
	link := func(n int) string {
		q := r.URL.Query()
		q.Del("account")
		q.Set("page", strconv.Itoa(n))
		return "/fixtures/" + b.Account + "?" + q.Encode()
	}
	if number > 1 {
		b.Before = link(number - 1)
	}
	if number < pages {
		b.After = link(number + 1)
	}
	return nil
}
