package theoddsapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/publish/football"
)

// readEvents parses an archived answer about prices, a list of events or one event,
// and returns its events.
func readEvents(d *strictjson.Document, p provider.Payload) ([]strictjson.Value, error) {
	root, err := decode.Root(d, p)
	switch {
	case err != nil:
		return nil, err
	case !isAnswer(root):
		return nil, fmt.Errorf("the answer is neither a list nor an event")
	case root.Kind() == strictjson.Object:
		return []strictjson.Value{root}, nil
	default:
		return slices.Collect(root.Items()), nil
	}
}

// ReadMarkets implements [provider.MarketAdapter] for the prices of a competition's
// fixtures and of one fixture. The prices are those of the bookmaker in the query.
// A fixture nobody requested is left out.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	events, err := readEvents(d, p)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", p.Endpoint, err)
	}
	r := sheetReader{table: table(), bookmaker: cmp.Or(p.Query.Get(api.ParamBookmakers), DefaultBookmaker), named: p.Query.Has(api.ParamBookmakers),
		fixtures: make(map[string]*offered), payloadTrace: p.Trace}
	if ids := p.Query.Get(api.ParamEvents); ids != "" {
		r.asked = strings.Split(ids, ",")
	}
	for _, v := range events {
		r.event(v)
	}
	format := p.Query.Get(api.ParamOddsFormat)
	return r.sheet(p, l, format != "" && format != api.Decimal || r.priced && !r.decimal), nil
}

// sheetReader gathers one payload.
type sheetReader struct {
	decode.Sheet
	table        *mapping.Table
	bookmaker    string
	named        bool     // by the request
	asked        []string // fixtures; nil if the request does not name them
	fixtures     map[string]*offered
	order        []*offered
	doubted      []string // ids of two fixtures that differ
	priced       bool     // there is a price
	decimal      bool     // a price can only be a decimal
	payloadTrace *provider.Trace
	trace        *provider.Trace // of the current fixture
}

// offered is everything read of one fixture.
type offered struct {
	event
	decode.Wounds
	raw    string // its text in the payload
	offers []input.Offer
	byKey  map[string]showing // markets, by their key
	found  bool               // the bookmaker is there
	others bool               // others are
}

// showing is the place of a market among the offers, and its text in the payload.
type showing struct {
	at  int
	raw string
}

func (r *sheetReader) event(v strictjson.Value) {
	if id, broken := eventID(v); broken == "" {
		r.trace = r.payloadTrace.For(id)
	}
	e, broken := readEvent(v, r.trace, &r.Damaged)
	switch {
	case broken != "":
		r.Damaged.Add(fixtureNoID)
		return
	case r.asked != nil && !slices.Contains(r.asked, e.ID):
		r.Skipped.Add("fixture not asked for")
		return
	case e.Rule() != "":
		r.Skipped.Add("fixture of another sport")
		return
	}
	if before := r.fixtures[e.ID]; before != nil {
		if before.raw != v.Raw() {
			r.Damaged.Add(fixtureTwice)
			r.doubted = append(r.doubted, e.ID)
		}
		return
	}
	f := &offered{event: e, raw: v.Raw(), byKey: make(map[string]showing)}
	r.fixtures[e.ID] = f
	r.order = append(r.order, f)
	r.Unknown.AddUnknown(v, "fixture", eventFields)
	makers, once := v.Once(api.KeyBookmakers)
	if makers.Kind() != strictjson.Array || !once {
		r.Lose(&f.Wounds, fixtureNoPrices)
		return
	}
	for m := range makers.Items() {
		r.maker(f, m)
	}
	if r.named && f.others && !f.found { // the answer is to another question
		r.Damaged.Add(fixtureOthers)
		f.Hurt = true
	}
}

// maker reads the block of one bookmaker, if its prices were requested.
func (r *sheetReader) maker(f *offered, v strictjson.Value) {
	key, once := v.Once(api.KeyKey)
	switch {
	case v.Kind() != strictjson.Object || key.Kind() != strictjson.String || !once: // it may be the requested one
		r.Lose(&f.Wounds, bookmakerNoShape)
		return
	case key.Text() != r.bookmaker:
		r.Skipped.Add("another bookmaker")
		f.others = true
		return
	}
	f.found = true
	markets, once := v.Once(api.KeyMarkets)
	if markets.Kind() != strictjson.Array || !once {
		r.Lose(&f.Wounds, bookmakerMarkets)
		return
	}
	r.Met.Sections++
	if v.Repeats() {
		r.Damaged.Add(bookmakerRepeats)
		r.Hurt.Sections++
	}
	r.Unknown.AddUnknown(v, "bookmaker", bookmakerFields)
	for m := range markets.Items() {
		r.market(f, m)
	}
}

// market reads one market. Two markets with one key that differ are one RAW market with
// the rows of both.
func (r *sheetReader) market(f *offered, v strictjson.Value) {
	r.Met.Markets++
	member, once := v.Once(api.KeyKey)
	key := member.Text()
	if member.Kind() != strictjson.String || key == "" || !once {
		r.Damaged.Add(marketNoKey)
		r.Hurt.Markets++
		f.Lost, f.Hurt = true, true
		return
	}
	before, twice := f.byKey[key]
	if twice && before.raw == v.Raw() {
		r.Skipped.Add("market sent twice")
		return
	}
	of := provider.Subject{Fixture: f.ID, Market: key}
	r.trace.Report(of, provider.FieldThing, v)
	r.trace.Report(of, provider.FieldMarketName, member)
	r.Unknown.AddUnknown(v, "market", marketFields)
	why := ""
	switch {
	case twice:
		why = marketTwice
	case v.Repeats():
		why = marketRepeats
	case v.Get(api.KeyOutcomes).Kind() != strictjson.Array:
		why = marketRows
	}
	var rows []input.Row
	for name, part := range v.Members() {
		if name == api.KeyOutcomes {
			rows = append(rows, r.rows(f, part)...)
		}
	}
	if why != "" {
		r.Damaged.Add(why)
		r.Hurt.Markets++
		f.Hurt = true
	}
	if twice {
		o := &f.offers[before.at]
		o.Rows, o.Reading, o.RawReason = append(o.Rows, rows...), nil, football.AmbiguousShape
		return
	}
	o := input.Offer{Key: key, Name: football.Of(key), Rows: rows}
	o.Reading, o.RawReason = r.table.Read(r.table.ByKey[key], "")
	if why != "" {
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	}
	f.byKey[key] = showing{len(f.offers), v.Raw()}
	f.offers = append(f.offers, o)
}

// rows reads the outcomes of a market. A value other than a list is one unreadable row:
// nothing sent is dropped.
func (r *sheetReader) rows(f *offered, outcomes strictjson.Value) []input.Row {
	switch outcomes.Kind() {
	case strictjson.Absent, strictjson.Null:
		return nil
	case strictjson.Array:
	default:
		return []input.Row{r.row(f, outcomes)}
	}
	rows := make([]input.Row, 0, outcomes.Len())
	for v := range outcomes.Items() {
		rows = append(rows, r.row(f, v))
	}
	return rows
}

// row reads one outcome. Its labels are in the provider's order.
func (r *sheetReader) row(f *offered, v strictjson.Value) input.Row {
	row := input.Row{Place: r.trace.Begin(v)}
	of := provider.Subject{Row: row.Place}
	r.Met.Rows++
	r.trace.Report(of, provider.FieldThing, v)
	if v.Kind() != strictjson.Object {
		const stranger = "row"
		row.Trouble = football.AmbiguousShape
		row.Labels = []football.Label{{Field: stranger, Text: decode.Clip(v)}}
		r.trace.Report(of, stranger, v)
		r.Damaged.Add(rowNoObject)
	}
	if v.Repeats() {
		r.Damaged.Add(rowRepeats)
		row.Trouble = football.AmbiguousShape
	}
	for key, m := range v.Members() {
		switch key {
		case api.KeyPrice:
			row.Decimal = r.price(v)
			r.trace.Report(of, provider.FieldDecimal, m)
			continue
		case "link", "sid", "bet_limit":
			continue
		case api.KeyName, api.KeyDescription, api.KeyPoint:
			if decode.IsWrong(m) {
				r.Damaged.Add(rowField)
				row.Trouble = football.AmbiguousShape
			}
		default:
			r.Unknown.Add("row." + key)
		}
		if m.Kind() != strictjson.Null {
			r.trace.Report(of, key, m)
			row.Labels = append(row.Labels, football.Label{Field: key, Text: decode.Clip(m)})
		}
	}
	switch {
	case row.Trouble != "":
		r.Hurt.Rows++
		f.Hurt = true
	case decode.LacksValue(v, api.KeyName):
		r.Damaged.Add(rowNoName)
		r.Hurt.Rows++
	case decode.LacksValue(v, api.KeyPrice):
		r.Damaged.Add(rowNoPrice)
		r.Hurt.Rows++
	case decode.HasNull(v, api.KeyPoint, api.KeyDescription):
		r.Damaged.Add(rowField)
		r.Hurt.Rows++
	}
	return row
}

// price reads a price, and notes whether it can be a decimal.
func (r *sheetReader) price(row strictjson.Value) football.Field[string] {
	price := r.Damaged.Price(row, api.KeyPrice, rowField)
	if text, ok := price.Get(); ok && decode.IsText(row.Get(api.KeyPrice)) {
		r.priced, r.decimal = true, r.decimal || !isAmerican(text)
	}
	return price
}

// isAmerican reports whether a price can be in the American form: a whole number of 100 or
// more, with or without a sign. A decimal price can look the same, but not all prices of
// a payload can.
func isAmerican(price string) bool {
	price = strings.TrimLeft(price, "+-")
	for i := 0; i < len(price); i++ {
		if price[i] < '0' || price[i] > '9' {
			return false
		}
	}
	return len(price) > 2
}

// sheet turns the gathered markets into offers. If the prices are in another form than
// requested, which no answer states, none of them is read as a decimal.
func (r *sheetReader) sheet(p provider.Payload, l provider.Listing, otherForm bool) provider.Sheet {
	for _, f := range r.order {
		if slices.Contains(r.doubted, f.ID) {
			r.Break(f.ID)
			continue
		}
		for i := range f.offers {
			if otherForm {
				setOtherForm(f.offers[i].Rows)
			}
		}
		r.Keep(f.joined(p, l), f.offers, f.Wounds)
	}
	return r.Result()
}

func setOtherForm(rows []input.Row) {
	for i := range rows {
		if row := &rows[i]; row.Decimal.State() == football.Present {
			row.OtherPrice, row.Decimal = row.Decimal, football.Field[string]{}
		}
	}
}

// joined returns the listing's fixture, or else the one in the answer itself.
func (f *offered) joined(p provider.Payload, l provider.Listing) football.Fixture {
	if listed, ok := l.Joined(Name, f.ID, p.FetchedAt); ok {
		return listed
	}
	return f.Fixture(Name, p.FetchedAt)
}
