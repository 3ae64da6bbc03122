// Package bookmaker has the markets offered on a fixture, and their prices. Every price of a
// match is computed from one model of its goals by halves, and moves as time passes. Markets
// have canonical names, selections canonical outcomes and lines.
package bookmaker

import (
	"slices"
	"time"

	"mkt/fetch/simulator/competition"
)

// Lots of the offering. The numbers are part of every world: a changed one changes
// all answers.
const (
	lotNothing    = 201 // the provider returns nothing for the fixture
	lotMissing    = 203 // a market is not offered
	lotCollapsed  = 204 // a market is not loaded with the others
	lotUnpriced   = 205 // a market that is not loaded has no prices at all
	lotOldPart    = 207
	lotOldMarket  = 208
	lotCopySecond = 209
	lotWaysToSell = 219
	lotNoMarkets  = 220
)

// Offering is a provider's offer on a fixture at one moment: which markets, and
// at which prices. Not safe for concurrent use.
type Offering struct {
	Fixture competition.Fixture
	Version int64     // of the prices
	Since   time.Time // when the prices last moved
	prices  *PriceList
}

// priceDelay is how long a price takes from the bookmaker to the provider. It keeps the
// time of every price in the past.
const priceDelay = time.Minute

// NewOffering returns the offering on a fixture, and false if there is none.
func NewOffering(f competition.Fixture, now time.Time) (*Offering, bool) {
	if f.Lot(70, lotNothing) == 0 {
		return nil, false
	}
	o := &Offering{Fixture: f}
	o.Version, o.Since = PricesAt(f, now)
	return o, true
}

// PricesAt returns the version of the prices that the provider has at a moment, and
// when they last moved.
func PricesAt(f competition.Fixture, now time.Time) (int64, time.Time) {
	if now.After(f.KickOff) {
		now = f.KickOff
	}
	return Version(f, now.Add(-priceDelay))
}

// PriceList returns all prices.
func (o *Offering) PriceList() *PriceList {
	if o.prices == nil {
		o.prices = NewPriceList(o.Fixture, o.Version, o.Since)
	}
	return o.prices
}

// Stock says how a market is offered.
type Stock uint8

const (
	NotOffered Stock = iota
	Loaded           // with its prices
	Collapsed        // its prices are loaded by a separate request
	Unpriced         // without any prices
)

// Stock returns how a market is offered. It depends on the tier of the league; any market
// but the match result may be missing.
func (o *Offering) Stock(of Offer) Stock {
	if !o.has(of) {
		return NotOffered
	}
	lot, one := uint64(of), 3
	if offers[of].tier == 3 { // most of the basic markets are loaded
		one = 9
	}
	switch {
	case o.Fixture.Lot(one, lotCollapsed, lot) != 0:
		return Loaded
	case o.Fixture.Lot(4, lotUnpriced, lot) == 0:
		return Unpriced
	}
	return Collapsed
}

// Sells reports whether any of the offers has prices.
func (o *Offering) Sells(offers ...Offer) bool {
	return slices.ContainsFunc(offers, func(of Offer) bool {
		stock := o.Stock(of)
		return stock == Loaded || stock == Collapsed
	})
}

func (o *Offering) has(of Offer) bool {
	g := &offers[of]
	switch {
	case o.Fixture.Lot(60, lotNoMarkets) == 0:
		return false
	case g.tier < o.Fixture.League.Tier:
		return false
	case g.every == 2 || g.every == -2:
		return (o.Fixture.Lot(2, lotWaysToSell) == 0) == (g.every > 0)
	case g.every > 2:
		return o.Fixture.Lot(g.every, lotWaysToSell, uint64(of)) == 0
	}
	return of == matchResult || o.Fixture.Lot(16, lotMissing, uint64(of)) != 0
}

// Copy is one place in which a provider shows a market.
type Copy struct {
	At  time.Time // when it was taken
	Old bool      // taken a little earlier than the others: some prices differ
}

// PartCopy returns the copy in one of the parts, such as sections, that a dialect divides
// an answer into. On every third fixture one part is older than the others.
func (o *Offering) PartCopy(part, parts int) Copy {
	return o.copyAt(o.Fixture.Lot(3*parts, lotOldPart) == part, uint64(part))
}

// MarketCopy returns the copy of a market whose prices are loaded separately.
func (o *Offering) MarketCopy(of Offer) Copy {
	return o.copyAt(o.Fixture.Lot(5, lotOldMarket, uint64(of)) == 0, uint64(of), 1)
}

func (o *Offering) copyAt(old bool, about ...uint64) Copy {
	seconds := o.Fixture.Lot(50, append([]uint64{lotCopySecond}, about...)...)
	c := Copy{At: o.Since.Add(time.Duration(seconds) * time.Second), Old: old}
	if old {
		c.At = c.At.Add(-5 * time.Minute)
	}
	return c
}

// Priced is one row of a market.
type Priced struct {
	Selection        // the price is "" on one row in seven hundred
	Ref       int    // index of the market within the offer
	Hash      uint64 // identifies the row whatever its price is
}

// Prices returns a market's rows in one copy.
func (o *Offering) Prices(of Offer, c Copy) []Priced {
	var rows []Priced
	for i, r := range of.Refs() {
		for _, sel := range o.PriceList().Market(r).Selections {
			p := Priced{Selection: sel, Ref: i, Hash: o.Hash(of, i, sel)}
			switch {
			case p.Hash>>8%700 == 0:
				p.Price = ""
			case c.Old && p.Hash>>16%3 == 0:
				p.Price = nextPrice(p.Price, p.Hash>>20&1 == 0)
			}
			rows = append(rows, p)
		}
	}
	return rows
}

// hashSeed is fixed: hashes must be the same in every process.
const hashSeed = 0x51ed270b

// Hash identifies a selection of one of an offer's markets, independent of its price.
func (o *Offering) Hash(of Offer, ref int, sel Selection) uint64 {
	h := uint64(o.Fixture.Number)*0x9e3779b97f4a7c15 ^ uint64(of)<<32 ^ uint64(ref)<<48 ^ hashSeed
	for _, text := range [...]string{sel.Outcome, sel.Line, sel.Side, sel.Player, sel.Qualifier} {
		for i := 0; i < len(text); i++ {
			h = (h ^ uint64(text[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}
