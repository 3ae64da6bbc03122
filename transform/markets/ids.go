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
)

// marketIdentity is the digest and the id of o's market of a definition. The first key in the
// table's ranking, under a provider id known to the table, has the bare id. Any other has a
// suffix of its own key and id, whether or not the first one is there.
func (d *Deriver) marketIdentity(o *input.Offer, def identity.Definition, rank int) (identity.Digest, football.MarketID) {
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
func (d *Deriver) suffix(key, id string) football.MarketID {
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

// identify mints the selections' digests. The identity of a read row is its meaning; of any
// other, the provider's row id or else its words. Rows with one meaning but different prices or
// states contradict each other.
func (d *Deriver) identify(market *identity.Digest, selections []football.Selection, o *input.Offer, rows []int) {
	d.digests = d.digests[:0]
	d.seen.reset(len(selections))
	twice := false
	for k := range selections {
		s, row := &selections[k], &o.Rows[at(rows, k)]
		var digest identity.Digest
		id, hasID := row.ID.Get()
		switch {
		case rows != nil && d.readings[rows[k]].reason == "":
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
		d.separateSelections(selections, o, rows)
	}
	for k := range d.digests {
		d.ids = d.digests[k].AppendSelectionID(d.ids)
	}
}

// separateSelections marks and separates rows that share an identity, by the provider's names
// and never by price: an id made of a price would pass to another row when prices cross. The
// first by content keeps the identity; any other gets an identity made of its own row. Rows
// without any difference are numbered in the provider's order.
func (d *Deriver) separateSelections(selections []football.Selection, o *input.Offer, rows []int) {
	order := make([]int, len(selections))
	for k := range order {
		order[k] = k
	}
	row := func(k int) *input.Row { return &o.Rows[at(rows, k)] }
	slices.SortStableFunc(order, func(a, b int) int {
		if c := bytes.Compare(d.digests[a][:], d.digests[b][:]); c != 0 {
			return c
		}
		return slices.Compare(rowContent(row(a)), rowContent(row(b)))
	})
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && d.digests[order[to]] == d.digests[order[from]] {
			to++
		}
		d.markDoubles(selections, order[from:to], row)
		d.mintDoubles(order[from:to], row)
		from = to
	}
}

// mintDoubles gives all but the first of alike rows, sorted by content, an
// identity of their own.
func (d *Deriver) mintDoubles(alike []int, row func(int) *input.Row) {
	shared := d.digests[alike[0]]
	before, number := rowContent(row(alike[0])), 0
	for _, k := range alike[1:] {
		content := rowContent(row(k))
		if number++; !slices.Equal(content, before) {
			before, number = content, 0
		}
		d.digests[k] = d.minter.Duplicate(shared, append(content, strconv.Itoa(number))...)
	}
}

// markDoubles marks rows with one meaning but different prices or states.
func (d *Deriver) markDoubles(selections []football.Selection, alike []int, row func(int) *input.Row) {
	for _, k := range alike[1:] {
		if sameTerms(row(k), row(alike[0])) {
			continue
		}
		for _, k := range alike {
			reason := football.AmbiguousShape
			if selections[k].Line != "" {
				reason = football.UnreadableLine
			}
			addReason(&selections[k], reason)
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

// nameSelections cuts the selections' ids out of one string.
func (d *Deriver) nameSelections() {
	all := string(d.ids)
	for k := range d.allocated {
		d.allocated[k].ID = football.SelectionID(all[k*identity.IDLength : (k+1)*identity.IDLength])
	}
}

// seenSet finds repeated digests, without the cost of a map.
type seenSet struct {
	slots []uint64
	mask  uint64
}

// reset empties the set and makes room for n.
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
