package sportmonks

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/publish/football"
)

// ReadMarkets implements provider.MarketAdapter for both shapes: fixtures with their odds,
// and rows of odds without fixtures. It reads the rows of the bookmaker that the request
// names.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	_, data, err := readEnvelope(d, p)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", p.Endpoint, err)
	}
	bookmaker, named := bookmakerOf(p.Query)
	r := sheetReader{table: table(), payload: p, listing: l, bookmaker: bookmaker, named: named, fixtures: make(map[string]*offered)}
	for v := range itemsOf(data) {
		if v.Get("market_id").Kind() != strictjson.Absent || p.Endpoint == api.EndpointPrematch {
			r.row(v)
		} else {
			r.item(v)
		}
	}
	return r.sheet(), nil
}

// bookmakerOf returns the bookmaker that a request names, "bookmakers:2" among its
// filters, or the default if it names none.
func bookmakerOf(query url.Values) (id string, named bool) {
	for filter := range strings.SplitSeq(query.Get(api.ParamFilters), ";") {
		if id, ok := strings.CutPrefix(filter, api.FilterBookmakers+":"); ok && isBookmaker(id) {
			return id, true
		}
	}
	return api.Bet365, false
}

// sheetReader gathers one payload.
type sheetReader struct {
	decode.Sheet
	table     *mapping.Table
	payload   provider.Payload
	listing   provider.Listing
	bookmaker string
	named     bool // by the request
	fixtures  map[string]*offered
	order     []*offered
	members   members // of the current row
}

// offered is everything read of one fixture.
type offered struct {
	decode.Wounds
	id     string
	item   *item                // nil if the rows came without it
	raw    string               // the item as it was sent
	groups map[[2]string]*group // by market id and name, as they were sent
	order  []*group
	others bool // there are rows of other bookmakers
	twice  bool // there are two items, which differ
}

// group is the rows of one market as the bookmaker names it.
type group struct {
	key    string // see [keyOf]
	market string // market_id
	name   football.Field[string]
	rows   []input.Row
}

// item reads one fixture with its odds.
func (r *sheetReader) item(v strictjson.Value) {
	i, broken := readItem(v, r.payload.Trace, &r.Damaged)
	if broken != "" {
		r.Damaged.Add("fixture: " + broken)
		return
	}
	f := r.fixture(i.ID)
	if f.item != nil {
		if f.raw != v.Raw() { // which of the two is true is not known
			r.Damaged.Add(itemTwice)
			f.twice = true
		}
		return
	}
	f.item, f.raw = &i, v.Raw()
	r.Unknown.AddUnknown(v, "item", itemFields)
	odds, once := v.Once(api.KeyOdds)
	switch {
	case odds.Kind() == strictjson.Array && once:
		r.Met.Sections++
	case odds.Kind() == strictjson.Absent:
		r.Lose(&f.Wounds, itemNoOdds)
		return
	default:
		r.Lose(&f.Wounds, itemOdds)
		return
	}
	for row := range odds.Items() {
		r.rowOf(f, row)
	}
}

// row reads a row that came without its fixture.
func (r *sheetReader) row(v strictjson.Value) {
	id, once := v.Once("fixture_id")
	if v.Kind() != strictjson.Object {
		r.Damaged.Add(rowNoObject)
		return
	}
	if decode.ID(id) == "" || !once {
		r.Damaged.Add(rowFixture)
		return
	}
	r.rowOf(r.fixture(decode.ID(id)), v)
}

// fixture returns the part of a fixture read so far.
func (r *sheetReader) fixture(id string) *offered {
	f := r.fixtures[id]
	if f == nil {
		f = &offered{id: id, groups: make(map[[2]string]*group)}
		r.fixtures[id] = f
		r.order = append(r.order, f)
	}
	return f
}

// loseRow counts a row that cannot be assigned to a market.
func (r *sheetReader) loseRow(f *offered, why string) {
	r.Damaged.Add(why)
	r.Met.Rows++
	r.Hurt.Rows++
	f.Lost, f.Hurt = true, true
}

// rowOf reads one row of a fixture.
func (r *sheetReader) rowOf(f *offered, v strictjson.Value) {
	if v.Kind() != strictjson.Object {
		r.loseRow(f, rowNoObject)
		return
	}
	m := &r.members
	m.read(v, &r.Unknown)
	switch id := m.id(memberBookmaker); {
	case id == "":
		r.loseRow(f, rowBookmaker)
		return
	case id != r.bookmaker:
		r.Skipped.Add("row of another bookmaker")
		f.others = true
		return
	}
	if m.at[memberFixture].Kind() != strictjson.Absent && m.id(memberFixture) != f.id {
		r.loseRow(f, rowFixture)
		return
	}
	id := m.id(memberMarket)
	if id == "" {
		r.loseRow(f, rowMarket)
		return
	}
	r.Met.Rows++
	g := f.group(id, r.text(memberDescription))
	if trace := r.payload.Trace.For(f.id); trace != nil && len(g.rows) == 0 {
		of := provider.Subject{Fixture: f.id, Market: g.key}
		trace.Report(of, provider.FieldThing, v)
		trace.Report(of, provider.FieldMarketID, m.at[memberMarket])
		trace.Report(of, provider.FieldMarketName, m.at[memberDescription])
	}
	row := r.readRow(f, v)
	switch {
	case row.Trouble != "":
		r.Hurt.Rows++
		f.Hurt = true
	case m.at[memberLabel].Kind() <= strictjson.Null:
		r.Damaged.Add(rowNoLabel)
		r.Hurt.Rows++
	case m.at[memberDP3].Kind() <= strictjson.Null && m.at[memberValue].Kind() <= strictjson.Null:
		r.Damaged.Add(rowNoPrice)
		r.Hurt.Rows++
	case row.PriceTrouble != "":
		r.Damaged.Add(rowPrices)
		r.Hurt.Rows++
	case m.at[memberDescription].Kind() == strictjson.Null, m.at[memberDescription].Kind() == strictjson.Number:
		r.Damaged.Add(rowField)
		r.Hurt.Rows++
	}
	g.rows = append(g.rows, row)
}

// text returns a member of the current row as a text, in its three states. A member that
// is no text, which is counted, or occurs twice, was sent without a readable value.
func (r *sheetReader) text(i int) football.Field[string] {
	if r.members.twice[i] {
		return football.NullField[string]()
	}
	if decode.IsWrong(r.members.at[i]) {
		r.Damaged.Add(rowField)
	}
	return decode.Field(r.members.at[i])
}

// group returns the rows of a market so far. Rows with one market id that the bookmaker
// names differently are several markets.
func (f *offered) group(market string, name football.Field[string]) *group {
	sent := [2]string{market, name.Or("")}
	g := f.groups[sent]
	if g == nil {
		key := keyOf(market, name.Or(""))
		if i := slices.IndexFunc(f.order, func(g *group) bool { return g.key == key }); i >= 0 {
			g = f.order[i]
		} else {
			g = &group{key: key, market: market, name: name}
			f.order = append(f.order, g)
		}
		f.groups[sent] = g
	}
	if g.name.Or("") == "" && g.name.State() <= name.State() {
		g.name = name
	}
	return g
}

// Members of a row: first those with its meaning, in the order in which they are
// read.
const (
	memberLabel = iota
	memberName
	memberTotal
	memberHandicap
	memberParticipants
	memberOriginal
	memberID
	memberFixture
	memberMarket
	memberBookmaker
	memberDescription
	memberDP3
	memberValue
	memberStopped
	memberSuspended
	numMembers

	numLabels = memberOriginal + 1
	ignored   = -1
)

// labelNames are the names of the members with a row's meaning.
var labelNames = [numLabels]string{"label", "name", "total", "handicap", "participants", "original_label"}

// memberOf has the known members, by name.
var memberOf = map[string]int{
	"label": memberLabel, "name": memberName, "total": memberTotal, "handicap": memberHandicap, "participants": memberParticipants,
	"original_label": memberOriginal, "id": memberID, "fixture_id": memberFixture, "market_id": memberMarket, "bookmaker_id": memberBookmaker,
	"market_description": memberDescription, "dp3": memberDP3, "value": memberValue, "stopped": memberStopped, "suspended": memberSuspended,

	"provider_id": ignored, "external_id": ignored, "sort_order": ignored, "probability": ignored, "fractional": ignored, "american": ignored,
	"winning": ignored, "created_at": ignored, "updated_at": ignored, "latest_bookmaker_update": ignored,
}

// members are those of one row.
type members struct {
	at    [numMembers]strictjson.Value // the first of its name
	twice [numMembers]bool
}

// read finds the members of a row, and counts the unknown ones.
func (m *members) read(row strictjson.Value, unknown *decode.Counts) {
	*m = members{}
	for name, v := range row.Members() {
		switch i, known := memberOf[name]; {
		case !known:
			unknown.Add("row." + name)
		case i == ignored:
		case m.at[i].Kind() != strictjson.Absent:
			m.twice[i] = true
		default:
			m.at[i] = v
		}
	}
}

// id returns a member as an id; "" if it is none, or occurs twice.
func (m *members) id(i int) string {
	if m.twice[i] {
		return ""
	}
	return decode.ID(m.at[i])
}

// readRow reads the current row. Its price is dp3, which has all digits, or else value.
// fractional is the decimal price written as a fraction, and not a fractional price: it
// is not read.
func (r *sheetReader) readRow(f *offered, v strictjson.Value) input.Row {
	m, trace := &r.members, r.payload.Trace.For(f.id)
	row := input.Row{Place: trace.Begin(v)}
	of := provider.Subject{Row: row.Place}
	trace.Report(of, provider.FieldThing, v)
	if v.Repeats() {
		r.Damaged.Add(rowRepeats)
		row.Trouble = football.AmbiguousShape
	}
	trace.Report(of, provider.FieldSelectionID, m.at[memberID])
	row.ID = r.text(memberID)
	row.Decimal = r.price(trace, of)
	if r.pricesDiffer() {
		row.PriceTrouble = football.AmbiguousShape
	}
	stopped, suspended := r.flag(memberStopped, &row), r.flag(memberSuspended, &row)
	row.Suspended = stopped || suspended
	trace.Report(of, provider.FieldSuspended, m.at[memberStopped])
	trace.Report(of, provider.FieldSuspended, m.at[memberSuspended])
	labels := 0
	for i := range labelNames {
		if m.at[i].Kind() > strictjson.Null {
			labels++
		}
	}
	row.Labels = make([]football.Label, 0, labels)
	for i, name := range labelNames {
		label := m.at[i]
		if label.Kind() <= strictjson.Null {
			continue
		}
		if decode.IsWrong(label) {
			r.Damaged.Add(rowField)
			row.Trouble = football.AmbiguousShape
		}
		trace.Report(of, name, label)
		row.Labels = append(row.Labels, football.Label{Field: name, Text: decode.Clip(label)})
	}
	return row
}

// price returns the price as it was sent, in its three states. A value other than text is
// kept as it is, and will be found to be no price.
func (r *sheetReader) price(trace *provider.Trace, of provider.Subject) football.Field[string] {
	price := football.Field[string]{}
	for _, i := range [...]int{memberDP3, memberValue} {
		v := r.members.at[i]
		var f football.Field[string]
		switch {
		case r.members.twice[i]:
			f = football.NullField[string]()
		case decode.IsWrong(v):
			r.Damaged.Add(rowField)
			f = football.Of(decode.Clip(v))
		default:
			f = decode.Field(v)
		}
		if f.State() == football.Present {
			trace.Report(of, provider.FieldDecimal, v)
			return f
		}
		if f.State() > price.State() {
			price = f
		}
	}
	return price
}

// pricesDiffer reports whether the current row has two prices, and value is not dp3 cut or rounded to
// two places. Which of them is true is not known.
func (r *sheetReader) pricesDiffer() bool {
	var prices [2]float64
	for n, i := range [...]int{memberDP3, memberValue} {
		text, ok := decode.Field(r.members.at[i]).Get()
		if !ok || r.members.twice[i] || !football.PlainDecimal(text) {
			return false
		}
		prices[n], _ = strconv.ParseFloat(text, 64)
	}
	return math.Abs(prices[0]-prices[1]) > 0.0095 // dp3 has three places
}

// flag reads a member that is true or false. If it is neither, the row counts as
// suspended.
func (r *sheetReader) flag(i int, row *input.Row) bool {
	switch r.members.at[i].Kind() {
	case strictjson.Absent, strictjson.Null, strictjson.False:
		return r.members.twice[i]
	case strictjson.True:
		return true
	}
	r.Damaged.Add(rowFlag)
	row.Trouble = football.AmbiguousShape
	return true
}

// sheet turns the gathered rows into offers.
func (r *sheetReader) sheet() provider.Sheet {
	for _, f := range r.order {
		offers := r.offers(f)
		if r.named && f.others && len(offers) == 0 { // the answer is to another question
			r.Damaged.Add(itemOthers)
			f.Hurt = true
		}
		if f.twice {
			r.Break(f.id)
			continue
		}
		r.Keep(r.joined(f), offers, f.Wounds)
	}
	return r.Result()
}

// joined returns the listing's fixture, or else the one in the item itself.
func (r *sheetReader) joined(f *offered) football.Fixture {
	fx, listed := r.listing.Joined(Name, f.id, r.payload.FetchedAt)
	if !listed && f.item != nil {
		return f.item.Fixture(Name, r.payload.FetchedAt)
	}
	return fx
}

// offers returns the fixture's offers, in the order of the payload.
func (r *sheetReader) offers(f *offered) []input.Offer {
	offers := make([]input.Offer, 0, len(f.order)+4)
	trace := r.payload.Trace.For(f.id)
	for _, g := range f.order {
		r.Met.Markets++
		e := r.entryOf(g)
		o := input.Offer{Key: g.key, ProviderIDs: []string{g.market}, Name: g.name, Rows: g.rows}
		if g.key == g.market {
			o.KnownID = e.KnownID(o.ProviderIDs)
		}
		o.Reading, o.RawReason = r.table.Read(e, g.market)
		if o.Reading != nil && !fits(o.Reading, g.name.Or("")) {
			o.Reading, o.RawReason = nil, football.ConditionFailed
		}
		if o.RawReason == football.MixedMarket && g.key == g.market {
			from := len(offers)
			offers = r.statements(offers, o)
			for _, named := range offers[from:] {
				trace.Join(provider.Subject{Fixture: f.id, Market: named.Key}, provider.Subject{Fixture: f.id, Market: g.key})
			}
			continue
		}
		offers = append(offers, o)
	}
	return offers
}

// linesEntry is added to the id of a market that some bookmakers sell as bands and others as
// lines: the table has a line of its own for the market whose rows are all over or under a line.
const linesEntry = " lines"

// entryOf returns the table's line for a market with these rows, nil if there is none.
func (r *sheetReader) entryOf(g *group) *mapping.Entry {
	if e := r.table.ByKey[g.market+linesEntry]; e != nil && !slices.ContainsFunc(g.rows, isNoLine) {
		return e
	}
	return r.table.ByKey[g.market]
}

// isNoLine reports whether a row does not have over or under alone as its label and its line beside it.
func isNoLine(row input.Row) bool {
	label := row.Label(labelNames[memberLabel])
	word := slices.IndexFunc(Dialect().Phrases[input.OverUnder], func(p input.Phrase) bool { return strings.EqualFold(p.Text, label) })
	return word < 0 || row.Label(labelNames[memberTotal]) == ""
}

// statements splits a market whose rows each name a market: rows whose name the table has
// become offers of their own. The other rows keep the key and stay RAW.
func (r *sheetReader) statements(offers []input.Offer, o input.Offer) []input.Offer {
	var named []input.Offer
	var left []input.Row
	for _, row := range o.Rows {
		e := r.table.ByRow[row.Label("name")]
		if e == nil {
			left = append(left, row)
			continue
		}
		i := slices.IndexFunc(named, func(n input.Offer) bool { return n.Key == e.Key })
		if i < 0 {
			i = len(named)
			named = append(named, input.Offer{Key: e.Key, ProviderIDs: o.ProviderIDs, KnownID: e.KnownID(o.ProviderIDs),
				Name: football.Of(row.Label("name")), Reading: e.Reading})
		}
		named[i].Rows = append(named[i].Rows, row)
	}
	offers = append(offers, named...)
	if len(named) > 0 && len(left) == 0 {
		return offers
	}
	o.Rows = left
	return append(offers, o)
}
