package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/publish/football"
)

// Damaged parts of an answer with markets. A row is kept and marked, a market is kept as RAW,
// and larger parts are left out.
const (
	fixtureNoID     = "fixture: without an id"
	fixtureTwice    = "fixture: there twice"
	fixtureRepeats  = "fixture: a key twice"
	fixtureMarkets  = "fixture: its markets are no list"
	fixtureTime     = "fixture: retrieved_at is not RFC 3339 with a zone"
	marketNoID      = "market: without an id"
	marketTwice     = "market: its id is there twice"
	marketRepeats   = "market: a key twice"
	marketName      = "market: its name is no text"
	marketRows      = "market: its selections are no list"
	marketSuspended = "market: suspended is neither true nor false"
	marketClaim     = "market: its claim cannot be read"
	rowNoLabels     = "selection: without labels"
	rowRepeats      = "selection: a key twice"
	rowField        = "selection: a field is no text"
	rowNumber       = "selection: a price is no text"
	rowNoOdds       = "selection: without odds"
	rowSuspended    = "selection: suspended is neither true nor false"
)

var (
	pricedFields = decode.Set(api.KeyID, api.KeyRetrieved, api.KeyMarkets)
	marketFields = decode.Set(api.KeyID, api.KeyName, api.KeySuspended, api.KeyClaim, api.KeySelections)
	rowFields    = decode.Set(api.KeyID, api.KeyLabels, api.KeyOdds, api.KeySuspended, api.KeyClaim)
	oddsFields   = decode.Set(api.KeyDecimal, api.KeyFractional)
)

// ReadMarkets implements provider.MarketAdapter.
func (a marketAdapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	root, err := decode.Root(d, p)
	if err != nil {
		return provider.Sheet{}, fmt.Errorf("%s: %w", p.Endpoint, err)
	}
	if endpointOf(root) != api.EndpointMarkets {
		return provider.Sheet{}, fmt.Errorf("%s: the answer is another one", p.Endpoint)
	}
	r := sheetReader{name: a.name, payload: p, listing: l, table: l.Table, fixtures: make(map[string]strictjson.Value)}
	if r.table == nil {
		r.table = table()
	}
	if ids := p.Query.Get(api.ParamFixtures); ids != "" {
		r.asked = strings.Split(ids, ",")
	}
	for v := range root.Get(api.KeyFixtures).Items() {
		r.fixture(v)
	}
	return r.Result(), nil
}

// sheetReader reads one payload.
type sheetReader struct {
	decode.Sheet
	name     string
	payload  provider.Payload
	listing  provider.Listing
	table    *mapping.Table
	asked    []string // fixtures; nil if the request is not known
	fixtures map[string]strictjson.Value
	trace    *provider.Trace // of the current fixture
}

// priced is the current fixture.
type priced struct {
	decode.Wounds
	id     string
	offers []input.Offer
	byID   map[string]place
}

// place is where a market is among the offers, and its text.
type place struct {
	at  int
	raw string
}

func (r *sheetReader) fixture(v strictjson.Value) {
	id := fixtureID(v)
	before, twice := r.fixtures[id]
	switch {
	case id == "":
		r.Damaged.Add(fixtureNoID)
		r.Met.Sections++
		r.Hurt.Sections++
		return
	case r.asked != nil && !slices.Contains(r.asked, id):
		r.Skipped.Add("fixture not asked for")
		return
	case twice && before.Raw() == v.Raw():
		r.Skipped.Add("fixture sent twice")
		return
	case twice: // which of the two it is, is not known
		r.Damaged.Add(fixtureTwice)
		r.Drop(id)
		r.Break(id)
		return
	}
	r.fixtures[id] = v
	r.trace = r.payload.Trace.For(id)
	r.trace.Report(provider.Subject{Fixture: id}, provider.FieldThing, v)
	r.Unknown.AddUnknown(v, "fixture", pricedFields)
	f := priced{id: id, byID: make(map[string]place)}
	r.Met.Sections++
	markets, once := v.Once(api.KeyMarkets)
	at := readTime(v, api.KeyRetrieved, new(decode.Counts))
	switch {
	case markets.Kind() != strictjson.Array || !once:
		r.Met.Sections-- // Lose counts it
		r.Lose(&f.Wounds, fixtureMarkets)
	case v.Repeats():
		r.Damaged.Add(fixtureRepeats)
		r.Hurt.Sections++
	case at.State() != football.Present:
		r.Damaged.Add(fixtureTime)
		r.Hurt.Sections++
	}
	for m := range markets.Items() {
		r.market(&f, m)
	}
	r.Keep(r.joined(id, at), f.offers, f.Wounds)
}

// joined returns the fixture of the list, with the time at which the prices were retrieved
// from the source, as far as the feed says that.
func (r *sheetReader) joined(id string, at football.Field[time.Time]) football.Fixture {
	listed, ok := r.listing.Joined(r.name, id, r.payload.FetchedAt)
	if !ok {
		item := decode.Item{ID: id}
		listed = item.Fixture(r.name, r.payload.FetchedAt)
	}
	if t, known := at.Get(); known && t.Before(r.payload.FetchedAt) {
		listed.FetchedAt = t
	}
	return listed
}

// market reads one market. Two with one id that differ are one RAW market with the rows of
// both.
func (r *sheetReader) market(f *priced, v strictjson.Value) {
	r.Met.Markets++
	member, once := v.Once(api.KeyID)
	id := member.Text()
	if member.Kind() != strictjson.String || !isID(id) || !once {
		r.Damaged.Add(marketNoID)
		r.Hurt.Markets++
		f.Lost, f.Hurt = true, true
		return
	}
	before, twice := f.byID[id]
	if twice && before.raw == v.Raw() {
		r.Skipped.Add("market sent twice")
		return
	}
	of := provider.Subject{Fixture: f.id, Market: id}
	r.trace.Report(of, provider.FieldThing, v)
	r.trace.Report(of, provider.FieldMarketID, member)
	r.trace.Report(of, provider.FieldMarketName, v.Get(api.KeyName))
	r.Unknown.AddUnknown(v, "market", marketFields)
	var damage damage
	name, named := new(decode.Counts).Name(v, api.KeyName, marketName)
	suspended, said := flag(v)
	damage.is(twice, marketTwice)
	damage.is(v.Repeats(), marketRepeats)
	damage.is(v.Get(api.KeySelections).Kind() != strictjson.Array, marketRows)
	damage.is(!named, marketName)
	damage.is(!said, marketSuspended)
	c, claimed := r.claimOf(v)
	damage.is(!claimed, marketClaim)
	o := input.Offer{Key: id, ProviderIDs: []string{id}, KnownID: id, Name: name}
	r.read(&o, c)
	rows, _ := v.Once(api.KeySelections)
	for row := range rows.Items() {
		o.Rows = append(o.Rows, r.row(f, row, &o, c, suspended))
	}
	if damage != "" {
		r.Damaged.Add(string(damage))
		r.Hurt.Markets++
		f.Hurt = true
		o.Reading, o.RawReason = nil, football.AmbiguousShape
	}
	if twice {
		first := &f.offers[before.at]
		first.Rows, first.Reading, first.RawReason = append(first.Rows, o.Rows...), nil, football.AmbiguousShape
		return
	}
	f.byID[id] = place{len(f.offers), v.Raw()}
	f.offers = append(f.offers, o)
}

// read finds the meaning of a market: that of the account's table, or else the claim's.
func (r *sheetReader) read(o *input.Offer, c claim) {
	e := r.table.ByKey[o.Key]
	if name, ok := o.Name.Get(); ok && e == nil {
		e = r.table.ByName[name]
	}
	if e == nil && c.market != "" {
		o.Reading, o.RawReason = c.reading(o.Name.Or(""))
		return
	}
	o.Reading, o.RawReason = r.table.Read(e, o.Key)
}

// damage is the first that was found of a part.
type damage string

func (d *damage) is(found bool, why damage) {
	if found && *d == "" {
		*d = why
	}
}

// flag reads the member suspended; it is not ok if it is there and no flag.
func flag(v strictjson.Value) (set, ok bool) {
	member, once := v.Once(api.KeySuspended)
	k := member.Kind()
	return k == strictjson.True, once && (k == strictjson.True || k == strictjson.False || k == strictjson.Absent)
}

// row reads one selection. Its labels are in the feed's order.
func (r *sheetReader) row(f *priced, v strictjson.Value, o *input.Offer, c claim, suspended bool) input.Row {
	row := input.Row{Place: r.trace.Begin(v), ID: new(decode.Counts).Text(v, api.KeyID, ""), Suspended: suspended}
	of := provider.Subject{Row: row.Place}
	r.Met.Rows++
	r.trace.Report(of, provider.FieldThing, v)
	r.trace.Report(of, provider.FieldSelectionID, v.Get(api.KeyID))
	r.trace.Report(of, provider.FieldSuspended, v.Get(api.KeySuspended))
	r.Unknown.AddUnknown(v, "selection", rowFields)
	var damage damage
	id := v.Get(api.KeyID)
	own, said := flag(v)
	row.Suspended = row.Suspended || own
	damage.is(v.Kind() == strictjson.Object && v.Repeats(), rowRepeats)
	damage.is(id.Kind() != strictjson.Absent && id.Kind() != strictjson.Null && id.Kind() != strictjson.String, rowField)
	damage.is(!said, rowSuspended)
	labels, odds := v.Get(api.KeyLabels), v.Get(api.KeyOdds)
	damage.is(labels.Len() == 0 || labels.Kind() != strictjson.Object, rowNoLabels)
	damage.is(labels.Repeats() || odds.Repeats(), rowRepeats)
	damage.is(odds.Kind() != strictjson.Object, rowNoOdds)
	for field, text := range labels.Members() {
		damage.is(text.Kind() != strictjson.String && text.Kind() != strictjson.Null, rowField)
		if text.Kind() == strictjson.Null {
			continue
		}
		r.trace.Report(of, field, text)
		row.Labels = append(row.Labels, football.Label{Field: field, Text: decode.Clip(text)})
	}
	if row.Labels == nil && v.Kind() != strictjson.Absent { // nothing sent is dropped
		row.Labels = []football.Label{{Field: "selection", Text: decode.Clip(v)}}
	}
	r.Unknown.AddUnknown(odds, "odds", oddsFields)
	price := func(key, field string) football.Field[string] {
		v := odds.Get(key)
		damage.is(v.Kind() != strictjson.String && v.Kind() != strictjson.Null && v.Kind() != strictjson.Absent, rowNumber)
		r.trace.Report(of, field, v)
		return new(decode.Counts).Price(odds, key, rowNumber)
	}
	row.Decimal, row.Fractional = price(api.KeyDecimal, provider.FieldDecimal), price(api.KeyFractional, provider.FieldFractional)
	if o.Reading != nil && o.Reading.Labelled != nil {
		row.Claim = c.row(o.Reading, v.Get(api.KeyClaim))
	}
	if damage != "" {
		r.Damaged.Add(string(damage))
		r.Hurt.Rows++
		f.Hurt = true
		row.Trouble = football.AmbiguousShape
	}
	return row
}
