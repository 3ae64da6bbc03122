package markets

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets/price"
)

// ids mints the ids of a fixture's markets and selections.
type ids struct {
	minter   *identity.Minter
	fixture  identity.Digest
	digests  []identity.Digest // of the market at hand, by selection
	seen     seenSet
	all      []byte // selection ids of the fixture, one behind the other
	suffixes map[[2]string]football.MarketID
}

func newIDs(m *identity.Minter) ids {
	return ids{minter: m, suffixes: make(map[[2]string]football.MarketID)}
}

// begin prepares for a fixture.
func (d *ids) begin(f *football.Fixture) {
	d.fixture, d.all = d.minter.Fixture(f.ProviderFixtureID), d.all[:0]
}

// raw is the digest of an offer's market under the provider's own name.
func (d *ids) raw(o *input.Offer) identity.Digest {
	return d.minter.RawMarket(d.fixture, sentKey(o), ownID(o))
}

// mapped is the digest and the id of o's market of a definition. The first key in the
// table's ranking, under a provider id known to the table, has the bare id. Any other has a
// suffix of its own key and id, whether or not the first one is there.
func (d *ids) mapped(o *input.Offer, def identity.Definition, rank int) (identity.Digest, football.MarketID) {
	bare := d.minter.Market(d.fixture, def)
	id := ""
	if !knownID(o) {
		id = ownID(o)
	}
	if rank <= 1 && id == "" {
		return bare, bare.MarketID()
	}
	key := sentKey(o)
	return d.minter.Other(bare, key, id), bare.MarketID() + d.suffix(key, id)
}

// maxSuffixes bounds the memory for suffixes: keys and ids come from outside.
const maxSuffixes = 10_000

// suffix distinguishes provider markets of one definition. It is the same on every fixture, and
// is minted once.
func (d *ids) suffix(key, id string) football.MarketID {
	name := [2]string{key, id}
	suffix, ok := d.suffixes[name]
	if !ok {
		suffix = football.MarketID("~" + d.minter.Suffix(key, id))
		if len(d.suffixes) < maxSuffixes {
			d.suffixes[[2]string{strings.Clone(key), strings.Clone(id)}] = suffix // they may lie in a payload
		}
	}
	return suffix
}

// knownID reports whether the table knows the offer's provider market id for its key, or the
// offer has none at all.
func knownID(o *input.Offer) bool { return len(o.ProviderIDs) == 0 || o.KnownID != "" }

// sentKey returns the offer's key as sent by the provider, without the addition that
// distinguishes it from others of the key on this fixture.
func sentKey(o *input.Offer) string { return cmp.Or(o.SharedKey, o.Key) }

// ownID returns the provider market id that distinguishes the offer: the representative of the
// ids known to the table, else the first id, or "" if there is none.
func ownID(o *input.Offer) string {
	if o.KnownID != "" || len(o.ProviderIDs) == 0 {
		return o.KnownID
	}
	return slices.Min(o.ProviderIDs)
}

// selections mints the selections' digests. The identity of a read row is its meaning; of any
// other, the provider's row id or else its words. Rows with one meaning but different prices or
// states contradict each other.
func (d *ids) identify(market *identity.Digest, selections []football.Selection, of *part) {
	d.digests = d.digests[:0]
	d.seen.reset(len(selections))
	twice := false
	for k := range selections {
		s, row := &selections[k], of.row(k)
		var digest identity.Digest
		id, hasID := row.ID.Get()
		switch {
		case of.isRead(k):
			digest = d.minter.Selection(market, &identity.Meaning{Selection: s.Selection, Line: s.Line,
				Qualifier: s.Qualifier, Subject: s.Subject, Subject2: s.Subject2})
		case hasID && id != "":
			digest = d.minter.Row(market, id)
		default:
			digest = d.minter.Labels(market, row.Labels)
		}
		d.digests = append(d.digests, digest)
		twice = !d.seen.add(&digest) || twice
	}
	if twice {
		d.separateSelections(selections, of)
	}
	for k := range d.digests {
		d.all = d.digests[k].AppendSelectionID(d.all)
	}
}

// separateSelections marks and separates rows that share an identity, by the provider's names
// and never by price: an id made of a price would pass to another row when prices cross. The
// first by content keeps the identity; any other gets an identity made of its own row. Rows
// without any difference are numbered in the provider's order.
func (d *ids) separateSelections(selections []football.Selection, of *part) {
	order := make([]int, len(selections))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := bytes.Compare(d.digests[a][:], d.digests[b][:]); c != 0 {
			return c
		}
		return slices.Compare(rowContent(of.row(a)), rowContent(of.row(b)))
	})
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && d.digests[order[to]] == d.digests[order[from]] {
			to++
		}
		markDoubles(selections, order[from:to], of)
		d.mintDoubles(order[from:to], of)
		from = to
	}
}

// mintDoubles gives all but the first of alike rows, sorted by content, an
// identity of their own.
func (d *ids) mintDoubles(alike []int, of *part) {
	shared := d.digests[alike[0]]
	before, number := rowContent(of.row(alike[0])), 0
	for _, k := range alike[1:] {
		content := rowContent(of.row(k))
		if number++; !slices.Equal(content, before) {
			before, number = content, 0
		}
		d.digests[k] = d.minter.Duplicate(shared, append(content, strconv.Itoa(number))...)
	}
}

// markDoubles marks rows with one meaning but different prices or states.
func markDoubles(selections []football.Selection, alike []int, of *part) {
	for _, k := range alike[1:] {
		if price.SameTerms(of.row(k), of.row(alike[0])) {
			continue
		}
		for _, k := range alike {
			reason := football.AmbiguousShape
			if selections[k].Line != "" {
				reason = football.UnreadableLine
			}
			price.AddReason(&selections[k], reason)
		}
		return
	}
}

// rowContent distinguishes a row from others of its identity: its id and its words. The price and
// the state change, and are left out.
func rowContent(r *input.Row) []string {
	parts := make([]string, 0, 2+2*len(r.Labels))
	parts = append(parts, fieldText(r.ID))
	for _, l := range r.Labels {
		parts = append(parts, l.Field, l.Text)
	}
	return parts
}

// fieldText is a field's value behind its state.
func fieldText(f football.Field[string]) string {
	return string(rune('0'+f.State())) + f.Or("")
}

// nameSelections cuts the ids of all selections of the fixture out of one string.
func (d *ids) nameSelections(all []football.Selection) {
	text := string(d.all)
	for k := range all {
		all[k].ID = football.SelectionID(text[k*identity.IDLength : (k+1)*identity.IDLength])
	}
}

// seenSet finds repeated digests, without the cost of a map.
type seenSet struct {
	slots []uint64
	mask  uint64
}

// reset empties the set and makes it large enough for n ids.
func (s *seenSet) reset(n int) {
	size := 8
	for size < 2*n {
		size *= 2
	}
	if cap(s.slots) < size {
		s.slots = make([]uint64, size)
	}
	s.slots = s.slots[:size]
	clear(s.slots)
	s.mask = uint64(size - 1)
}

// add is false if the digest may have been added before.
func (s *seenSet) add(d *identity.Digest) bool {
	key := binary.LittleEndian.Uint64(d[:]) | 1
	for i := key >> 1; ; i++ {
		switch slot := &s.slots[i&s.mask]; *slot {
		case 0:
			*slot = key
			return true
		case key:
			return false
		}
	}
}

// remint makes the ids of a market's selections again, below another digest. first is the place
// of the first one of the fixture. Their old ids also belong to the market that keeps its id.
func (d *ids) remint(market *identity.Digest, first, number int) {
	for k := first; k < first+number; k++ {
		id := d.all[k*identity.IDLength : (k+1)*identity.IDLength]
		digest := d.minter.Duplicate(*market, string(id))
		copy(id, digest.AppendSelectionID(nil))
	}
}
