package serve

import (
	"context"
	"strconv"
	"strings"

	"mkt/publish/football"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/markets"
)

// fixtures answers GET /fixtures: filtered, in the order of the ids, after a cursor.
func (c *call) fixtures() error {
	limit, err := c.params.limit()
	if err != nil {
		return err
	}
	filter, err := fixtureFilter(c.params)
	if err != nil {
		return err
	}
	scope := api.Scope{Collection: api.FixtureList, ClientID: c.who.ClientID, Filter: canonicalFilter(filter)}
	after, err := c.params.position(scope)
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return err
	}
	key := pageKey("f", limit, after, scope.Filter)
	if p, ok := c.view.CachedPage(key); ok { // before the function below is made, which is memory
		return c.send(p)
	}
	return c.sendPage(key, func(ctx context.Context) (*api.Page, error) {
		return c.renderFixtures(ctx, scope, filter, after, limit)
	})
}

// pageKey returns the key of a page. The position is quoted, because a forged cursor may contain
// anything.
func pageKey(collection string, limit int, after, filter string) string {
	b := make([]byte, 0, 128)
	b = append(b, collection...)
	b = strconv.AppendInt(append(b, ' '), int64(limit), 10)
	b = strconv.AppendQuote(append(b, ' '), after)
	b = append(append(b, ' '), filter...)
	return string(b)
}

func (c *call) renderFixtures(ctx context.Context, scope api.Scope, filter markets.FixtureFilter, after string, limit int) (*api.Page, error) {
	v := c.view
	filtered, err := v.FilteredCount(ctx, filter)
	if err != nil {
		return nil, err
	}
	var list api.List
	var last []byte
	more, err := v.Fixtures(ctx, filter, after, limit, func(id, body []byte) {
		list.Add(body)
		last = append(last[:0], id...)
	})
	if err != nil {
		return nil, err
	}
	page := api.Pagination{Limit: limit, HasMore: more}
	if more {
		page.NextCursor = scope.Cursor(string(last))
	}
	seq := v.Commit().LastSeq
	meta := api.FixtureListMeta(v.FixtureCount(), filtered, v.Provider(), c.changeCursor(seq), seq)
	return list.Page(page, v.Freshness(), meta), nil
}

func fixtureFilter(p params) (f markets.FixtureFilter, err error) {
	league, err := p.text("league")
	if err != nil {
		return f, err
	}
	f.League = markets.FoldCase(league)
	if f.After, err = p.instant("starts_after"); err != nil {
		return f, err
	}
	f.Before, err = p.instant("starts_before")
	return f, err
}

// canonicalFilter returns the canonical form of a filter, so that equal filters share their
// cursors and pages.
func canonicalFilter(f markets.FixtureFilter) string {
	if f == (markets.FixtureFilter{}) {
		return ""
	}
	var b strings.Builder
	for _, bound := range []markets.Instant{f.After, f.Before} {
		if ms, ok := bound.MS(); ok {
			b.WriteString(strconv.FormatInt(ms, 10))
		}
		b.WriteByte(';')
	}
	b.WriteString(f.League)
	return b.String()
}

// fixture answers GET /fixtures/{id}, which never contains markets.
func (c *call) fixture() error {
	f, err := c.find()
	if err != nil {
		return err
	}
	return c.sendPage("x "+f.ID, func(ctx context.Context) (*api.Page, error) {
		var page *api.Page
		err := c.view.Fixture(ctx, f, func(_, body []byte) {
			page = api.Object(api.AppendFixtureDetail(nil, body, f.ID), c.view.FixtureFreshness(f))
		})
		return page, err
	})
}

func (c *call) find() (markets.Fixture, error) {
	if err := c.ready(); err != nil {
		return markets.Fixture{}, err
	}
	id := c.echo.Param("id")
	if !football.IsFixtureID(id) {
		return markets.Fixture{}, api.Refuse(api.FixtureNotFound)
	}
	f, ok := c.view.Find(id)
	if !ok {
		return markets.Fixture{}, api.Refuse(api.FixtureNotFound)
	}
	c.found = f.ID
	return f, nil
}
