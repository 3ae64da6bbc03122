package feed

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/publish/football"
)

// ReadMarkets implements provider.MarketAdapter.
func (a marketAdapter) ReadMarkets(p provider.Payload, l provider.Listing) (provider.Sheet, error) {
	d := decode.Document()
	defer decode.Release(d)
	root, err := a.open(d, p, api.EndpointMarkets)
	if err != nil {
		return provider.Sheet{}, err
	}
	r := sheetReader{name: a.provider(), payload: p, listing: l, table: cmp.Or(l.Table, table()), fixtures: make(map[string]string)}
	if ids := p.Query.Get(api.ParamFixtures); ids != "" {
		r.asked = strings.Split(ids, ",")
	}
	for v := range root.Get("fixtures").Items() {
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
	asked    []string          // fixtures; nil if the request is not known
	fixtures map[string]string // their texts, by id
	trace    *provider.Trace   // of the current fixture
}

// priced is the current fixture.
type priced struct {
	decode.Wounds
	id     string
	teams  [2]string
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
		r.Lose(new(decode.Wounds), "fixture: without an id")
		return
	case r.asked != nil && !slices.Contains(r.asked, id):
		r.Skipped.Add("fixture not asked for")
		return
	case twice && before == v.Raw():
		r.Skipped.Add("fixture sent twice")
		return
	case twice: // which of the two is right is not known
		r.Lose(new(decode.Wounds), "fixture: there twice")
		r.Drop(id)
		r.Break(id)
		return
	}
	r.fixtures[id] = v.Raw()
	r.trace = r.payload.Trace.For(id)
	r.trace.Report(provider.Subject{Fixture: id}, provider.FieldThing, v)
	f := priced{id: id, byID: make(map[string]place)}
	fixture := r.joined(id)
	f.teams = [2]string{fixture.Home.Or(""), fixture.Away.Or("")}
	at, timed := timeOf(v, "retrieved_at")
	why := pricedShape.fault(v, &r.Unknown)
	if why == "" && !timed {
		why = "fixture: " + badTime
	}
	if t, known := at.Get(); known && t.Before(r.payload.FetchedAt) {
		fixture.FetchedAt = t
	}
	markets, once := v.Once("markets")
	switch {
	case markets.Kind() != strictjson.Array || !once:
		r.Lose(&f.Wounds, why)
	case why != "":
		r.Damaged.Add(why)
		r.Hurt.Sections++
		fallthrough
	default:
		r.Met.Sections++
	}
	for m := range markets.Items() {
		r.market(&f, m)
	}
	r.Keep(fixture, f.offers, f.Wounds)
}

// joined returns the fixture of the list.
func (r *sheetReader) joined(id string) football.Fixture {
	if listed, ok := r.listing.Joined(r.name, id, r.payload.FetchedAt); ok {
		return listed
	}
	item := decode.Item{ID: id}
	return item.Fixture(r.name, r.payload.FetchedAt)
}

// market reads one market. Two with one id that differ are one RAW market with the rows of
// both.
func (r *sheetReader) market(f *priced, v strictjson.Value) {
	r.Met.Markets++
	id := textOf(v, "id").Or("")
	if !isID(id) {
		r.Damaged.Add("market: without an id")
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
	r.trace.Report(of, provider.FieldMarketID, v.Get("id"))
	r.trace.Report(of, provider.FieldMarketName, v.Get("name"))
	r.trace.Report(of, provider.FieldClaim, v.Get("claim"))
	why := marketShape.fault(v, &r.Unknown)
	c, ok := readClaim(v)
	switch {
	case twice:
		why = "market: its id is there twice"
	case why == "" && !ok:
		why = "market.claim: cannot be read"
	}
	o := input.Offer{Key: id, ProviderIDs: []string{id}, Name: textOf(v, "name")}
	term, _ := football.Lookup(c.market)
	claimed := r.read(&o, c) && o.Reading != nil
	rows := v.Get("selections")
	o.Rows = make([]input.Row, 0, rows.Len())
	for row := range rows.Items() {
		o.Rows = append(o.Rows, r.row(f, row, o.Reading, c))
	}
	if claimed && r.otherMarket(&o, term, f.teams[:]...) {
		o.Reading, o.RawReason = nil, football.ConditionFailed
	}
	if v.Get("suspended").Kind() == strictjson.True {
		for i := range o.Rows {
			o.Rows[i].Suspended = true
		}
	}
	if why != "" {
		r.Damaged.Add(why)
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

// read sets the meaning of a market: that of the account's table, or else the one that is
// claimed. A market has an id of its own even if it is the only one of its meaning now: the
// lines of a ladder may be a market each, and close one by one. It returns true for a claim.
func (r *sheetReader) read(o *input.Offer, c claim) bool {
	e := r.table.ByKey[o.Key]
	if name, ok := o.Name.Get(); ok && e == nil {
		e = r.table.ByName[name]
	}
	if e == nil && c.market != "" {
		o.Reading, o.RawReason = c.reading()
		return true
	}
	o.KnownID = e.KnownID(o.ProviderIDs)
	o.Reading, o.RawReason = r.table.Read(e, o.Key)
	return false
}

// otherMarket reports whether the name of a market, or a label with a number, "Over 9.5 corners",
// says that it is another one than is claimed.
func (r *sheetReader) otherMarket(o *input.Offer, term *football.Term, teams ...string) bool {
	if contradicts(o.Name.Or(""), term, o.Reading.Period, teams...) {
		return true
	}
	for i := range o.Rows {
		for _, l := range o.Rows[i].Labels {
			if strings.ContainsAny(l.Text, "0123456789") && strings.ContainsFunc(l.Text, unicode.IsLetter) && contradicts(l.Text, term, o.Reading.Period, teams...) {
				return true
			}
		}
	}
	return false
}

// row reads one selection. Its labels are in the feed's order.
func (r *sheetReader) row(f *priced, v strictjson.Value, reading *input.Reading, c claim) input.Row {
	row := input.Row{Place: r.trace.Begin(v), ID: textOf(v, "id"), Suspended: v.Get("suspended").Kind() == strictjson.True}
	of := provider.Subject{Row: row.Place}
	labels, odds := v.Get("labels"), v.Get("odds")
	r.Met.Rows++
	r.trace.Report(of, provider.FieldThing, v)
	r.trace.Report(of, provider.FieldSelectionID, v.Get("id"))
	r.trace.Report(of, provider.FieldSuspended, v.Get("suspended"))
	r.trace.Report(of, provider.FieldDecimal, odds.Get("decimal"))
	r.trace.Report(of, provider.FieldFractional, odds.Get("fractional"))
	why := cmp.Or(rowShape.fault(v, &r.Unknown), oddsShape.fault(odds, &r.Unknown))
	for field, text := range labels.Members() {
		if decode.IsWrong(text) || text.Kind() == strictjson.Number || len(text.Text()) > maxText || !isLabel(field) {
			why = cmp.Or(why, "selection.labels: one cannot be used")
		}
		if text.Kind() != strictjson.Null {
			r.trace.Report(of, field, text)
			row.Labels = append(row.Labels, football.Label{Field: field, Text: decode.Clip(text)})
		}
	}
	if labels.Repeats() {
		why = cmp.Or(why, "selection.labels: a key twice")
	}
	if row.Labels == nil { // nothing sent is dropped
		why = cmp.Or(why, "selection.labels: empty")
		row.Labels = []football.Label{{Field: "selection", Text: decode.Clip(v)}}
	}
	row.Decimal = new(decode.Counts).Price(odds, "decimal", "")
	row.Fractional = new(decode.Counts).Price(odds, "fractional", "")
	if reading != nil && reading.Labelled != nil {
		r.trace.Report(of, provider.FieldClaim, v.Get("claim"))
		row.Claim = c.row(reading, v)
	}
	if why != "" {
		r.Damaged.Add(why)
		r.Hurt.Rows++
		f.Hurt = true
		row.Trouble = football.AmbiguousShape
	}
	return row
}
