package feed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
)

// The limits of a list of fixtures.
const (
	maxPages    = 100
	maxFixtures = 100_000
)

// perRequest is how many fixtures a request for markets names: of a large bookmaker each has
// 100 KiB and 20,000 values.
const perRequest = 10

// countSplit counts requests for markets that were repeated fixture by fixture.
const countSplit = "split"

// marketAdapter is the market adapter of a source's provider.
type marketAdapter struct {
	source
	decode.MarketEndpoints
}

// Ask implements provider.MarketAdapter: the pages of the list, and then the markets of
// the fixtures that have not begun, by kick-off.
func (a marketAdapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	c := requests.New(x)
	fixtures, err := a.list(ctx, c)
	if err != nil {
		return c.Asked, err
	}
	slices.SortStableFunc(fixtures, func(a, b listed) int { return a.starts.Compare(b.starts) })
	var ids []string
	for _, f := range fixtures {
		if f.open {
			ids = append(ids, f.id)
		}
	}
	err = c.Batches(ctx, ids, perRequest, countSplit, func(ctx context.Context, ids []string) error {
		p, err := c.Get(ctx, marketsRequest(ids))
		if err != nil {
			return err
		}
		missing, err := a.missingIn(p, ids)
		if err == nil {
			c.Answered(missing...)
		}
		return err
	})
	if err == nil {
		err = c.Err()
	}
	return c.Result(err)
}

// listed is a fixture of the list.
type listed struct {
	id     string
	starts time.Time
	open   bool // its prices are asked for
}

// list reads all pages. The list is complete if it says so on every page, every item could
// be read, no id is there twice, and there are as many as it says. A page that cannot be
// had leaves the fixtures of those before.
func (s source) list(ctx context.Context, c *requests.Cycle) (fixtures []listed, err error) {
	met, cursors := make(map[string]bool), make(map[string]bool)
	complete, items, count, cursor := true, 0, 0, ""
	d := decode.Document()
	defer decode.Release(d)
	for n := 1; ; n++ {
		c.Expect(1)
		p, err := c.Get(ctx, fixturesRequest(cursor))
		c.Step()
		switch {
		case err != nil && (n == 1 || ctx.Err() != nil || decode.MustStop(err)):
			return nil, err
		case err != nil:
			c.Fail(err)
			return fixtures, nil
		}
		root, err := s.open(d, p, api.EndpointFixtures)
		if err != nil {
			return nil, decode.Unreadable(p.Endpoint, err)
		}
		says, known := decode.Whole(root.Get("count"), maxFixtures)
		complete = complete && known && (n == 1 || says == count) && root.Get("complete").Kind() == strictjson.True
		count = says
		for v := range root.Get("fixtures").Items() {
			items++
			f, broken := readFixture(&fixtureShape, v, nil, new(decode.Counts), new(decode.Counts)) // counted where the archive is read
			if broken != "" || met[f.ID] {
				continue
			}
			id := strings.Clone(f.ID) // a part of the answer
			met[id] = true
			if f.Rule() != "" {
				c.Asked.Filtered++
				continue
			}
			c.Asked.Listed++
			fixtures = append(fixtures, listed{id, f.StartsAt.Or(time.Unix(1<<33, 0)), f.State == api.NotStarted})
		}
		if err := decode.CheckIDs(items, len(met)); err != nil {
			return nil, decode.Unreadable(p.Endpoint, err)
		}
		next := root.Get("next")
		if next.Kind() == strictjson.Null {
			c.Asked.ListingComplete = complete && items == count && len(met) == count
			return fixtures, nil
		}
		cursor = next.Text()
		if cursor == "" || len(cursor) > maxText || next.Kind() != strictjson.String || cursors[cursor] || n == maxPages || items > maxFixtures {
			c.Fail(decode.Unreadable(p.Endpoint, errors.New("its next page is one that was read before, or it has too many")))
			return fixtures, nil
		}
		cursors[cursor] = true
	}
}

// missingIn returns the requested fixtures on which nothing is offered. It is an error if
// an answer leaves one out without saying that.
func (s source) missingIn(p provider.Payload, ids []string) (missing []string, err error) {
	d := decode.Document()
	defer decode.Release(d)
	root, err := s.open(d, p, api.EndpointMarkets)
	if err != nil {
		return nil, decode.Unreadable(p.Endpoint, err)
	}
	met := make(map[string]bool, len(ids))
	for v := range root.Get("fixtures").Items() {
		met[fixtureID(v)] = true
	}
	for v := range root.Get("missing").Items() {
		if id := v.Text(); !met[id] && slices.Contains(ids, id) {
			met[id], missing = true, append(missing, ids[slices.Index(ids, id)])
		}
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !met[id] }) {
		return nil, decode.Unreadable(p.Endpoint, errors.New("a requested fixture is neither among those with markets nor among the missing"))
	}
	return missing, nil
}

// liveAdapter is the live adapter of every feed.
type liveAdapter struct {
	decode.LiveReader
	source
}

// Ask implements provider.LiveAdapter: one answer has everything.
func (a liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	c := requests.New(x)
	c.Asked.Resume = resume
	c.Expect(1)
	defer c.Step()
	p, err := c.Get(ctx, liveRequest)
	if err != nil {
		return c.Asked, err
	}
	sheet, err := a.readLive([]provider.Payload{p})
	if err != nil {
		return c.Asked, decode.Unreadable(p.Endpoint, err)
	}
	for _, n := range sheet.Filtered {
		c.Asked.Filtered += n
	}
	c.Asked.Listed, c.Asked.ListingComplete = len(sheet.Samples), sheet.Complete
	return c.Asked, nil
}
