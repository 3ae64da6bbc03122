package reader

import (
	"math"

	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// addFixture notes the next fixture. Its markets come later, in the same order.
func (x *index) addFixture(row *table.FixtureRow) {
	x.ids.WriteString(row.FixtureID)
	x.fetched = append(x.fetched, row.ProviderFetchedAt.UnixMilli())
}

// walker walks along the fixtures while their markets come, and notes where
// each one's begin.
type walker struct {
	index  *index
	counts []int32 // of markets by fixture
	total  int
	here   int32 // markets seen of the fixture at hand
	last   string
}

// next takes the next market; false when it is not the one that may come.
func (f *walker) next(row *table.MarketRow) bool {
	for len(f.index.first) == 0 || f.at() < len(f.counts) && f.index.id(f.at()) != row.FixtureID {
		if !f.begin() {
			return false
		}
	}
	if f.at() >= len(f.counts) || !api.IsMarketID(row.MarketID) || row.MarketID <= f.last || f.total == math.MaxInt32 {
		return false
	}
	f.last = row.MarketID
	f.here++
	f.total++
	return true
}

// at is the number of the fixture at hand.
func (f *walker) at() int { return len(f.index.first) - 1 }

// begin goes to the next fixture; false when the one at hand lacks markets or
// there is none left.
func (f *walker) begin() bool {
	if at := f.at(); at >= 0 && (at >= len(f.counts) || f.counts[at] != f.here) {
		return false
	}
	f.index.first = append(f.index.first, uint32(f.total))
	f.here, f.last = 0, ""
	return true
}

// end closes the last fixture, and those behind it without markets.
func (f *walker) end() bool {
	for f.at() < len(f.counts) {
		if !f.begin() {
			return false
		}
	}
	return true
}
