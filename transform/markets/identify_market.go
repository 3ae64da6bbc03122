package markets

import (
	"slices"
	"strconv"
	"strings"

	"mkt/publish/football"
	"mkt/transform/identity"
)

// place is where a market's identity comes from: needed when two are alike.
type place struct {
	offer  *football.Offer
	digest identity.Digest
}

func (d *Deriver) place(o *football.Offer, digest identity.Digest) {
	d.places = append(d.places, place{o, digest})
}

// marketIdentity is the digest and the id of the market that o makes of a
// definition. The key the table ranks first, under the provider id the table
// knows, owns the bare id; any other bears a suffix of its own key and id,
// whether or not the first is there.
func (d *Deriver) marketIdentity(o *football.Offer, def identity.Definition) (identity.Digest, football.MarketID) {
	bare := d.minter.Market(d.fixture, def)
	id := ""
	if !knownID(o) {
		id = ownID(o)
	}
	if o.Reading.Rank <= 1 && id == "" {
		return bare, bare.MarketID()
	}
	return d.minter.Other(bare, o.Key, id), bare.MarketID() + d.suffix(o.Key, id)
}

// maxSuffixes bounds what is remembered: keys and ids come from outside.
const maxSuffixes = 10_000

// suffix is what tells provider markets of one definition apart. It is the same
// on every fixture, and is minted once.
func (d *Deriver) suffix(key, id string) football.MarketID {
	name := [2]string{key, id}
	suffix, ok := d.suffixes[name]
	if !ok {
		suffix = football.MarketID("~" + d.minter.Suffix(key, id))
		if len(d.suffixes) < maxSuffixes {
			d.suffixes[[2]string{strings.Clone(key), strings.Clone(id)}] = suffix // they may lie in a payload
		}
	}
	return suffix
}

// knownID tells whether the offer bears the provider market id that the table
// knows for its key, or none at all.
func knownID(o *football.Offer) bool {
	return len(o.ProviderIDs) == 0 || o.Reading.ID != "" && slices.Contains(o.ProviderIDs, o.Reading.ID)
}

// ownID is the provider market id that tells the offer apart: the first when
// there are several, "" when there is none.
func ownID(o *football.Offer) string {
	if len(o.ProviderIDs) == 0 {
		return ""
	}
	return slices.Min(o.ProviderIDs)
}

// separateMarkets gives every market of the fixture an id of its own. Ids are
// distinct already unless the provider repeats one market in two pieces that
// could not be merged; then the piece that comes first by content keeps the id.
func (d *Deriver) separateMarkets() {
	clear(d.met)
	var again []int
	for i := range d.markets {
		if d.met[d.markets[i].ID] {
			again = append(again, i)
		}
		d.met[d.markets[i].ID] = true
	}
	for len(again) > 0 {
		id := d.markets[again[0]].ID
		var alike []int
		for i := range d.markets {
			if d.markets[i].ID == id {
				alike = append(alike, i)
			}
		}
		d.separate(alike)
		again = slices.DeleteFunc(again, func(i int) bool { return slices.Contains(alike, i) })
	}
}

// separate gives all but the first of some alike markets another suffix.
func (d *Deriver) separate(alike []int) {
	slices.SortStableFunc(alike, func(a, b int) int { return d.compareMarkets(a, b) })
	for n, i := range alike[1:] {
		m := &d.markets[i]
		content := d.minter.Again(d.places[i].digest, marketContent(m)...)
		suffix := content.MarketID()[3:11] + football.MarketID(strconv.Itoa(n+1))
		m.ID = m.ID[:identity.IDLength] + "~" + suffix
	}
}

func (d *Deriver) compareMarkets(a, b int) int {
	return slices.Compare(marketContent(&d.markets[a]), marketContent(&d.markets[b]))
}

// marketContent is what tells two alike markets apart, independent of order of
// arrival.
func marketContent(m *football.Market) []string {
	parts := append(slices.Clone(m.ProviderMarketIDs), fieldText(m.Name))
	var rows []string
	for i := range m.Selections {
		s := &m.Selections[i]
		row := football.OfferRow{ID: s.ProviderSelectionID, Labels: s.Labels, Decimal: s.Odds.Decimal(), Fractional: s.Odds.Fractional()}
		rows = append(rows, strings.Join(rowContent(&row), "\x00"))
	}
	slices.Sort(rows)
	return append(parts, rows...)
}
