package markets

import (
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// place has the sources of a market's identity, for distinguishing two alike markets.
type place struct {
	offer  *input.Offer
	digest identity.Digest
	first  int // the place of its first selection among the fixture's selections
}

func (d *Deriver) place(o *input.Offer, digest identity.Digest, selections int) {
	d.places = append(d.places, place{o, digest, len(d.allocated) - selections})
}

// separateMarkets gives every market of the fixture an id of its own. Ids are distinct already,
// unless the provider sends one market in two pieces that could not be merged. Then the first
// piece by content keeps the id.
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

// separate gives all but the first of some alike markets another suffix, by their content and
// never by their prices. Pieces that only differ in a price are numbered in the provider's
// order, and none of them can be trusted.
func (d *Deriver) separate(alike []int) {
	content := make(map[int][]string, len(alike))
	for _, i := range alike {
		content[i] = marketContent(&d.markets[i])
	}
	slices.SortStableFunc(alike, func(a, b int) int { return slices.Compare(content[a], content[b]) })
	for from := 0; from < len(alike); {
		to := from + 1
		for to < len(alike) && slices.Equal(content[alike[to]], content[alike[from]]) {
			to++
		}
		d.markAlike(alike[from:to])
		for n, i := range alike[from:to] {
			if from+n == 0 {
				continue
			}
			m := &d.markets[i]
			digest := d.minter.Duplicate(d.places[i].digest, append(content[i], strconv.Itoa(n))...)
			m.ID = m.ID[:identity.IDLength] + "~" + digest.MarketID()[3:11]
			d.remint(&digest, d.places[i].first, len(m.Selections))
		}
		from = to
	}
}

// remint makes the ids of a market's selections again, below another digest. first is the place
// of the first one of the fixture. Their old ids also belong to the market that keeps its id.
func (d *Deriver) remint(market *identity.Digest, first, number int) {
	for k := first; k < first+number; k++ {
		id := d.ids[k*identity.IDLength : (k+1)*identity.IDLength]
		digest := d.minter.Duplicate(*market, string(id))
		copy(id, digest.AppendSelectionID(nil))
	}
}

// markAlike marks the selections of markets with the same content but different prices or states.
func (d *Deriver) markAlike(alike []int) {
	first := marketTerms(&d.markets[alike[0]])
	differs := func(i int) bool { return !slices.Equal(marketTerms(&d.markets[i]), first) }
	if !slices.ContainsFunc(alike[1:], differs) {
		return
	}
	for _, i := range alike {
		for k := range d.markets[i].Selections {
			s := &d.markets[i].Selections[k]
			addReason(s, football.AmbiguousShape)
			s.Quality.Status, s.Quality.Publishable = statusOf(s.Quality.Reasons), false
		}
	}
}

// marketContent distinguishes two alike markets, without their order and prices.
func marketContent(m *football.Market) []string {
	parts := append(slices.Clone(m.ProviderMarketIDs), fieldText(m.Name))
	return append(parts, sortedRows(m, func(*football.Selection) []string { return nil })...)
}

// marketTerms are a market's rows with their prices and reasons, without their order.
func marketTerms(m *football.Market) []string {
	return sortedRows(m, func(s *football.Selection) []string {
		terms := []string{fieldText(s.Odds.Decimal()), fieldText(s.Odds.Fractional())}
		for _, r := range s.Quality.Reasons {
			terms = append(terms, string(r))
		}
		return terms
	})
}

func sortedRows(m *football.Market, more func(*football.Selection) []string) []string {
	rows := make([]string, 0, len(m.Selections))
	for i := range m.Selections {
		s := &m.Selections[i]
		row := input.Row{ID: s.ProviderSelectionID, Labels: s.Labels}
		for n := len(row.Labels); n > 0 && (row.Labels[n-1].Field == decimalField || row.Labels[n-1].Field == otherField); n-- {
			row.Labels = row.Labels[:n-1] // a price kept by judge as a label
		}
		rows = append(rows, strings.Join(append(rowContent(&row), more(s)...), "\x00"))
	}
	slices.Sort(rows)
	return rows
}
