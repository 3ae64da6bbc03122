package betsapi

import (
	"strings"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// raw reads the bookmaker's own tree: F, of which each has markets (ML), of
// which each has prices (PL).
func (r *sheetReader) raw(f *offered, tab tab, data strictjson.Value) error {
	if isEmpty(data) {
		return nil
	}
	list := data.Get("F")
	if data.Kind() != strictjson.Object || list.Kind() != strictjson.Array {
		return errShape
	}
	for part := range list.Items() {
		if f.teams == "" {
			f.teams = part.Get("FD").Text()
			r.trace.Tell(provider.Subject{Fixture: f.id}, provider.FieldTeams, part.Get("FD"))
		}
		markets := part.Get("ML")
		if markets.Kind() != strictjson.Array && !isEmpty(markets) {
			return errShape
		}
		for m := range markets.Items() {
			r.rawMarket(f, tab, m)
		}
	}
	return nil
}

func (r *sheetReader) rawMarket(f *offered, tab tab, v strictjson.Value) {
	s := showing{tab: tab, raw: true}
	for key, v := range v.Members() {
		switch key {
		case "MD":
			s.name = field(v)
		case "PI":
			s.id = field(v)
		case "PL":
			s.list = v
			s.strange = v.Kind() != strictjson.Array && !isEmpty(v)
		case "A": // true on an Asian market
		default:
			r.unknown.add("market." + key)
		}
	}
	if s.strange || v.Kind() != strictjson.Object {
		r.unknown.add("market of an unknown shape")
		s.strange = true
	}
	key, e := r.names.keyOfName(normalName(s.name.Or("")))
	f.add(key, e, s)
	if r.trace != nil { // the key is known only now
		of := provider.Subject{Fixture: f.id, Market: key}
		r.trace.Tell(of, provider.FieldThing, v)
		r.trace.Tell(of, provider.FieldMarketName, v.Get("MD"))
		r.trace.Tell(of, provider.FieldMarketID, v.Get("PI"))
	}
}

// rawRow reads one price. Its texts are PD and HD; BS packs the price and the
// line as "pt=N#o=9/2#…#ln=2.25#". The line is said there only when no text
// says it.
func (r *sheetReader) rawRow(row *football.OfferRow, v strictjson.Value, labels []football.Label) []football.Label {
	said, packed := false, ""
	of := provider.Subject{Row: row.Place}
	for key, v := range v.Members() {
		switch key {
		case "ID":
			row.ID = field(v)
			r.trace.Tell(of, provider.FieldSelectionID, v)
		case "BS":
			r.trace.Tell(of, provider.FieldPacked, v)
			packed = v.Text()
			row.Fractional = packedPrice(v.Kind(), packed)
		case "US":
			r.trace.Tell(of, provider.FieldSuspended, v)
			row.Suspended = v.Kind() == strictjson.True || v.Text() == "1"
		case "EW": // sold each way, too
		case "HH":
			said = true // PD says the line
		case "HD":
			said = true
			labels = r.label(of, labels, key, v)
		case "PD":
			labels = r.label(of, labels, key, v)
		default:
			r.unknown.add("row." + key)
			labels = r.label(of, labels, key, v)
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

// packedPrice takes the price out of BS: missing when BS does not name one.
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
