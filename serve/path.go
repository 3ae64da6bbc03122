package serve

import (
	"context"
	"fmt"
	"time"

	"mkt/publish/football"
	"mkt/publish/steps"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/markets"
)

// pricePath answers GET /ext/history/v0/fixtures/{id}/markets/{market_id}: the path of the prices of
// a market, or its state at a time.
func (c *call) pricePath() error {
	limit, err := c.params.limit()
	if err != nil {
		return err
	}
	bounds, err := boundsOf(c.params)
	if err != nil {
		return err
	}
	fixture, market := c.echo.Param("id"), c.echo.Param("market_id")
	scope := api.Scope{Collection: api.PathPoints, ClientID: c.who.ClientID, Filter: fmt.Sprint(fixture, ";", market, ";", bounds.key())}
	after, err := c.params.position(scope)
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return err
	}
	switch {
	case !football.IsFixtureID(fixture):
		return api.Refuse(api.FixtureNotFound)
	case !football.IsMarketID(market):
		return api.Refusef(api.MarketNotFound, "a market is named here by its id, mk_..., not by a canonical name")
	}
	return c.sendPage(pageKey("p", limit, after, scope.Filter), func(context.Context) (*api.Page, error) {
		return c.renderPath(scope, fixture, market, bounds, after, limit)
	})
}

func (c *call) renderPath(scope api.Scope, fixture, market string, of pathBounds, after string, limit int) (*api.Page, error) {
	page := api.PathPage{From: of.from, To: of.to, Now: !of.at.IsZero(), After: after, Limit: limit}
	path, err := c.view.PricePath(fixture, market, of.at, page.Span())
	if err != nil {
		return nil, err
	}
	freshness := c.view.Freshness()
	f, isThere := c.view.Find(fixture)
	if isThere {
		freshness = c.view.FixtureFreshness(f)
	}
	if len(path.Selections) == 0 {
		return nil, c.unknownPath(path, isThere, of)
	}
	body, last, more := api.AppendPath(nil, path, page)
	pagination := api.Pagination{Limit: limit, HasMore: more}
	if more {
		pagination.NextCursor = scope.Cursor(last)
	}
	return api.Paged(body, pagination, freshness, api.PathMeta(c.view.StepsSince(), path.FromStart())), nil
}

// unknownPath returns the refusal of a path without selections, which may have some after the time asked for.
func (c *call) unknownPath(p *steps.Path, isThere bool, of pathBounds) error {
	if !of.at.IsZero() {
		var err error
		if p, err = c.view.PricePath(p.FixtureID, p.MarketID, time.Time{}, steps.Span{Count: 1}); err != nil {
			return err
		}
	}
	switch {
	case len(p.Selections) > 0:
		return api.Refusef(api.InvalidParameter, "at is before the first publication of the market that is recorded, of %s", p.Begins().Format("2006-01-02T15:04:05.000Z"))
	case len(p.KickOffs) == 0 && !isThere:
		return api.Refuse(api.FixtureNotFound)
	}
	return api.Refuse(api.MarketNotFound)
}

// pathBounds are the bounds of a path; zero times are none.
type pathBounds struct{ from, to, at time.Time }

func (b pathBounds) key() string {
	return fmt.Sprint(b.from.UnixMilli(), ";", b.to.UnixMilli(), ";", b.at.UnixMilli())
}

func boundsOf(p params) (b pathBounds, err error) {
	for _, bound := range []struct {
		name string
		to   *time.Time
	}{{"from", &b.from}, {"to", &b.to}, {"at", &b.at}} {
		var at markets.Instant
		if at, err = p.instant(bound.name); err != nil {
			return b, err
		}
		if ms, given := at.MS(); given {
			*bound.to = time.UnixMilli(ms).UTC()
			if bound.to.IsZero() { // the first moment of year 1, which is no missing bound
				*bound.to = bound.to.Add(time.Millisecond)
			}
		}
	}
	if !b.from.IsZero() && !b.to.IsZero() && b.from.After(b.to) {
		return b, api.Refusef(api.InvalidParameter, "from is after to")
	}
	_, paged := p.param("cursor")
	if !b.at.IsZero() && (!b.from.IsZero() || !b.to.IsZero() || paged) {
		return b, api.Refusef(api.InvalidParameter, "at is a state of the market: it goes without from, to and cursor")
	}
	return b, nil
}
