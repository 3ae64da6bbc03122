package reader

import "context"

// MarketFilter narrows a fixture's markets to a canonical name and period. Its
// zero value lets all pass.
type MarketFilter struct{ Market, Period string }

func (f MarketFilter) passes(e *entry) bool {
	return (f.Market == "" || string(e.market) == f.Market) && (f.Period == "" || string(e.period) == f.Period)
}

// MarketItem is one market of a fixture.
type MarketItem struct {
	ID   string
	Body []byte // only valid until the callback returns
}

// Markets gives at most limit markets of a fixture that pass the filter and come
// after the id ("" = from the first), by id. more tells whether others follow.
func (v *View) Markets(ctx context.Context, f Fixture, filter MarketFilter, after string, limit int, do func(MarketItem)) (more bool, err error) {
	from, to := v.index.markets(f.n)
	if from == to {
		return false, nil
	}
	if after != "" {
		from = max(from, v.index.chunkOf(after, from, to)*chunkRows)
	} else if filter == (MarketFilter{}) && to-from > limit {
		// Nothing to skip: fetch what is shown and no more.
		to, more = from+limit, true
	}
	likely := to - from
	if filter == (MarketFilter{}) {
		likely = limit + 2*chunkRows // the place to begin lies within a chunk
	}
	taken := 0
	err = v.each(ctx, marketChunks, from, to, likely, func(_ int, e *entry) bool {
		if string(e.key) <= after || !filter.passes(e) {
			return true
		}
		if taken == limit {
			more = true
			return false
		}
		taken++
		do(MarketItem{ID: string(e.key), Body: e.body})
		return true
	})
	return more, err
}

// Market gives one market of a fixture by its id; found is false when the
// fixture has none of that id.
func (v *View) Market(ctx context.Context, f Fixture, id string, do func(body []byte)) (found bool, err error) {
	from, to := v.index.markets(f.n)
	if from == to {
		return false, nil
	}
	from = max(from, v.index.chunkOf(id, from, to)*chunkRows)
	err = v.each(ctx, marketChunks, from, to, 1, func(_ int, e *entry) bool {
		if found = string(e.key) == id; found {
			do(e.body)
		}
		return string(e.key) < id
	})
	return found, err
}

// fullTime is the period that comes first where a name stands for several.
const fullTime = "FT"

// MarketByName gives the first market of that canonical name: full time first,
// then in the provider's order. A period in the filter narrows.
func (v *View) MarketByName(ctx context.Context, f Fixture, filter MarketFilter, do func(body []byte)) (found bool, err error) {
	from, to := v.index.markets(f.n)
	best, bestFull, bestOrdinal := []byte(nil), false, 0
	err = v.each(ctx, marketChunks, from, to, to-from, func(_ int, e *entry) bool {
		if !filter.passes(e) {
			return true
		}
		full := string(e.period) == fullTime
		if !found || full && !bestFull || full == bestFull && e.ordinal < bestOrdinal {
			found, bestFull, bestOrdinal = true, full, e.ordinal
			best = append(best[:0], e.body...)
		}
		return true
	})
	if found && err == nil {
		do(best)
	}
	return found, err
}
