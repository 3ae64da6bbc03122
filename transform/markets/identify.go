package markets

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"mkt/publish/football"
	"mkt/transform/identity"
)

// place is where a market's identity comes from: needed when two are alike.
type place struct {
	offer  *football.Offer
	digest identity.Digest
}

func (d *Deriver) place(o *football.Offer, digest identity.Digest) {
	d.places = append(d.places, place{o, digest})
}

// marketIdentity is the digest and the id of the market that o makes of a
// definition. The key the table ranks first, under the provider id the table
// knows, owns the bare id; any other bears a suffix of its own key and id,
// whether or not the first is there.
func (d *Deriver) marketIdentity(o *football.Offer, def identity.Definition) (identity.Digest, football.MarketID) {
	bare := d.minter.Market(d.fixture, def)
	id := ""
	if !knownID(o) {
		id = ownID(o)
	}
	if o.Reading.Rank <= 1 && id == "" {
		return bare, bare.MarketID()
	}
	return d.minter.Other(bare, o.Key, id), bare.MarketID() + d.suffix(o.Key, id)
}

// maxSuffixes bounds what is remembered: keys and ids come from outside.
const maxSuffixes = 10_000

// suffix is what tells provider markets of one definition apart. It is the same
// on every fixture, and is minted once.
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

// knownID tells whether the offer bears the provider market id that the table
// knows for its key, or none at all.
func knownID(o *football.Offer) bool {
	return len(o.ProviderIDs) == 0 || o.Reading.ID != "" && slices.Contains(o.ProviderIDs, o.Reading.ID)
}

// ownID is the provider market id that tells the offer apart: the first when
// there are several, "" when there is none.
func ownID(o *football.Offer) string {
	if len(o.ProviderIDs) == 0 {
		return ""
	}
	return slices.Min(o.ProviderIDs)
}

// separateMarkets gives every market of the fixture an id of its own. Ids are
// distinct already unless the provider repeats one market in two pieces that
// could not be merged; then the piece that comes first by content keeps the id.
func (d *Deriver) separateMarkets() {
	clear(d.met)
	var again []int
	for i := range d.markets {
		if d.met[d.markets[i].ID] {
			again = append(again, i)
		}
		d.met[d.markets[i].ID] = true
	}
	for len(again) > 0 {
		id := d.markets[again[0]].ID
		var alike []int
		for i := range d.markets {
			if d.markets[i].ID == id {
				alike = append(alike, i)
			}
		}
		d.separate(alike)
		again = slices.DeleteFunc(again, func(i int) bool { return slices.Contains(alike, i) })
	}
}

// separate gives all but the first of some alike markets another suffix.
func (d *Deriver) separate(alike []int) {
	slices.SortStableFunc(alike, func(a, b int) int { return d.compareMarkets(a, b) })
	for n, i := range alike[1:] {
		m := &d.markets[i]
		content := d.minter.Again(d.places[i].digest, marketContent(m)...)
		suffix := content.MarketID()[3:11] + football.MarketID(strconv.Itoa(n+1))
		m.ID = m.ID[:identity.IDLength] + "~" + suffix
	}
}

func (d *Deriver) compareMarkets(a, b int) int {
	return slices.Compare(marketContent(&d.markets[a]), marketContent(&d.markets[b]))
}

// marketContent is what tells two alike markets apart, independent of order of
// arrival.
func marketContent(m *football.Market) []string {
	parts := append(slices.Clone(m.ProviderMarketIDs), fieldText(m.Name))
	var rows []string
	for i := range m.Selections {
		s := &m.Selections[i]
		row := football.OfferRow{ID: s.ProviderSelectionID, Labels: s.Labels, Decimal: s.Odds.Decimal(), Fractional: s.Odds.Fractional()}
		rows = append(rows, strings.Join(rowContent(&row), "\x00"))
	}
	slices.Sort(rows)
	return append(parts, rows...)
}

// identify mints the selections' digests. A read row is its meaning; any other
// is the provider's row id, or else its words. Rows of one meaning that differ
// in price contradict each other.
func (d *Deriver) identify(market *identity.Digest, selections []football.Selection, o *football.Offer, rows []int) {
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

// separateSelections marks and tells apart rows that share an identity. The
// first by content keeps it.
func (d *Deriver) separateSelections(selections []football.Selection, o *football.Offer, rows []int) {
	order := make([]int, len(selections))
	for k := range order {
		order[k] = k
	}
	row := func(k int) *football.OfferRow { return &o.Rows[at(rows, k)] }
	slices.SortStableFunc(order, func(a, b int) int {
		if c := bytes.Compare(d.digests[a][:], d.digests[b][:]); c != 0 {
			return c
		}
		return compareRows(row(a), row(b))
	})
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && d.digests[order[to]] == d.digests[order[from]] {
			to++
		}
		d.markDoubles(selections, order[from:to], row)
		for n, k := range order[from+1 : to] {
			d.digests[k] = d.minter.Again(d.digests[k], append(rowContent(row(k)), strconv.Itoa(n+1))...)
		}
		from = to
	}
}

// markDoubles marks read rows that say the same and differ in price.
func (d *Deriver) markDoubles(selections []football.Selection, alike []int, row func(int) *football.OfferRow) {
	for _, k := range alike[1:] {
		if samePrice(row(k), row(alike[0])) {
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

func compareRows(a, b *football.OfferRow) int { return slices.Compare(rowContent(a), rowContent(b)) }

// rowContent is all of a row: what tells it from another of its identity.
func rowContent(r *football.OfferRow) []string {
	parts := []string{fieldText(r.ID)}
	for _, l := range r.Labels {
		parts = append(parts, l.Field, l.Text)
	}
	return append(parts, fieldText(r.Decimal), fieldText(r.Fractional), string(r.Trouble), strconv.FormatBool(r.Suspended))
}

// fieldText is a field's value behind its state.
func fieldText(f football.Field[string]) string {
	return string(rune('0'+f.State())) + f.Or("")
}

// nameSelections cuts the selections' ids out of one string.
func (d *Deriver) nameSelections() {
	all := string(d.ids)
	for k := range d.slab {
		d.slab[k].ID = football.SelectionID(all[k*identity.IDLength : (k+1)*identity.IDLength])
	}
}

// seenSet finds digests met before, without a map's cost.
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

// add is false when the digest may have been added before.
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
