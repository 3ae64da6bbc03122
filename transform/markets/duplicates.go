package markets

import (
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets/price"
)

// place has the sources of a market's identity, for distinguishing two alike markets.
type place struct {
	offer  *input.Offer
	digest identity.Digest
	first  int // the place of its first selection among the fixture's selections
}

// duplicates separates the markets of a fixture that share an id.
type duplicates struct {
	places []place
	met    map[football.MarketID]bool
}

func (d *duplicates) begin() { d.places = d.places[:0] }

// add records the sources of the next market.
func (d *duplicates) add(p place) { d.places = append(d.places, p) }

// separate separates the markets that share an id. Ids are distinct already, unless the provider sends one market in two pieces that could not be merged. Then the first
// piece by content keeps the id.
func (d *duplicates) separate(markets []football.Market, ids *ids) {
	clear(d.met)
	var again []int
	for i := range markets {
		if d.met[markets[i].ID] {
			again = append(again, i)
		}
		d.met[markets[i].ID] = true
	}
	for len(again) > 0 {
		id := markets[again[0]].ID
		var alike []int
		for i := range markets {
			if markets[i].ID == id {
				alike = append(alike, i)
			}
		}
		d.separateAlike(markets, alike, ids)
		again = slices.DeleteFunc(again, func(i int) bool { return slices.Contains(alike, i) })
	}
}

// separateAlike gives all but the first of some alike markets another suffix, by their content and
// never by their prices. Pieces that only differ in a price are numbered in the provider's
// order, and none of them can be trusted.
func (d *duplicates) separateAlike(markets []football.Market, alike []int, ids *ids) {
	content := make(map[int][]string, len(alike))
	for _, i := range alike {
		content[i] = marketContent(&markets[i])
	}
	slices.SortStableFunc(alike, func(a, b int) int { return slices.Compare(content[a], content[b]) })
	for from := 0; from < len(alike); {
		to := from + 1
		for to < len(alike) && slices.Equal(content[alike[to]], content[alike[from]]) {
			to++
		}
		markAlike(markets, alike[from:to])
		for n, i := range alike[from:to] {
			if from+n == 0 {
				continue
			}
			m := &markets[i]
			digest := ids.minter.Duplicate(d.places[i].digest, append(content[i], strconv.Itoa(n))...)
			m.ID = m.ID[:identity.IDLength] + "~" + digest.MarketID()[3:11]
			ids.remint(&digest, d.places[i].first, len(m.Selections))
		}
		from = to
	}
}

// markAlike marks the selections of markets with the same content but different prices or states.
func markAlike(markets []football.Market, alike []int) {
	first := marketTerms(&markets[alike[0]])
	differs := func(i int) bool { return !slices.Equal(marketTerms(&markets[i]), first) }
	if !slices.ContainsFunc(alike[1:], differs) {
		return
	}
	for _, i := range alike {
		for k := range markets[i].Selections {
			s := &markets[i].Selections[k]
			price.AddReason(s, football.AmbiguousShape)
			s.Quality.Status, s.Quality.Publishable = price.StatusOf(s.Quality.Reasons), false
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
		for n := len(row.Labels); n > 0 && (row.Labels[n-1].Field == price.DecimalField || row.Labels[n-1].Field == price.OtherField); n-- {
			row.Labels = row.Labels[:n-1] // a price kept by judge as a label
		}
		rows = append(rows, strings.Join(append(rowContent(&row), more(s)...), "\x00"))
	}
	slices.Sort(rows)
	return rows
}
