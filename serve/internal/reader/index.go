package reader

import (
	"encoding/binary"
	"sort"
	"strings"
	"time"
)

// index is what is kept in memory of a snapshot: where each fixture's markets
// begin. About 45 bytes a fixture and half a byte a market.
//
// Fixtures are numbered from 0 in the order of their ids, markets from 0 in the
// order of fixture and market id.
type index struct {
	ids     strings.Builder // all fixture ids, each of idLength
	first   []uint32        // number of each fixture's first market, and the total behind the last
	fetched []int64         // when each fixture was retrieved, Unix milliseconds
	starts  []uint64        // of each chunk of markets: the head of its first market id
}

const idLength = len("fx_") + 26

func (x *index) fixtures() int { return len(x.fetched) }

func (x *index) id(n int) string { return x.ids.String()[n*idLength : (n+1)*idLength] }

// after is the number of the first fixture whose id comes after that one.
func (x *index) after(id string) int {
	return sort.Search(x.fixtures(), func(n int) bool { return x.id(n) > id })
}

// find returns the number of the fixture of that id.
func (x *index) find(id string) (n int, ok bool) {
	n = sort.Search(x.fixtures(), func(n int) bool { return x.id(n) >= id })
	return n, n < x.fixtures() && x.id(n) == id
}

func (x *index) fetchedAt(n int) time.Time { return time.UnixMilli(x.fetched[n]).UTC() }

// markets is the range of a fixture's market numbers.
func (x *index) markets(n int) (from, to int) { return int(x.first[n]), int(x.first[n+1]) }

// chunkOf is the chunk to start in when looking for market id and what follows
// it, among the markets from..to, of which there is at least one. The id itself
// or its place may lie in a later chunk, never in an earlier one.
func (x *index) chunkOf(id string, from, to int) int {
	low, high := from/chunkRows, (to-1)/chunkRows
	// The chunk a fixture begins in may begin with another fixture's market. Ids
	// that differ only in their suffix have one head: only a smaller head proves
	// that the id does not lie before the chunk.
	head := headOf(id)
	return low + sort.Search(high-low, func(i int) bool { return x.starts[low+1+i] >= head })
}

// headOf is the first eight letters of an id as a number that orders like them.
func headOf(id string) uint64 {
	var b [8]byte
	copy(b[:], id[min(len(id), len("mk_")):])
	return binary.BigEndian.Uint64(b[:])
}

// marketChunk notes the first market of the next chunk.
func (x *index) marketChunk(firstID string) { x.starts = append(x.starts, headOf(firstID)) }

// bytes is what the index takes in memory.
func (x *index) bytes() int {
	return x.ids.Cap() + 4*cap(x.first) + 8*cap(x.fetched) + 8*cap(x.starts)
}
