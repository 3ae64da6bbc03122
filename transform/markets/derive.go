package markets

import (
	"cmp"
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

func (d *Deriver) readRows(o *input.Offer, p plan) {
	d.reader.plan, d.reader.contradicts, d.reader.nobodies = p, false, 0
	d.readings = slices.Grow(d.readings[:0], len(o.Rows))[:len(o.Rows)]
	for i := range o.Rows {
		d.reader.read(&o.Rows[i], &d.readings[i])
	}
}

// verdict returns the reason why the rows do not prove the table's claim, "" if they do.
func (d *Deriver) verdict(o *input.Offer, p *plan) football.Reason {
	read, exactly, drawn, scoreDraw, named := 0, false, false, false, true
	common := d.readings[0].reason
	for i := range d.readings {
		rd := &d.readings[i]
		if rd.twoWay {
			continue
		}
		if rd.reason == "" && !rd.doubtful {
			read++
			exactly = exactly || rd.selection == "EXACTLY"
			scoreDraw = scoreDraw || rd.selection == "SCORE_DRAW"
			drawn = drawn || rd.selection == "DRAW"
			named = named && rd.named
		}
		if rd.reason != common {
			common = football.AmbiguousShape
		}
	}
	switch {
	case d.reader.contradicts:
		return football.AmbiguousShape
	case read == 0 && common == football.UnresolvedQualifier && !d.reader.names.known() && p.player == noPlayer:
		return football.NoParticipants
	case read == 0 && o.Reading.Condition != input.NoCondition:
		return football.ConditionFailed
	case read == 0:
		return cmp.Or(common, football.AmbiguousShape) // all lines are doubtful
	case o.Reading.Condition == input.NeedsExactly && !exactly,
		o.Reading.Condition == input.NeedsScoreDraw && !scoreDraw,
		p.term.NeedsDraw() && !drawn && !slices.ContainsFunc(o.Rows, isDamaged),
		o.Reading.Condition == input.NeedsBands && read < len(d.readings),
		o.Reading.Condition == input.NeedsGoals && (read < len(d.readings) || !named):
		return football.ConditionFailed
	}
	return ""
}

// isDamaged reports whether a row could not be read: it may be any outcome.
func isDamaged(row input.Row) bool { return row.Trouble != "" }

// allTwoWay turns a three-way total without a proven line into the two-way total it contains.
// Rows of neither count as not read.
func (d *Deriver) allTwoWay() {
	for i := range d.readings {
		if rd := &d.readings[i]; !rd.twoWay {
			*rd = reading{reason: cmp.Or(rd.reason, football.AmbiguousShape), twoWay: true}
		}
	}
}

// variant is one canonical market of an offer and its rows. A provider market
// whose rows name the side, the half or the scorer holds several.
type variant struct {
	about  side
	half   string
	market string
	twoWay bool  // the two-way lines of a three-way total
	raw    bool  // rows that belong to none
	rows   []int // in the provider's order
}

// sortVariants splits the rows by their market, in the order of the rows. Unread rows stay with
// the market if there is only one candidate; otherwise they stay RAW.
func (d *Deriver) sortVariants(p *plan) {
	several := p.want&(about|half) != 0 || p.claim.Condition == input.NeedsScorers || p.may&about != 0 && p.fixed == noSide
	for i := range d.variants {
		d.variants[i].rows = d.variants[i].rows[:0]
	}
	d.variants = d.variants[:0]
	if !several {
		v := d.variant(variant{about: p.fixed, twoWay: d.readings[0].twoWay})
		for i := range d.readings {
			if d.readings[i].twoWay != v.twoWay {
				v = d.variant(variant{about: p.fixed, twoWay: d.readings[i].twoWay})
			}
			v.rows = append(v.rows, i)
		}
		return
	}
	for i := range d.readings {
		rd := &d.readings[i]
		v := d.variant(variant{about: rd.about, half: rd.half, market: rd.market, twoWay: rd.twoWay, raw: rd.reason != ""})
		v.rows = append(v.rows, i)
	}
}

// variant finds the variant like w, or begins it.
func (d *Deriver) variant(w variant) *variant {
	for i := range d.variants {
		if v := &d.variants[i]; v.about == w.about && v.half == w.half && v.market == w.market && v.twoWay == w.twoWay && v.raw == w.raw {
			return v
		}
	}
	n := len(d.variants)
	if n < cap(d.variants) { // take over its buffer
		d.variants = d.variants[:n+1]
		w.rows = d.variants[n].rows[:0]
		d.variants[n] = w
	} else {
		d.variants = append(d.variants, w)
	}
	return &d.variants[n]
}
