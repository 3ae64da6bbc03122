package sportmonks

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
	"mkt/publish/football"
)

// ReadMarkets implements provider.MarketAdapter for both shapes: fixtures that hold
// their odds, and the rows of odds by themselves. It reads the rows of one bookmaker,
// whom the request named.
func (adapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := documents.Get().(*strictjson.Document)
	defer release(d)
	data, err := readData(d, p.Body)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", p.Endpoint, err)
	}
	r := sheetReader{table: table(), payload: p, listing: l, bookmaker: bookmakerOf(p.Query), fixtures: make(map[string]*offered), broken: make(map[string]football.Reason)}
	for v := range itemsOf(data) {
		if v.Get("market_id").Kind() != strictjson.Absent || p.Endpoint == wire.EndpointPrematch {
			r.row(v)
		} else {
			r.item(v)
		}
	}
	return r.sheet(), nil
}

// bookmakerOf is the bookmaker that a request names, "bookmakers:2" among its filters;
// the default if it names none.
func bookmakerOf(query url.Values) string {
	for filter := range strings.SplitSeq(query.Get(wire.ParamFilters), ";") {
		if id, ok := strings.CutPrefix(filter, wire.FilterBookmakers+":"); ok && isBookmaker(id) {
			return id
		}
	}
	return wire.Bet365
}

// sheetReader gathers one payload.
type sheetReader struct {
	table                     *mapping.Table
	payload                   provider.Payload
	listing                   provider.Listing
	bookmaker                 string
	fixtures                  map[string]*offered
	order                     []*offered
	broken                    map[string]football.Reason
	unknown, skipped, damaged tally
	met, hurt                 provider.Parts
}

// offered is everything met on one fixture.
type offered struct {
	id     string
	item   *item // nil if the rows came by themselves
	groups map[string]*group
	order  []*group
	lost   bool // a row could not be given to a market
	hurt   bool // that, or a row is damaged
}

// group is the rows of one market as the bookmaker names it.
type group struct {
	market string // market_id
	name   football.Field[string]
	rows   []input.Row
}

// item reads one fixture that holds its odds.
func (r *sheetReader) item(v strictjson.Value) {
	i, broken := readItem(v, r.payload.Trace, &r.damaged)
	if broken != "" {
		r.damaged.add("fixture: " + broken)
		return
	}
	f := r.fixture(i.id)
	if f == nil {
		return
	}
	f.item = &i
	for name := range v.Members() {
		if !itemFields[name] {
			r.unknown.add("item." + name)
		}
	}
	odds, once := v.Once(wire.KeyOdds)
	switch {
	case odds.Kind() == strictjson.Array && once:
	case odds.Kind() == strictjson.Absent:
		r.lose(f, itemNoOdds)
		return
	default:
		r.lose(f, itemOdds)
		return
	}
	for row := range odds.Items() {
		r.rowOf(f, row)
	}
}

// row reads a row that came by itself.
func (r *sheetReader) row(v strictjson.Value) {
	id, once := v.Once("fixture_id")
	if v.Kind() != strictjson.Object {
		r.damaged.add(rowNoObject)
		return
	}
	if identifier(id) == "" || !once {
		r.damaged.add(rowFixture)
		return
	}
	if f := r.fixture(identifier(id)); f != nil {
		r.rowOf(f, v)
	}
}

// fixture is where the rows of a fixture are gathered, nil if the list does not hold
// the fixture: nobody has seen whether it is football.
func (r *sheetReader) fixture(id string) *offered {
	f := r.fixtures[id]
	if f != nil {
		return f
	}
	if _, listed := r.listing.Fixtures[id]; !listed && len(r.listing.Fixtures) > 0 {
		r.skipped.add("fixture not listed")
		return nil
	}
	f = &offered{id: id, groups: make(map[string]*group)}
	r.fixtures[id] = f
	r.order = append(r.order, f)
	return f
}

// lose counts a part that can be given to no market.
func (r *sheetReader) lose(f *offered, why string) {
	r.damaged.add(why)
	r.met.Sections++
	r.hurt.Sections++
	f.lost, f.hurt = true, true
}

// rowOf reads one row of a fixture.
func (r *sheetReader) rowOf(f *offered, v strictjson.Value) {
	if v.Kind() != strictjson.Object {
		r.lose(f, rowNoObject)
		return
	}
	bookmaker, once := v.Once("bookmaker_id")
	switch id := identifier(bookmaker); {
	case id == "" || !once:
		r.lose(f, rowBookmaker)
		return
	case id != r.bookmaker:
		r.skipped.add("row of another bookmaker")
		return
	}
	if other, once := v.Once("fixture_id"); other.Kind() != strictjson.Absent && (!once || identifier(other) != f.id) {
		r.lose(f, rowFixture)
		return
	}
	market, once := v.Once("market_id")
	id := identifier(market)
	if id == "" || !once {
		r.lose(f, rowMarket)
		return
	}
	r.met.Rows++
	g := f.group(id, r.damaged.text(v, "market_description", rowField))
	if trace := r.payload.Trace.For(f.id); trace != nil && len(g.rows) == 0 {
		of := provider.Subject{Fixture: f.id, Market: g.key(f)}
		trace.Report(of, provider.FieldThing, v)
		trace.Report(of, provider.FieldMarketID, market)
		trace.Report(of, provider.FieldMarketName, v.Get("market_description"))
	}
	row := r.readRow(f, v)
	if row.Trouble != "" {
		r.hurt.Rows++
		f.hurt = true
	}
	g.rows = append(g.rows, row)
}

// group finds the rows of a market, or begins them. Markets of one id that the
// bookmaker names differently are several.
func (f *offered) group(market string, name football.Field[string]) *group {
	key := market + "\x00" + name.Or("")
	g := f.groups[key]
	if g == nil {
		g = &group{market: market, name: name}
		f.groups[key] = g
		f.order = append(f.order, g)
	}
	if g.name.State() < name.State() {
		g.name = name
	}
	return g
}

// key is the market's key within its fixture.
func (g *group) key(f *offered) string {
	for _, other := range f.order {
		if other.market == g.market && other != g {
			return g.market + "#" + g.name.Or("")
		}
	}
	return g.market
}

// labelFields are the members of a row that say what it means, in the order in which
// they are read.
var labelFields = []string{"label", "name", "total", "handicap", "participants", "original_label"}

// isRowField reports whether a member of a row has been met.
func isRowField(key string) bool {
	switch key {
	case "id", "fixture_id", "market_id", "bookmaker_id", "provider_id", "external_id", "label", "value", "name", "sort_order", "market_description",
		"probability", "dp3", "fractional", "american", "winning", "suspended", "stopped", "total", "handicap", "participants", "created_at",
		"updated_at", "original_label", "latest_bookmaker_update":
		return true
	}
	return false
}

// readRow reads what a row says. Its price is dp3, which has all digits, or else
// value. fractional is the decimal price once more, written as a fraction: it is no
// fractional price, and is not read.
func (r *sheetReader) readRow(f *offered, v strictjson.Value) input.Row {
	trace := r.payload.Trace.For(f.id)
	row := input.Row{Place: trace.Begin(v)}
	of := provider.Subject{Row: row.Place}
	trace.Report(of, provider.FieldThing, v)
	if v.Repeats() {
		r.damaged.add(rowRepeats)
		row.Trouble = football.AmbiguousShape
	}
	for key := range v.Members() {
		if !isRowField(key) {
			r.unknown.add("row." + key)
		}
	}
	trace.Report(of, provider.FieldSelectionID, v.Get("id"))
	row.ID = r.damaged.text(v, "id", rowField)
	row.Decimal = r.price(v, trace, of)
	row.Suspended = r.flag(v, "stopped", &row) || r.flag(v, "suspended", &row)
	if trace != nil {
		trace.Report(of, provider.FieldSuspended, v.Get("stopped"))
		trace.Report(of, provider.FieldSuspended, v.Get("suspended"))
	}
	for _, key := range labelFields {
		m := v.Get(key)
		if m.Kind() <= strictjson.Null {
			continue
		}
		if isWrong(m) {
			r.damaged.add(rowField)
			row.Trouble = football.AmbiguousShape
		}
		trace.Report(of, key, m)
		row.Labels = append(row.Labels, football.Label{Field: key, Text: clip(m)})
	}
	return row
}

// price is the price as it was sent, in its three states. What is no text is kept as
// it stands: it is there, and no price.
func (r *sheetReader) price(v strictjson.Value, trace *provider.Trace, of provider.Subject) football.Field[string] {
	price := football.Field[string]{}
	for _, key := range []string{"dp3", "value"} {
		m, once := v.Once(key)
		var f football.Field[string]
		switch {
		case !once:
			f = football.NullField[string]()
		case isWrong(m):
			r.damaged.add(rowField)
			f = football.Of(clip(m))
		default:
			f = field(m)
		}
		if f.State() == football.Present {
			trace.Report(of, provider.FieldDecimal, m)
			return f
		}
		if f.State() > price.State() {
			price = f
		}
	}
	return price
}

// flag reads a member that is true or false. Of a flag that is neither, the row is
// taken to be off offer.
func (r *sheetReader) flag(v strictjson.Value, key string, row *input.Row) bool {
	m, once := v.Once(key)
	switch m.Kind() {
	case strictjson.True:
		return true
	case strictjson.False, strictjson.Absent, strictjson.Null:
		if once {
			return false
		}
	}
	if once {
		r.damaged.add(rowFlag)
		row.Trouble = football.AmbiguousShape
	}
	return true
}

// sheet turns what was gathered into offers. A fixture that has damage, and no row
// that is whole, is broken: to go on would look like the bookmaker had withdrawn its
// markets.
func (r *sheetReader) sheet() provider.Sheet {
	s := provider.Sheet{Fixtures: make([]provider.FixtureOffers, 0, len(r.order)), Broken: r.broken}
	for _, f := range r.order {
		offers := r.offers(f)
		if f.hurt && !slices.ContainsFunc(offers, isReadable) {
			s.Broken[f.id] = football.AmbiguousShape
			continue
		}
		s.Fixtures = append(s.Fixtures, provider.FixtureOffers{Fixture: r.joined(f), Offers: offers, Partial: f.lost})
	}
	s.Damaged, s.Unknown, s.Skipped, s.Met, s.Hurt = r.damaged, r.unknown, r.skipped, r.met, r.hurt
	return s
}

func isReadable(o input.Offer) bool {
	return slices.ContainsFunc(o.Rows, func(row input.Row) bool { return row.Trouble != football.AmbiguousShape })
}

// joined is what the listing says of a fixture, and else the fixture itself.
func (r *sheetReader) joined(f *offered) football.Fixture {
	listed, ok := r.listing.Fixtures[f.id]
	switch {
	case ok:
		if r.payload.FetchedAt.After(listed.FetchedAt) {
			listed.FetchedAt = r.payload.FetchedAt
		}
		listed.Provider, listed.ProviderFixtureID = Name, f.id
		return listed.Fixture
	case f.item != nil:
		return f.item.fixture(r.payload.FetchedAt)
	}
	return football.Fixture{Provider: Name, ProviderFixtureID: f.id, FetchedAt: r.payload.FetchedAt}
}

// offers makes the fixture's offers, in the order in which their markets were met.
func (r *sheetReader) offers(f *offered) []input.Offer {
	offers := make([]input.Offer, 0, len(f.order)+4)
	for _, g := range f.order {
		r.met.Markets++
		e := r.table.ByKey[g.market]
		o := input.Offer{Key: g.key(f), ProviderIDs: []string{g.market}, KnownID: e.KnownID([]string{g.market}), Name: g.name, Rows: g.rows}
		if o.Key != g.market {
			o.SharedKey = g.market
		}
		o.Reading, o.RawReason = r.table.Read(e, g.market)
		if o.Reading != nil && contradicts(o.Reading, g.name.Or("")) {
			o.Reading, o.RawReason = nil, football.ConditionFailed
		}
		if o.RawReason == football.MixedMarket {
			offers = r.statements(offers, o)
			continue
		}
		offers = append(offers, o)
	}
	return offers
}

var (
	// scoreAtOffer ends the name of a market that counts from the score at which the
	// price was taken.
	scoreAtOffer = regexp.MustCompile(`\([0-9]{1,2}-[0-9]{1,2}\)$`)
	firstHalf    = regexp.MustCompile(`(?i)\b(?:1st|first) half\b|\bhalf[ -]?time\b`)
	secondHalf   = regexp.MustCompile(`(?i)\b(?:2nd|second) half\b`)
)

// contradicts reports whether the bookmaker's name of a market says another period
// than the table says of its id, or that it is counted from a score in play.
func contradicts(reading *input.Reading, name string) bool {
	if name == "" {
		return false
	}
	first, second := firstHalf.MatchString(name), secondHalf.MatchString(name)
	switch {
	case scoreAtOffer.MatchString(name):
		return true
	case first && !second:
		return reading.Period == "2H" || reading.Period == "FT" && !strings.Contains(reading.Market, "HALF")
	case second && !first:
		return reading.Period == "1H" || reading.Period == "FT" && !strings.Contains(reading.Market, "HALF")
	}
	return false
}

// statements takes a market apart whose rows name a market each: rows whose name the
// table knows become offers of their own. What is left keeps the key and stays RAW.
func (r *sheetReader) statements(offers []input.Offer, o input.Offer) []input.Offer {
	var named []input.Offer
	var left []input.Row
	for _, row := range o.Rows {
		e := r.table.ByRow[textOf(&row, "name")]
		if e == nil {
			left = append(left, row)
			continue
		}
		key, shared := e.Key, ""
		if o.SharedKey != "" { // the market is there under several names
			key, shared = e.Key+"#"+o.Name.Or(""), e.Key
		}
		i := slices.IndexFunc(named, func(n input.Offer) bool { return n.Key == key })
		if i < 0 {
			i = len(named)
			named = append(named, input.Offer{Key: key, SharedKey: shared, ProviderIDs: o.ProviderIDs, KnownID: e.KnownID(o.ProviderIDs),
				Name: football.Of(textOf(&row, "name")), Reading: e.Reading})
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

func textOf(row *input.Row, field string) string {
	for _, l := range row.Labels {
		if l.Field == field {
			return l.Text
		}
	}
	return ""
}
