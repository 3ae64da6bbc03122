package betsapi

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// rowFields are the descriptive fields that have been seen in rows of v3, and the last two in
// rows of v1. Others are kept just the same, and counted.
var rowFields = decode.Set("name", "name2", "header", "handicap", "team", "ED", "opp", "goals")

// markets reads the sp block of a section: markets by key, each a bare list of
// rows (v1) or an object that holds one (v3).
func (r *sheetReader) markets(f *offered, tab tab, sp strictjson.Value) {
	if decode.IsEmpty(sp) {
		return
	}
	if sp.Kind() != strictjson.Object {
		r.Lose(&f.Wounds, sectionMarkets)
		return
	}
	for key, v := range sp.Members() {
		of := provider.Subject{Fixture: f.id, Market: key}
		if tab.name == "schedule" && key == "main" && v.Kind() == strictjson.Array {
			r.Skipped.Add("schedule.main") // the result once more, as a list without names
			continue
		}
		s := showing{tab: tab, doubtful: tab.doubtful}
		if isTwice(sp, key) {
			s.doubtful = true
			r.Damaged.Add(marketTwice)
		}
		r.trace.Report(of, provider.FieldThing, v)
		if v.Kind() == strictjson.Object {
			r.market(f, key, s, v, of)
			continue
		}
		s.list = v
		r.show(f, key, r.table.ByKey[key], s, marketNoShape)
	}
}

// market reads a market of v3. One that has its rows twice is shown twice.
func (r *sheetReader) market(f *offered, key string, s showing, v strictjson.Value, of provider.Subject) {
	if v.Repeats() {
		s.doubtful = true
		r.Damaged.Add(marketRepeats)
	}
	if isRenamed(v) {
		r.Damaged.Add(marketRenamed)
		s.doubtful = true
	}
	name, named := r.Damaged.Name(v, "name", marketField)
	s.id, s.name, s.doubtful = r.Damaged.Text(v, "id", marketField), name, s.doubtful || !named
	shown := false
	for field, v := range v.Members() {
		switch field {
		case "id":
			r.trace.Report(of, provider.FieldMarketID, v)
		case "name":
			r.trace.Report(of, provider.FieldMarketName, v)
		case "odds":
			s.list, shown = v, true
			r.show(f, key, r.table.ByKey[key], s, marketRows)
		case "open": // 0 on a market that is shown collapsed, filled or not
		default:
			r.Unknown.Add("market." + field)
		}
	}
	if !shown {
		r.show(f, key, r.table.ByKey[key], s, marketRows)
	}
}

// isRenamed reports whether a market lacks a member that is always sent, and has an
// unknown one.
func isRenamed(market strictjson.Value) bool {
	if !decode.LacksAny(market, "id", "odds") {
		return false
	}
	for field := range market.Members() {
		if !marketFields[field] {
			return true
		}
	}
	return false
}

// marketFields are the members of a market of v3 seen so far.
var marketFields = decode.Set("id", "name", "odds", "open")

// rows reads the rows of a showing and joins the label rows among them to their
// prices.
func (r *sheetReader) rows(f *offered, s *showing) []input.Row {
	n := max(s.list.Len(), 1)
	rows := r.slabs.Rows(n)
	labels := r.slabs.Labels(2 * n)
	tabled := false
	for v := range rowsIn(s.list) {
		from := len(labels)
		rows = append(rows, input.Row{Place: r.trace.Begin(v)})
		row := &rows[len(rows)-1]
		r.isNull = false
		r.Met.Rows++
		r.trace.Report(provider.Subject{Row: row.Place}, provider.FieldThing, v)
		switch {
		case v.Kind() != strictjson.Object:
			labels = strangeRow(row, v, labels)
			r.trace.Report(provider.Subject{Row: row.Place}, strangeField, v)
			if s.list.Kind() == strictjson.Array { // else the market is counted
				r.Damaged.Add(rowNoObject)
			}
		case s.raw:
			labels = r.rawRow(row, v, labels)
		default:
			labels = r.row(row, v, labels)
			tabled = tabled || isLabel(row)
		}
		switch {
		case row.Trouble != "":
			r.Hurt.Rows++
			f.Hurt = true
		case r.isNull:
			r.Damaged.Add(rowNull)
			r.Hurt.Rows++
		}
		row.Labels = labels[from:len(labels):len(labels)]
	}
	if tabled {
		return r.joinLabels(rows)
	}
	return rows
}

// rowsIn walks over the rows of a market: the items of a list. An object that holds
// nothing but objects has its members as rows, in the order of
// their keys, as PHP writes a list with gaps. Any other value is one row: nothing sent is
// dropped.
func rowsIn(list strictjson.Value) iter.Seq[strictjson.Value] {
	return func(yield func(strictjson.Value) bool) {
		switch {
		case decode.IsEmpty(list):
		case list.Kind() == strictjson.Array:
			list.Items()(yield)
		case holdsObjects(list):
			for _, m := range sortedMembers(list) {
				if !yield(m.value) {
					return
				}
			}
		default:
			yield(list)
		}
	}
}

type member struct {
	key   string
	value strictjson.Value
}

// sortedMembers are the members of an object by key, numbers as numbers.
func sortedMembers(v strictjson.Value) (all []member) {
	for key, value := range v.Members() {
		all = append(all, member{key, value})
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(byNumber(a.key, b.key), strings.Compare(a.value.Raw(), b.value.Raw()))
	})
	return all
}

// holdsObjects reports whether every member of an object is one.
func holdsObjects(v strictjson.Value) bool {
	for _, m := range v.Members() {
		if m.Kind() != strictjson.Object {
			return false
		}
	}
	return v.Len() > 0
}

// strangeRow keeps a value other than a row as one text, which no market will be read from.
func strangeRow(row *input.Row, v strictjson.Value, labels []football.Label) []football.Label {
	row.Trouble = football.AmbiguousShape
	return append(labels, football.Label{Field: strangeField, Text: decode.Clip(v)})
}

// strangeField is the label under which strangeRow keeps its value.
const strangeField = "row"

// row reads one row and appends its texts to labels.
func (r *sheetReader) row(row *input.Row, v strictjson.Value, labels []football.Label) []football.Label {
	of := provider.Subject{Row: row.Place}
	r.repeats(row, v)
	priced, renamed := false, false
	for key, m := range v.Members() {
		r.isNull = r.isNull || m.Kind() == strictjson.Null
		switch key {
		case "id":
			row.ID = r.Damaged.Text(v, key, rowField)
			r.trace.Report(of, provider.FieldSelectionID, m)
			continue
		case "odds":
			priced = true
			row.Decimal = r.Damaged.Price(v, key, rowField)
			r.trace.Report(of, provider.FieldDecimal, m)
			continue
		}
		if !rowFields[key] {
			renamed = true
			r.Unknown.Add("row." + key)
		} else if decode.IsWrong(m) {
			r.Damaged.Add(rowField)
			row.Trouble = football.AmbiguousShape
		}
		labels = r.label(of, labels, key, m)
	}
	if !priced && renamed && !isLabel(row) {
		r.Damaged.Add(rowRenamed)
		row.Trouble = football.AmbiguousShape
	}
	return labels
}
