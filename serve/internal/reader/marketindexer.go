package reader

import (
	"math"

	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// addFixture adds the next fixture. The markets are added later, in the same order.
func (x *index) addFixture(row *table.FixtureRow) {
	x.ids.WriteString(row.FixtureID)
	x.fetched = append(x.fetched, row.ProviderFetchedAt.UnixMilli())
}

// marketIndexer records in an index where each fixture's markets begin. The markets
// must arrive in the order of the fixtures.
type marketIndexer struct {
	index  *index
	counts []int32 // expected number of markets of each fixture
	total  int
	seen   int32  // markets of the current fixture so far
	last   string // id of the last one
}

// add adds the next market. It returns false if this market must not come next.
func (x *marketIndexer) add(row *table.MarketRow) bool {
	for len(x.index.first) == 0 || x.current() < len(x.counts) && x.index.id(x.current()) != row.FixtureID {
		if !x.nextFixture() {
			return false
		}
	}
	if x.current() >= len(x.counts) || !api.IsMarketID(row.MarketID) || row.MarketID <= x.last || x.total == math.MaxInt32 {
		return false
	}
	x.last = row.MarketID
	x.seen++
	x.total++
	return true
}

func (x *marketIndexer) current() int { return len(x.index.first) - 1 }

// nextFixture moves on to the next fixture. It returns false if the current one lacks
// markets or if there is no next one.
func (x *marketIndexer) nextFixture() bool {
	if n := x.current(); n >= 0 && (n >= len(x.counts) || x.counts[n] != x.seen) {
		return false
	}
	x.index.first = append(x.index.first, uint32(x.total))
	x.seen, x.last = 0, ""
	return true
}

// finish ends the last fixture and adds the remaining ones, which have no markets. It
// returns false if a fixture lacks markets.
func (x *marketIndexer) finish() bool {
	for x.current() < len(x.counts) {
		if !x.nextFixture() {
			return false
		}
	}
	return true
}
