package betsapi

import (
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// joinLabels takes a table that came flattened by column, label rows first and
// then one price column after the other, and hangs each label's texts on the
// prices of its line. The id of a label is that of the first column's price.
//
// Only a whole table proves its further columns: every label has its price in
// the first column, in order, each column has as many rows, and one header of
// its own. In a table that is split by team the prices of one team are missing,
// and order proves nothing: what is not joined by id is left unresolved.
func (r *sheetReader) joinLabels(rows []football.OfferRow) []football.OfferRow {
	var labels []*football.OfferRow
	prices := make([]football.OfferRow, 0, len(rows))
	for i := range rows {
		if isLabel(&rows[i]) {
			labels = append(labels, &rows[i])
			continue
		}
		prices = append(prices, rows[i])
	}
	byID := make(map[string]*football.OfferRow, len(labels))
	for _, l := range labels {
		byID[labelledID(l)] = l
	}
	whole := isWhole(labels, prices)
	joined := make(map[*football.OfferRow]bool, len(labels))
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
		r.trace.Join(provider.Subject{Row: prices[i].Place}, provider.Subject{Row: label.Place})
		prices[i].Labels = withLabel(label.Labels, prices[i].Labels)
	}
	for range len(labels) - len(joined) {
		r.skipped.add("label without a price")
	}
	return prices
}

// labelledID is the id of the price that a label row belongs to.
func labelledID(label *football.OfferRow) string {
	return label.ID.Or("")[len(labelPrefix):]
}

func isWhole(labels []*football.OfferRow, prices []football.OfferRow) bool {
	n := len(labels)
	if len(prices) == 0 || len(prices)%n != 0 {
		return false
	}
	for i, l := range labels {
		if prices[i].ID.Or("") != labelledID(l) {
			return false
		}
	}
	seen := make(map[string]bool)
	for from := 0; from < len(prices); from += n {
		head := textOf(&prices[from], "header")
		if seen[head] {
			return false
		}
		seen[head] = true
		for i := from + 1; i < from+n; i++ {
			if textOf(&prices[i], "header") != head {
				return false
			}
		}
	}
	return true
}

func textOf(row *football.OfferRow, field string) string {
	for _, l := range row.Labels {
		if l.Field == field {
			return l.Text
		}
	}
	return ""
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
