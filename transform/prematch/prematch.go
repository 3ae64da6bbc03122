// Package prematch takes one raw cycle of market_engine to canonical rows. It reads the list of
// fixtures and the answers with their markets, derives each fixture with package markets, joins
// the answers, and writes the rows in the order of the fixtures' ids. It refuses a cycle if too much
// of it is unreadable.
package prematch

import "context"

// Derive reads the raw cycle and makes its rows. It adds what it found to the header.
func (c *Cycle) Derive(ctx context.Context) error {
	of, err := c.provider()
	if err != nil {
		return err
	}
	listing, err := c.readListing(&of)
	if err != nil {
		return err
	}
	sheets, err := c.readSheets(ctx, &of, listing)
	if err != nil {
		return err
	}
	return c.conclude(c.gather(listing.Listing, sheets))
}
