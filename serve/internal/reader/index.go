package reader

import (
	"encoding/binary"
	"sort"
	"strings"
	"time"
)

// index is the part of a snapshot that is kept in memory: where each fixture's
// markets begin. It needs about 50 bytes a fixture and half a byte a market.
//
// Fixtures are numbered from 0 in the order of their ids. Markets are numbered in the order
// of fixture and market id, and the first one of each fixture is that of a chunk: some
// numbers have no market.
type index struct {
	ids     strings.Builder // all fixture ids, each of idLength
	first   []uint32        // number of each fixture's first market
	counts  []int32         // number of markets of each fixture
	fetched []int64         // retrieval time of each fixture in Unix milliseconds
	starts  []uint64        // headOf the first market id of each chunk
}

const idLength = len("fx_") + 26

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
	from = int(x.first[n])
	return from, from + int(x.counts[n])
}

// withMarkets returns the next fixture from n on, in steps of 1 or -1, that has markets, or -1.
func (x *index) withMarkets(n, step int) int {
	for n += step; n >= 0 && n < x.fixtures(); n += step {
		if x.counts[n] > 0 {
			return n
		}
	}
	return -1
}

// allMarkets returns how many markets all fixtures have.
func (x *index) allMarkets() (sum int) {
	for _, n := range x.counts {
		sum += int(n)
	}
	return sum
}

// chunkOf returns the chunk in which to start looking for market id and those that
// follow it, among the markets from to to-1, of which there must be at least one. The
// id or its place may be in a later chunk, but never in an earlier one.
func (x *index) chunkOf(id string, from, to int) int {
	low, high := from/chunkRows, (to-1)/chunkRows
	// Ids that differ only in their suffix have the same head, so only a smaller head proves
	// that the id is not before the chunk.
	head := headOf(id)
	return low + sort.Search(high-low, func(i int) bool { return x.starts[low+1+i] >= head })
}

// headOf returns the first eight characters of an id as a number of the same order.
func headOf(id string) uint64 {
	var b [8]byte
	copy(b[:], id[min(len(id), len("mk_")):])
	return binary.BigEndian.Uint64(b[:])
}

func (x *index) marketChunk(firstID string) { x.starts = append(x.starts, headOf(firstID)) }

func (x *index) bytes() int {
	return x.ids.Cap() + 4*cap(x.first) + 4*cap(x.counts) + 8*cap(x.fetched) + 8*cap(x.starts)
}
