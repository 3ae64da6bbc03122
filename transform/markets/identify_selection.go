package markets

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
)

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
