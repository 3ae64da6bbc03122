package demo

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"sync"
	"time"

	"mkt/internal/console/overview"
	"mkt/internal/console/receipts"
	"mkt/internal/dataset"
	"mkt/internal/evidence/examples"
	"mkt/internal/evidence/find"
	"mkt/internal/receipts/commitlog"
	"mkt/publish/football"
	"mkt/publish/table"
)

// newFor is how long examples are shown before others are looked for. While one of them is missing, a moment may bring it.
const newFor = 10 * time.Second

// chooser chooses what to try first: a match in play, the path of a price, and its receipt. It is safe for concurrent use.
type chooser struct {
	data, account string
	log           commitlog.Files
	now           func() time.Time

	mu    sync.Mutex // guards the following fields
	at    time.Time
	match *table.LiveRow
	price *examples.Price
	until uint64 // the newest publication of which prices have receipts; 0: none
	kept  bool   // the terminal names them, and the console does as long as it can
}

// keep chooses the examples that are kept.
func (c *chooser) keep(ctx context.Context) error {
	c.at = time.Time{}
	if err := c.choose(ctx); err != nil {
		return err
	}
	c.kept = true
	return nil
}

// choose looks for examples, unless it did a moment ago. What is not there is nil.
func (c *chooser) choose(ctx context.Context) error {
	complete := c.match != nil && c.price != nil && c.until > 0
	if now := c.now(); !complete || now.Sub(c.at) >= newFor || now.Before(c.at) {
		of := func(p football.Product) dataset.Dataset {
			return dataset.Dataset{Data: c.data, Tenant: c.account, Product: p}
		}
		live, err := of(football.LiveIntelligence).Open()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no cycle has begun
		}
		if err != nil {
			return err
		}
		defer live.Close()
		prices, err := of(football.MarketEngine).Open()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer prices.Close()
		match, price := "", ""
		if c.kept && c.match != nil {
			match = c.match.FixtureID
		}
		if c.kept && c.price != nil {
			price = c.price.Fixture.FixtureID
		}
		var failed error
		c.match, err = examples.Match(live, match)
		c.price, failed = examples.Prices(ctx, prices, now, price)
		_, c.until = receipts.Log{Data: c.data, Files: c.log}.Provable(of(football.MarketEngine), prices)
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		c.at = now
	}
	return nil
}

// links returns the examples as links of the console.
func (c *chooser) links(ctx context.Context) (list []overview.Example, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.choose(ctx); err != nil {
		return nil, err
	}
	if m := c.match; m != nil {
		list = append(list, overview.Example{Link: "/live/" + c.account + "/" + url.PathEscape(m.FixtureID), Title: "A match in play",
			About: find.Name(m.Home, m.Away) + ": momentum with goals and cards, counters, timeline."})
	}
	if p := c.price; p != nil {
		id := "/" + c.account + "/" + url.PathEscape(p.Fixture.FixtureID) + "/" + url.PathEscape(p.Market.MarketID)
		list = append(list, overview.Example{Link: "/fixtures" + id, Title: "The path of a price",
			About: "Match result of " + find.Name(p.Fixture.Home, p.Fixture.Away) + ": every price since it was first published."})
		if c.until > 0 {
			list = append(list, overview.Example{Link: receipts.Link(c.account, c.until, p.Fixture.FixtureID, p.Market.MarketID, p.Market.Selections[0].SelectionID), Title: "A receipt of that price",
				About: "A file with which anybody can check, offline, that it was published, and when."})
		}
	}
	return list, nil
}
