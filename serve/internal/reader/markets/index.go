package markets

import (
	"sort"
	"strings"
	"time"

	"mkt/publish/table"
)

// index is the part of a snapshot that is kept in memory: where each fixture's
// markets begin. It needs about 50 bytes a fixture.
//
// Fixtures are numbered from 0 in the order of their ids, and markets in the order of
// fixture and market id.
type index struct {
	ids     strings.Builder // all fixture ids, each of idLength
	ends    []int           // number after each fixture's last market
	fetched []int64         // retrieval time of each fixture in Unix milliseconds
}

const idLength = len("fx_") + 26

// add adds the next fixture.
func (x *index) add(row *table.FixtureRow) {
	x.ids.WriteString(row.FixtureID)
	x.ends = append(x.ends, x.allMarkets()+int(row.MarketCount))
	x.fetched = append(x.fetched, row.ProviderFetchedAt.UnixMilli())
}

func (x *index) fixtures() int { return len(x.fetched) }

func (x *index) id(n int) string { return x.ids.String()[n*idLength : (n+1)*idLength] }

func (x *index) after(id string) int {
	return sort.Search(x.fixtures(), func(n int) bool { return x.id(n) > id })
}

func (x *index) find(id string) (n int, ok bool) {
	n = sort.Search(x.fixtures(), func(n int) bool { return x.id(n) >= id })
	return n, n < x.fixtures() && x.id(n) == id
}

func (x *index) fetchedAt(n int) time.Time { return time.UnixMilli(x.fetched[n]).UTC() }

// markets returns the number of a fixture's first market, and the one after its last market.
func (x *index) markets(n int) (from, to int) {
	if n > 0 {
		from = x.ends[n-1]
	}
	return from, x.ends[n]
}

// allMarkets returns how many markets all fixtures have.
func (x *index) allMarkets() int {
	if len(x.ends) == 0 {
		return 0
	}
	return x.ends[len(x.ends)-1]
}

func (x *index) bytes() int { return x.ids.Cap() + 8*cap(x.ends) + 8*cap(x.fetched) }
