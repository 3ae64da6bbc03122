package serve

import (
	"context"
	"fmt"

	"mkt/publish/football"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/markets"
)

// markets answers GET /fixtures/{id}/markets, filtered and in the order of the ids.
func (c *call) markets() error {
	limit, err := c.params.limit()
	if err != nil {
		return err
	}
	filter, err := marketFilter(c.params)
	if err != nil {
		return err
	}
	id := c.echo.Param("id")
	scope := api.Scope{Collection: api.MarketList, ClientID: c.who.ClientID, Filter: id + ";" + filter.Market + ";" + filter.Period}
	after, err := c.params.position(scope)
	if err != nil {
		return err
	}
	f, err := c.find()
	if err != nil {
		return err
	}
	key := pageKey("m", limit, after, scope.Filter)
	if p, ok := c.view.CachedPage(key); ok { // before the function below is made, which is memory
		return c.send(p)
	}
	return c.sendPage(key, func(ctx context.Context) (*api.Page, error) {
		return c.renderMarkets(ctx, scope, f, filter, after, limit)
	})
}

func (c *call) renderMarkets(ctx context.Context, scope api.Scope, f markets.Fixture, filter markets.Filter, after string, limit int) (*api.Page, error) {
	var list api.List
	var last []byte
	more, err := c.view.Markets(ctx, f, filter, after, limit, func(id, body []byte) {
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
	return list.Page(page, c.view.FixtureFreshness(f), api.MarketListMeta(f.ID, f.Markets)), nil
}

// marketFilter parses the canonical name and the period. A name without a market of the fixture
// leads to an empty page.
func marketFilter(p params) (f markets.Filter, err error) {
	if f.Market, err = p.name("market"); err != nil {
		return f, err
	}
	f.Period, err = p.name("period")
	return f, err
}

// market answers GET /fixtures/{id}/markets/{market_id}, where market_id is an id or a
// canonical name. A period and a subject select among the markets with a name; with an
// id they have no effect.
func (c *call) market() error {
	period, err := c.params.name("period")
	if err != nil {
		return err
	}
	subject, err := c.params.text("subject")
	if err != nil {
		return err
	}
	f, err := c.find()
	if err != nil {
		return err
	}
	id := c.echo.Param("market_id")
	key := fmt.Sprintf("k %s %q %s %q", f.ID, id, period, subject)
	return c.sendPage(key, func(ctx context.Context) (page *api.Page, err error) {
		render := func(_, body []byte) { page = api.Object(body, c.view.FixtureFreshness(f)) }
		found, refusal := false, api.Refuse(api.MarketNotFound)
		switch {
		case football.IsMarketID(id):
			found, err = c.view.Market(ctx, f, id, render)
		case api.IsName(id):
			found, err = c.view.MarketByName(ctx, f, markets.Filter{Market: id, Period: period, Subject: subject}, render)
		default:
			refusal.Message = "a market is named by its id, mk_..., or by a canonical name in capitals, such as TOTAL_GOALS"
		}
		if err == nil && !found {
			err = refusal
		}
		return page, err
	})
}
