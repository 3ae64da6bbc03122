package reader

import (
	"math"

	"mkt/publish/football"
	"mkt/publish/table"
)

// addFixture adds the next fixture. The markets are added later, in the same order.
func (x *index) addFixture(row *table.FixtureRow) {
	x.ids.WriteString(row.FixtureID)
	x.fetched = append(x.fetched, row.ProviderFetchedAt.UnixMilli())
	x.counts = append(x.counts, row.MarketCount)
}

// marketIndexer records in an index where each fixture's markets and their chunks begin. The
// markets must arrive in the order of the fixtures. index.counts has the expected number of
// markets of each fixture.
type marketIndexer struct {
	index *index
	next  int    // number of the next market
	seen  int32  // markets of the current fixture so far
	last  string // id of the last one
}

// add adds the next market and reports whether a chunk begins with it. It returns false for ok
// if this market must not come next.
func (x *marketIndexer) add(row *table.MarketRow) (begins, ok bool) {
	for len(x.index.first) == 0 || x.current() < x.index.fixtures() && x.index.id(x.current()) != row.FixtureID {
		if !x.nextFixture() {
			return false, false
		}
	}
	if x.current() >= x.index.fixtures() || !football.IsMarketID(row.MarketID) || row.MarketID <= x.last || x.next >= math.MaxInt32-chunkRows {
		return false, false
	}
	if begins = x.seen%chunkRows == 0; begins {
		x.index.marketChunk(row.MarketID)
	}
	x.last = row.MarketID
	x.seen++
	x.next++
	return begins, true
}

func (x *marketIndexer) current() int { return len(x.index.first) - 1 }

// nextFixture moves on to the next fixture. It returns false if the current one lacks
// markets or if there is no next one.
func (x *marketIndexer) nextFixture() bool {
	if n := x.current(); n >= 0 && (n >= x.index.fixtures() || x.index.counts[n] != x.seen) {
		return false
	}
	x.next = (x.next + chunkRows - 1) / chunkRows * chunkRows
	x.index.first = append(x.index.first, uint32(x.next))
	x.seen, x.last = 0, ""
	return true
}

// finish ends the last fixture and adds the remaining ones, which have no markets. It
// returns false if a fixture lacks markets.
func (x *marketIndexer) finish() bool {
	for x.current() < x.index.fixtures() {
		if !x.nextFixture() {
			return false
		}
	}
	return true
}
