package markets

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// Deriver turns a provider's offers into canonical markets. It keeps buffers:
// one goroutine at a time. Its results are the caller's, unless Release is called.
type Deriver struct {
	minter *identity.Minter
	reader rowReader
	claims map[*input.Reading]*claimed

	readings []reading         // of the offer at hand, by row
	digests  []identity.Digest // of the market at hand, by selection
	seen     seenSet
	ids      []byte                     // selection ids of the fixture, one behind the other
	met      map[football.MarketID]bool // of the fixture at hand
	numbers  []quarters                 // lines of the market at hand
	quotes   quotes                     // of the market at hand
	levels   map[quarters]sideSet       // the sides with a handicap, of the market at hand
	suffixes map[[2]string]football.MarketID

	fixture   identity.Digest
	markets   []football.Market
	places    []place
	allocated []football.Selection // every selection of the fixture

	// The fixture at hand, and the memory given back by the one before.
	lent            []football.Selection
	lentMarkets     []football.Market
	released        []football.Selection
	releasedMarkets []football.Market
	variants        []variant
}

// New returns a deriver that mints with m, and owns m from then on.
func New(m *identity.Minter) *Deriver {
	return &Deriver{minter: m, reader: rowReader{verdicts: make(map[string]bool)}, claims: make(map[*input.Reading]*claimed), met: make(map[football.MarketID]bool), levels: make(map[quarters]sideSet),
		suffixes: make(map[[2]string]football.MarketID)}
}

// Derive returns the fixture's markets in the provider's order. An offer without rows was listed
// without prices: it is no market. Every other offer becomes at least one market, and every row
// is in exactly one selection.
func (d *Deriver) Derive(f *football.Fixture, offers []input.Offer) []football.Market {
	rows := 0
	for i := range offers {
		rows += len(offers[i].Rows)
	}
	d.fixture = d.minter.Fixture(f.ProviderFixtureID)
	d.reader.begin(f)
	if d.markets = d.releasedMarkets; d.markets == nil {
		d.markets = make([]football.Market, 0, len(offers)+len(offers)/4)
	}
	if d.allocated = d.released; cap(d.allocated) < rows {
		d.allocated = make([]football.Selection, 0, rows)
	}
	d.released, d.releasedMarkets = nil, nil
	d.ids, d.places = d.ids[:0], d.places[:0]
	for i := range offers {
		if len(offers[i].Rows) > 0 {
			d.offer(&offers[i])
		}
	}
	d.separateMarkets()
	d.nameSelections()
	markets := d.markets
	d.markets, d.allocated, d.lent, d.lentMarkets = nil, nil, d.allocated, d.markets
	return markets
}

// Release gives back the last result of Derive, which must not be used any more. The next fixture
// uses its memory.
func (d *Deriver) Release() {
	clear(d.lent)
	clear(d.lentMarkets)
	d.released, d.lent = d.lent[:0], nil
	d.releasedMarkets, d.lentMarkets = d.lentMarkets[:0], nil
}

// Derive calls [New] and [Deriver.Derive], for a single fixture.
func Derive(m *identity.Minter, f football.Fixture, offers []input.Offer) []football.Market {
	return New(m).Derive(&f, offers)
}

// offer derives one offer with rows.
func (d *Deriver) offer(o *input.Offer) {
	if o.Reading == nil {
		reason := o.RawReason
		if reason == "" {
			reason = football.UnknownMarket
		}
		d.raw(o, nil, reason)
		return
	}
	claim := d.claimOf(o.Reading)
	if !claim.ok {
		d.raw(o, nil, football.NeverMapped)
		return
	}
	p, twoWay := claim.plan, claim.plan
	d.reader.known = claim.known
	d.readRows(o, p)
	d.proveSides(o)
	if p.threeWay {
		d.proveTotals(o)
	}
	if o.Reading.Shape&input.SignByPrices != 0 && !d.proveSign(o, &p) {
		d.raw(o, nil, football.AmbiguousShape)
		return
	}
	reason := d.verdict(o, &p)
	hasTwoWay := o.TwoWay != nil && slices.ContainsFunc(d.readings, func(rd reading) bool { return rd.twoWay })
	if reason != "" && !hasTwoWay {
		d.raw(o, nil, reason)
		return
	}
	if hasTwoWay {
		twoWay = d.claimOf(o.TwoWay).plan
	}
	if reason != "" {
		d.allTwoWay()
	}
	d.sortVariants(&p)
	for i := range d.variants {
		switch v := &d.variants[i]; {
		case v.raw:
			d.raw(o, v.rows, football.MixedMarket)
		case v.twoWay:
			d.mapped(o, &twoWay, v)
		default:
			d.mapped(o, &p, v)
		}
	}
}
