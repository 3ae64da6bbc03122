package betsapi

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/publish/football"
)

// joinLabels reads a table flattened by column, label rows first and then one
// price column after the other, and adds each label's texts to the prices of its
// line. The id of a label is that of the first column's price.
//
// Only a whole table proves its further columns: every label has its price in
// the first column, in order, each column has as many rows, and one header of
// its own. In a table split by team the prices of one team are missing,
// and order proves nothing: prices not joined by id are left unresolved.
func (r *sheetReader) joinLabels(rows []input.Row) []input.Row {
	labels, prices, whole := splitTable(rows)
	byID, unique := labelsByID(labels)
	whole = whole && unique
	joined := make(map[*input.Row]bool, len(labels))
	for i := range prices {
		label := byID[prices[i].ID.Or("")]
		if label == nil && whole {
			label = labels[i%len(labels)]
		}
		if label == nil {
			if prices[i].Trouble == "" {
				prices[i].Trouble = football.UnresolvedQualifier
			}
			continue
		}
		joined[label] = true
		if label.Trouble != "" || labelledID(label) == "" { // the thing priced cannot be read
			prices[i].Trouble = football.AmbiguousShape
		}
		r.trace.Join(provider.Subject{Row: prices[i].Place}, provider.Subject{Row: label.Place})
		prices[i].Labels = withLabel(label.Labels, prices[i].Labels)
	}
	for range len(labels) - len(joined) {
		r.Skipped.Add("label without a price")
	}
	return prices
}

// labelsByID returns each price's label by the price's id. An id that labels of
// different texts bear has none, and unique is false.
func labelsByID(labels []*input.Row) (byID map[string]*input.Row, unique bool) {
	byID = make(map[string]*input.Row, len(labels))
	unique = true
	for _, l := range labels {
		id := labelledID(l)
		if id == "" {
			continue
		}
		first, met := byID[id]
		switch {
		case !met:
			byID[id] = l
		case first == nil || !slices.Equal(first.Labels, l.Labels):
			byID[id], unique = nil, false
		}
	}
	return byID, unique
}

// splitTable sorts the rows of a table into labels and prices, and reports whether the
// table is whole. A damaged row keeps its place, so the order of the
// others proves the same as before. Between the last label and the first price it may
// be either; if only one of the two makes the table whole, it counts as that.
func splitTable(rows []input.Row) (labels []*input.Row, prices []input.Row, whole bool) {
	first := slices.IndexFunc(rows, func(row input.Row) bool { return !isLabel(&row) && !isDamaged(&row) })
	if first < 0 {
		first = len(rows)
	}
	last := first // behind the last label before the first price
	for last > 0 && isDamaged(&rows[last-1]) {
		last--
	}
	split := func(at int) (labels []*input.Row, prices []input.Row) {
		prices = make([]input.Row, 0, len(rows))
		for i := range rows {
			if isLabel(&rows[i]) || i < at && isDamaged(&rows[i]) {
				labels = append(labels, &rows[i])
				continue
			}
			prices = append(prices, rows[i])
		}
		return labels, prices
	}
	ways := 0
	for at := last; at <= first && first-last <= maxDoubt; at++ {
		if l, p := split(at); isWhole(l, p) {
			labels, prices = l, p
			ways++
		}
	}
	if ways == 1 {
		return labels, prices, true
	}
	labels, prices = split(0)
	return labels, prices, false
}

// maxDoubt bounds in how many ways a table is tried.
const maxDoubt = 8

// isLabel reports whether a row only labels others: an id "PC…" and no price.
func isLabel(row *input.Row) bool {
	id, _ := row.ID.Get()
	_, priced := row.Decimal.Get()
	return !priced && strings.HasPrefix(id, api.LabelPrefix)
}

// isDamaged reports whether a row has neither an id nor a price, so only its
// position in a table shows whether it is a label or a price.
func isDamaged(row *input.Row) bool {
	_, priced := row.Decimal.Get()
	_, named := row.ID.Get()
	return !priced && !named
}

// labelledID is the id of the price that a label row belongs to, "" when the label is
// damaged.
func labelledID(label *input.Row) string {
	id, _ := strings.CutPrefix(label.ID.Or(""), api.LabelPrefix)
	return id
}

func isWhole(labels []*input.Row, prices []input.Row) bool {
	n := len(labels)
	if len(prices) == 0 || len(prices)%n != 0 {
		return false
	}
	for i, l := range labels {
		if !isDamaged(&prices[i]) && labelledID(l) != "" && prices[i].ID.Or("") != labelledID(l) {
			return false
		}
	}
	seen := make(map[string]bool)
	for column := range slices.Chunk(prices, n) {
		head, whole := headOf(column)
		if !whole || seen[head] {
			return false
		}
		seen[head] = true
	}
	return true
}

// headOf is the header of a column's rows, which must be the same in all that are not
// damaged, and in one at least.
func headOf(column []input.Row) (head string, whole bool) {
	for i := range column {
		row := &column[i]
		switch text := row.Label("header"); {
		case isDamaged(row):
		case !whole:
			head, whole = text, true
		case text != head:
			return "", false
		}
	}
	return head, whole
}

// withLabel puts a label's texts before a price's own. Where both have the
// field, the label's is kept under "label.<field>" when it says something else.
func withLabel(label, own []football.Label) []football.Label {
	all := make([]football.Label, 0, len(label)+len(own))
	for _, l := range label {
		for _, o := range own {
			if o.Field != l.Field {
				continue
			}
			if l.Text == "" || l.Text == o.Text {
				l.Field = ""
			} else {
				l.Field = "label." + l.Field
			}
			break
		}
		if l.Field != "" {
			all = append(all, l)
		}
	}
	return append(all, own...)
}
