package betsapi

import (
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// raw reads the bookmaker's own tree: each F has markets (ML), and each market has
// prices (PL).
func (r *sheetReader) raw(f *offered, tab tab, data strictjson.Value) {
	if decode.IsEmpty(data) {
		return
	}
	list, once := data.Once("F")
	if !once || list.Kind() != strictjson.Array {
		r.Lose(&f.Wounds, sectionTree)
		return
	}
	for part := range list.Items() {
		markets, once := part.Once("ML")
		if part.Kind() != strictjson.Object || !once || markets.Kind() != strictjson.Array && !decode.IsEmpty(markets) {
			r.Lose(&f.Wounds, sectionTree)
			continue
		}
		r.part(f, part)
		for m := range markets.Items() {
			if m.Kind() != strictjson.Object {
				r.Lose(&f.Wounds, marketNoShape) // it has neither name nor key
				continue
			}
			r.rawMarket(f, tab, m)
		}
	}
}

// part reads the other members of one of F: of its parts the first one that names the
// teams is believed.
func (r *sheetReader) part(f *offered, part strictjson.Value) {
	if part.Repeats() {
		r.Damaged.Add(sectionRepeats)
	}
	teams := r.Damaged.Text(part, "FD", sectionTeams)
	if f.teams == "" && teams.State() == football.Present {
		f.teams = teams.Or("")
		r.trace.Report(provider.Subject{Fixture: f.id}, provider.FieldTeams, part.Get("FD"))
	}
	for name := range part.Members() {
		switch name {
		case "FD", "ML", "CL", "FB":
		default:
			r.Unknown.Add("part." + name)
		}
	}
}

func (r *sheetReader) rawMarket(f *offered, tab tab, v strictjson.Value) {
	s := showing{tab: tab, raw: true, doubtful: tab.doubtful}
	if v.Repeats() {
		s.doubtful = true
		r.Damaged.Add(marketRepeats)
	}
	name, named := r.Damaged.Name(v, "MD", marketField)
	s.name, s.id, s.doubtful = name, r.Damaged.Text(v, "PI", marketField), s.doubtful || !named
	key, e := keyOfName(r.table, normalName(s.name.Or("")))
	shown := false
	for field, v := range v.Members() {
		switch field {
		case "PL":
			s.list, shown = v, true
			r.show(f, key, e, s, marketRows)
		case "MD", "PI", "A": // A: true on an Asian market
		default:
			r.Unknown.Add("market." + field)
		}
	}
	if !shown {
		r.show(f, key, e, s, marketRows)
	}
	if r.trace != nil { // the key is known only now
		of := provider.Subject{Fixture: f.id, Market: key}
		r.trace.Report(of, provider.FieldThing, v)
		r.trace.Report(of, provider.FieldMarketName, v.Get("MD"))
		r.trace.Report(of, provider.FieldMarketID, v.Get("PI"))
	}
}

// rawRow reads one price. Its texts are PD and HD; BS packs the price and the
// line as "pt=N#o=9/2#…#ln=2.25#". The line is said there only when no text
// says it.
func (r *sheetReader) rawRow(row *input.Row, v strictjson.Value, labels []football.Label) []football.Label {
	said, packed := false, ""
	of := provider.Subject{Row: row.Place}
	r.repeats(row, v)
	for key, m := range v.Members() {
		switch key {
		case "ID":
			row.ID = r.Damaged.Text(v, key, rowField)
			r.trace.Report(of, provider.FieldSelectionID, m)
		case "BS":
			r.trace.Report(of, provider.FieldPacked, m)
			packed = r.Damaged.Text(v, key, rowField).Or("")
			row.Fractional = packedPrice(m.Kind(), packed)
		case "US":
			r.trace.Report(of, provider.FieldSuspended, m)
			row.Suspended = row.Suspended || m.Kind() == strictjson.True || m.Text() == "1"
		case "EW": // sold each way, too
		case "HH":
			said = true // PD says the line
		case "HD", "PD":
			said = said || key == "HD"
			if decode.IsWrong(m) {
				r.Damaged.Add(rowField)
				row.Trouble = football.AmbiguousShape
			}
			labels = r.label(of, labels, key, m)
		default:
			r.Unknown.Add("row." + key)
			labels = r.label(of, labels, key, m)
		}
	}
	if said {
		return labels
	}
	if line, ok := cutPacked(packed, "ln"); ok {
		labels = append(labels, football.Label{Field: "ln", Text: line})
	}
	return labels
}

// packedPrice takes the price out of BS: missing if BS does not name one.
func packedPrice(kind strictjson.Kind, packed string) football.Field[string] {
	if kind != strictjson.String {
		return football.NullField[string]()
	}
	switch price, ok := cutPacked(packed, "o"); {
	case !ok:
		return football.Field[string]{}
	case price == "":
		return football.NullField[string]()
	default:
		return football.Of(price)
	}
}

// cutPacked finds key=value among pairs with "#" between.
func cutPacked(s, key string) (string, bool) {
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "#")
		if len(pair) > len(key) && pair[len(key)] == '=' && pair[:len(key)] == key {
			return pair[len(key)+1:], true
		}
	}
	return "", false
}
