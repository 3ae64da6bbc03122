package apifootball

import (
	"cmp"
	"fmt"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/publish/football"
)

// The known members of each part of an answer; others are counted.
var (
	oddsFields      = decode.Set("league", "fixture", "update", "bookmakers")
	bookmakerFields = decode.Set("id", "name", "bets")
	betFields       = decode.Set("id", "name", "values")
)

// ReadMarkets implements [provider.MarketAdapter]. It reads the prices of the requested
// bookmaker. Without a query, this is the one repeated in the envelope, or else the
// default.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	envelope, items, err := readEnvelope(d, p)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", api.EndpointOdds, err)
	}
	r := sheetReader{table: table(), bookmaker: bookmakerOf(p, envelope), payloadTrace: p.Trace,
		named: p.Query.Get(api.ParamBookmaker) != "", met: make(map[string]string)}
	for item := range items.Items() {
		r.fixture(item, p, l)
	}
	return r.Result(), nil
}

// bookmakerOf returns the bookmaker whose prices are read from a payload.
func bookmakerOf(p provider.Payload, envelope strictjson.Value) string {
	said := envelope.Get(api.KeyParameters).Get(api.ParamBookmaker)
	return cmp.Or(p.Query.Get(api.ParamBookmaker), identifier(said), DefaultBookmaker)
}

// sheetReader gathers one payload.
type sheetReader struct {
	decode.Sheet
	table        *mapping.Table
	bookmaker    string
	named        bool              // by the request
	met          map[string]string // fixtures as they were sent, by id
	payloadTrace *provider.Trace
	trace        *provider.Trace // of the current fixture
	wounds       decode.Wounds   // of the current fixture
}

// fixture reads one item.
func (r *sheetReader) fixture(item strictjson.Value, p provider.Payload, l provider.Listing) {
	if item.Kind() != strictjson.Object {
		r.Damaged.Add(fixtureNoObject)
		return
	}
	fixture, onceFixture := item.Once("fixture")
	member, onceID := fixture.Once("id")
	id := identifier(member)
	before, twice := r.met[id]
	switch {
	case id == "" || !onceFixture || !onceID:
		r.Damaged.Add(fixtureNoID)
		return
	case twice && before == item.Raw():
		r.Skipped.Add("fixture sent twice")
		return
	case twice: // it is not known which of the two is right
		r.Damaged.Add(fixtureTwice)
		r.Drop(id)
		r.Break(id)
		return
	}
	r.met[id], r.wounds = item.Raw(), decode.Wounds{}
	if item.Repeats() || fixture.Repeats() {
		r.Damaged.Add(fixtureRepeats)
		r.wounds.Hurt = true
	}
	r.trace = r.payloadTrace.For(id)
	r.trace.Report(provider.Subject{Fixture: id}, provider.FieldThing, item)
	r.Unknown.AddUnknown(item, "odds", oddsFields)
	offers, found := r.bookmakers(item, id)
	if r.named && !found && item.Get("bookmakers").Len() > 0 { // the answer is to another question
		r.Damaged.Add(fixtureOthers)
		r.wounds.Hurt = true
	}
	if !found && !r.wounds.Hurt {
		r.Skipped.Add("fixture without the bookmaker")
		return
	}
	fx, _ := l.Joined(Name, id, p.FetchedAt)
	r.Keep(fx, offers, r.wounds)
}

// bookmakers reads the bets of the bookmaker. Some of them may be lost in an unreadable part.
func (r *sheetReader) bookmakers(item strictjson.Value, fixture string) (offers []input.Offer, found bool) {
	lose := func(why string) {
		r.Damaged.Add(why)
		r.Hurt.Sections++
		r.wounds = decode.Wounds{Lost: true, Hurt: true}
	}
	list, once := item.Once("bookmakers")
	if list.Kind() != strictjson.Array || !once {
		r.Met.Sections++
		lose(fixtureBookmakers)
		return nil, false
	}
	for b := range list.Items() {
		id, onceID := b.Once("id")
		switch {
		case b.Kind() != strictjson.Object || !onceID || identifier(id) == "": // it may be that of any bookmaker
			r.Met.Sections++
			lose(bookmakerNoObject)
			continue
		case identifier(id) != r.bookmaker:
			continue
		}
		r.Met.Sections++
		if b.Repeats() {
			r.Damaged.Add(bookmakerRepeats)
			r.wounds.Hurt = true
		}
		if found { // two lists of one bookmaker, and it is not known which is the newer one
			lose(bookmakerTwice)
			return nil, true
		}
		found = true
		r.Unknown.AddUnknown(b, "bookmaker", bookmakerFields)
		bets, onceBets := b.Once("bets")
		if bets.Kind() != strictjson.Array && (bets.Kind() == strictjson.Absent || !decode.IsEmpty(bets)) || !onceBets {
			lose(bookmakerBets)
			continue
		}
		offers = r.bets(bets, fixture)
	}
	return offers, found
}

// bets reads the bets of one bookmaker. One without an id is lost.
func (r *sheetReader) bets(bets strictjson.Value, fixture string) []input.Offer {
	offers := make([]input.Offer, 0, bets.Len())
	place := make(map[string]int, cap(offers))
	for bet := range bets.Items() {
		r.Met.Markets++
		id, once := bet.Once("id")
		key := identifier(id)
		if bet.Kind() != strictjson.Object || key == "" || !once {
			r.hurtMarket(betNoID)
			r.wounds.Lost = true
			continue
		}
		o := r.bet(bet, key, fixture)
		if at, twice := place[key]; twice { // two bets with one id
			r.hurtMarket(betTwice)
			offers[at].Rows = append(offers[at].Rows, o.Rows...)
			offers[at].Reading, offers[at].RawReason = nil, football.AmbiguousShape
			continue
		}
		place[key] = len(offers)
		offers = append(offers, o)
	}
	return offers
}

func (r *sheetReader) hurtMarket(why string) {
	r.Damaged.Add(why)
	r.Hurt.Markets++
	r.wounds.Hurt = true
}

// bet reads one bet.
func (r *sheetReader) bet(bet strictjson.Value, id, fixture string) input.Offer {
	of := provider.Subject{Fixture: fixture, Market: id}
	r.trace.Report(of, provider.FieldThing, bet)
	r.trace.Report(of, provider.FieldMarketID, bet.Get("id"))
	r.trace.Report(of, provider.FieldMarketName, bet.Get("name"))
	r.Unknown.AddUnknown(bet, "bet", betFields)
	name, named := r.Damaged.Name(bet, "name", betField)
	o := input.Offer{Key: id, ProviderIDs: []string{id}, Name: name}
	doubtful := bet.Repeats()
	switch {
	case doubtful:
		r.hurtMarket(betRepeats)
	case !named:
		r.Hurt.Markets++
		r.wounds.Hurt, doubtful = true, true
	}
	if !doubtful && decode.LacksAny(bet, "values") {
		r.hurtMarket(betValues)
		doubtful = true
	}
	for key, values := range bet.Members() {
		if key != "values" {
			continue
		}
		if values.Kind() != strictjson.Array && !decode.IsEmpty(values) {
			r.hurtMarket(betValues)
			doubtful = true
		}
		o.Rows = append(o.Rows, r.rows(values)...)
	}
	e := entryOf(r.table, id, o.Rows)
	o.KnownID = e.KnownID(o.ProviderIDs)
	o.Reading, o.RawReason = read(r.table, e, id, o.Name.Or(""))
	if plain := r.table.ByKey[id]; e != plain && o.Reading != nil {
		o.TwoWay = plain.Reading
	}
	if doubtful {
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	}
	return o
}

// rows reads the values of a bet. A value other than a list is one row: nothing sent is
// dropped.
func (r *sheetReader) rows(values strictjson.Value) []input.Row {
	if values.Kind() != strictjson.Array {
		if decode.IsEmpty(values) {
			return nil
		}
		return []input.Row{r.row(values, make([]football.Label, 0, 1))}
	}
	rows := make([]input.Row, 0, values.Len())
	labels := make([]football.Label, values.Len()) // one array for all of them
	for v := range values.Items() {
		n := len(rows)
		rows = append(rows, r.row(v, labels[n:n:n+1]))
	}
	return rows
}

// strangeField is the label of a value other than a row.
const strangeField = "row"

// row reads one value and its price.
func (r *sheetReader) row(v strictjson.Value, labels []football.Label) input.Row {
	r.Met.Rows++
	row := input.Row{Place: r.trace.Begin(v)}
	of := provider.Subject{Row: row.Place}
	r.trace.Report(of, provider.FieldThing, v)
	switch {
	case v.Kind() != strictjson.Object:
		r.trouble(&row, rowNoObject)
		r.trace.Report(of, strangeField, v)
		row.Labels = append(labels, football.Label{Field: strangeField, Text: decode.Clip(v)})
		return row
	case v.Repeats():
		r.trouble(&row, rowRepeats)
	}
	row.Decimal = r.Damaged.Price(v, "odd", rowField)
	for key, m := range v.Members() {
		if key == "odd" {
			r.trace.Report(of, provider.FieldDecimal, m)
			continue
		}
		if key != labelValue {
			r.Unknown.Add("value." + key)
		} else if decode.IsWrong(m) {
			r.trouble(&row, rowField)
		}
		if m.Kind() != strictjson.Null {
			r.trace.Report(of, key, m)
			labels = append(labels, football.Label{Field: key, Text: decode.Clip(m)})
		}
	}
	row.Labels = labels
	switch {
	case row.Trouble != "":
	case decode.LacksValue(v, labelValue):
		r.Damaged.Add(rowNoText)
		r.Hurt.Rows++
	case decode.LacksValue(v, "odd"):
		r.Damaged.Add(rowNoPrice)
		r.Hurt.Rows++
	}
	return row
}

// trouble marks a damaged row.
func (r *sheetReader) trouble(row *input.Row, why string) {
	r.Damaged.Add(why)
	if row.Trouble == "" {
		r.Hurt.Rows++
	}
	row.Trouble = football.AmbiguousShape
	r.wounds.Hurt = true
}
