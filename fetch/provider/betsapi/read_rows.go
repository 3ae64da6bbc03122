package betsapi

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// isRowField tells whether a descriptive field has been met in rows of v1 or
// v3. Others are kept just the same, and counted.
func isRowField(key string) bool {
	switch key {
	case "name", "name2", "header", "handicap", "team", "ED": // v3
		return true
	case "opp", "goals": // v1
		return true
	}
	return false
}

// markets reads the sp block of a section: markets by key, each a bare list of
// rows (v1) or an object that holds one (v3).
func (r *sheetReader) markets(f *offered, tab tab, sp strictjson.Value) error {
	if isEmpty(sp) {
		return nil
	}
	if sp.Kind() != strictjson.Object {
		return errShape
	}
	for key, v := range sp.Members() {
		of := provider.Subject{Fixture: f.id, Market: key}
		if tab.name == "schedule" && key == "main" && v.Kind() == strictjson.Array {
			r.skipped.add("schedule.main") // the result once more, as a list without names
			continue
		}
		s := showing{tab: tab}
		r.trace.Tell(of, provider.FieldThing, v)
		switch v.Kind() {
		case strictjson.Array:
			s.list = v
		case strictjson.Object:
			r.market(&s, v, of)
		default:
			r.unknown.add("market of an unknown shape")
			s.strange = true
		}
		f.add(key, r.names.byKey[key], s)
	}
	return nil
}

// market reads a market of v3.
func (r *sheetReader) market(s *showing, v strictjson.Value, of provider.Subject) {
	for key, v := range v.Members() {
		switch key {
		case "id":
			s.id = field(v)
			r.trace.Tell(of, provider.FieldMarketID, v)
		case "name":
			s.name = field(v)
			r.trace.Tell(of, provider.FieldMarketName, v)
		case "odds":
			s.list = v
			s.strange = v.Kind() != strictjson.Array && !isEmpty(v)
		case "open": // 0 on a market that is shown collapsed, filled or not
		default:
			r.unknown.add("market." + key)
		}
	}
	if s.strange {
		r.unknown.add("market of an unknown shape")
	}
}

// rows reads the rows of a showing and joins the label rows among them to their
// prices.
func (r *sheetReader) rows(s *showing) []football.OfferRow {
	n := s.list.Len()
	rows := make([]football.OfferRow, n)
	labels := make([]football.Label, 0, 2*n) // one array for all of them
	tabled, i := false, 0
	for v := range s.list.Items() {
		from, row := len(labels), &rows[i]
		row.Place = r.trace.Begin(v)
		r.trace.Tell(provider.Subject{Row: row.Place}, provider.FieldThing, v)
		switch {
		case v.Kind() != strictjson.Object:
			labels = r.strangeRow(row, v, labels)
		case s.raw:
			labels = r.rawRow(row, v, labels)
		default:
			labels = r.row(row, v, labels)
			tabled = tabled || isLabel(row)
		}
		row.Labels = labels[from:len(labels):len(labels)]
		i++
	}
	if tabled {
		return r.joinLabels(rows)
	}
	return rows
}

// strangeRow keeps what is no row as one text that nobody will understand.
func (r *sheetReader) strangeRow(row *football.OfferRow, v strictjson.Value, labels []football.Label) []football.Label {
	r.unknown.add("row of an unknown shape")
	row.Trouble = football.AmbiguousShape
	return append(labels, football.Label{Field: "row", Text: v.Text()})
}

// row reads one row and appends its texts to labels.
func (r *sheetReader) row(row *football.OfferRow, v strictjson.Value, labels []football.Label) []football.Label {
	of := provider.Subject{Row: row.Place}
	for key, v := range v.Members() {
		switch key {
		case "id":
			row.ID = field(v)
			r.trace.Tell(of, provider.FieldSelectionID, v)
			continue
		case "odds":
			row.Decimal = field(v)
			r.trace.Tell(of, provider.FieldDecimal, v)
			continue
		}
		if !isRowField(key) {
			r.unknown.add("row." + key)
		}
		labels = r.label(of, labels, key, v)
	}
	return labels
}

// label keeps a text of a row as it is; null is none.
func (r *sheetReader) label(of provider.Subject, labels []football.Label, key string, v strictjson.Value) []football.Label {
	if v.Kind() == strictjson.Null {
		return labels
	}
	r.trace.Tell(of, key, v)
	return append(labels, football.Label{Field: key, Text: v.Text()})
}

// isLabel tells whether a row only labels others: an id "PC…" and no price.
func isLabel(row *football.OfferRow) bool {
	id, _ := row.ID.Get()
	_, priced := row.Decimal.Get()
	return !priced && strings.HasPrefix(id, labelPrefix)
}
