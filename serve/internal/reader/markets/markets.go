package markets

import (
	"context"
	"strings"

	"mkt/serve/internal/reader/engine"
)

// Filter selects a fixture's markets by canonical name, by period, and by a
// subject that at least one selection has. Its zero value selects all.
type Filter struct{ Market, Period, Subject string }

const (
	filteredMarkets = ` FROM d.market WHERE n BETWEEN $1 AND $2
AND ($3 = '' OR market = $3) AND ($4 = '' OR period = $4) AND ($5 = '' OR list_contains(subjects, $5)) `

	marketPage   = `SELECT id, body` + filteredMarkets + `AND id > $6 ORDER BY n LIMIT $7`
	marketByID   = `SELECT id, body FROM d.market WHERE n BETWEEN $1 AND $2 AND id = $3 LIMIT $4`
	marketByName = `SELECT id, body` + filteredMarkets + `ORDER BY period IS DISTINCT FROM 'FT', contains(id, '~'), ordinal, n LIMIT $6`
)

func (t *Tables) filtered(f Fixture, filter Filter) []any {
	from, to := t.index.markets(f.n)
	return []any{from, to - 1, filter.Market, filter.Period, filter.Subject}
}

// Markets calls do with at most limit markets of a fixture that the filter selects
// and whose ids follow after, in the order of their ids. An empty after starts with
// the first one. more reports whether further markets follow.
func (t *Tables) Markets(ctx context.Context, f Fixture, filter Filter, after string, limit int, do engine.Item) (more bool, err error) {
	if f.Markets == 0 {
		return false, nil
	}
	// A forged cursor may hold anything, but the engine takes no text that is not valid UTF-8. The order is
	// the same, because ids are ASCII, which is before all else.
	after = strings.ToValidUTF8(after, "\uFFFD")
	return t.engine.Page(ctx, marketPage, append(t.filtered(f, filter), after), limit, do)
}

// Market calls do with the market of a fixture that has the id. found reports whether
// there is one.
func (t *Tables) Market(ctx context.Context, f Fixture, id string, do engine.Item) (found bool, err error) {
	from, to := t.index.markets(f.n)
	return t.first(ctx, marketByID, []any{from, to - 1, id}, do)
}

// MarketByName calls do with the market for a canonical name, among those
// the filter selects. Full time is preferred, then an id without a suffix, which it has if another
// market has the definition's id, then the provider's order.
func (t *Tables) MarketByName(ctx context.Context, f Fixture, filter Filter, do engine.Item) (found bool, err error) {
	return t.first(ctx, marketByName, t.filtered(f, filter), do)
}

func (t *Tables) first(ctx context.Context, text string, args []any, do engine.Item) (found bool, err error) {
	_, err = t.engine.Page(ctx, text, args, 1, func(id, body []byte) { found = true; do(id, body) })
	return found, err
}
