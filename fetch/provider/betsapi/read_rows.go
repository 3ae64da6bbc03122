package betsapi

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// rowFields are the descriptive fields met in rows of v1 and v3. Others are
// kept just the same, and counted.
var rowFields = map[string]bool{
	"name": true, "name2": true, "header": true, "handicap": true, "team": true, "ED": true, // v3
	"opp": true, "goals": true, // v1
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
		if tab.name == "schedule" && key == "main" && v.Kind() == strictjson.Array {
			r.skipped.add("schedule.main") // the result once more, as a list without names
			continue
		}
		s := showing{tab: tab}
		switch v.Kind() {
		case strictjson.Array:
			s.rows = r.rows(v)
		case strictjson.Object:
			r.market(&s, v)
		default:
			r.unknown.add("market of an unknown shape")
			s.strange = true
		}
		f.add(key, r.names.byKey[key], s)
	}
	return nil
}

// market reads a market of v3.
func (r *sheetReader) market(s *showing, v strictjson.Value) {
	for key, v := range v.Members() {
		switch key {
		case "id":
			s.id = field(v)
		case "name":
			s.name = field(v)
		case "odds":
			s.rows = r.rows(v)
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

// rows reads a list of rows and joins the label rows in it to their prices. nil
// when it is no list.
func (r *sheetReader) rows(list strictjson.Value) []football.OfferRow {
	n := list.Len()
	if list.Kind() != strictjson.Array || n == 0 {
		return nil
	}
	rows := make([]football.OfferRow, 0, n)
	labels := make([]football.Label, 0, 2*n) // one array for all of them
	tabled := false
	for v := range list.Items() {
		from := len(labels)
		var row football.OfferRow
		row, labels = r.row(v, labels)
		row.Labels = labels[from:len(labels):len(labels)]
		tabled = tabled || isLabel(&row)
		rows = append(rows, row)
	}
	if tabled {
		return r.joinLabels(rows)
	}
	return rows
}

// row reads one row and appends its texts to labels. What is no row is kept as
// one text that nobody will understand.
func (r *sheetReader) row(v strictjson.Value, labels []football.Label) (football.OfferRow, []football.Label) {
	var row football.OfferRow
	if v.Kind() != strictjson.Object {
		r.unknown.add("row of an unknown shape")
		row.Trouble = football.AmbiguousShape
		return row, append(labels, football.Label{Field: "row", Text: v.Text()})
	}
	for key, v := range v.Members() {
		switch key {
		case "id":
			row.ID = field(v)
			continue
		case "odds":
			row.Decimal = field(v)
			continue
		}
		if !rowFields[key] {
			r.unknown.add("row." + key)
		}
		if v.Kind() != strictjson.Null {
			labels = append(labels, football.Label{Field: key, Text: v.Text()})
		}
	}
	return row, labels
}

// isLabel tells whether a row only labels others: an id "PC…" and no price.
func isLabel(row *football.OfferRow) bool {
	id, _ := row.ID.Get()
	_, priced := row.Decimal.Get()
	return !priced && strings.HasPrefix(id, labelPrefix)
}
