package markets

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets/price"
	"mkt/transform/markets/suspicion"
	"mkt/transform/markets/token"
	"mkt/transform/markets/wording"
)

// emitter makes the markets of a fixture. It keeps buffers.
type emitter struct {
	ids        ids
	duplicates duplicates
	quotes     suspicion.Quotes
	levels     levels
	numbers    []token.Quarters // lines of the market at hand

	markets   []football.Market
	allocated []football.Selection // every selection of the fixture

	// The fixture at hand, and the memory given back by the one before.
	lent            []football.Selection
	lentMarkets     []football.Market
	released        []football.Selection
	releasedMarkets []football.Market
}

func newEmitter(m *identity.Minter) emitter {
	return emitter{ids: newIDs(m), duplicates: duplicates{met: make(map[football.MarketID]bool)}, levels: make(levels)}
}

// begin prepares for the markets of a fixture.
func (d *emitter) begin(f *football.Fixture, offers []input.Offer) {
	rows := 0
	for i := range offers {
		rows += len(offers[i].Rows)
	}
	d.ids.begin(f)
	d.duplicates.begin()
	if d.markets = d.releasedMarkets; d.markets == nil {
		d.markets = make([]football.Market, 0, len(offers)+len(offers)/4)
	}
	if d.allocated = d.released; cap(d.allocated) < rows {
		d.allocated = make([]football.Selection, 0, rows)
	}
	d.released, d.releasedMarkets = nil, nil
}

// end returns the markets of the fixture.
func (d *emitter) end() []football.Market {
	d.duplicates.separate(d.markets, &d.ids)
	d.ids.nameSelections(d.allocated)
	markets := d.markets
	d.markets, d.allocated, d.lent, d.lentMarkets = nil, nil, d.allocated, d.markets
	return markets
}

// release takes the memory of the last result back.
func (d *emitter) release() {
	clear(d.lent)
	clear(d.lentMarkets)
	d.released, d.lent = d.lent[:0], nil
	d.releasedMarkets, d.lentMarkets = d.lentMarkets[:0], nil
}

// mapped emits a variant as a market of the canonical definition.
func (d *emitter) mapped(of *part, p *wording.Plan, v *variant) {
	o := of.offer
	def := identity.Definition{Canonical: p.Claim.Market, Period: p.Claim.Period, Subject: v.about.String(), Parameter: p.Claim.Parameter}
	if v.market != "" {
		def.Canonical = v.market
	}
	if v.half != "" {
		def.Period = v.half
	}
	digest, id := d.ids.mapped(o, def, p.Claim.Rank)
	selections := d.nextSelections(of.len())
	for k := range selections {
		fill(&selections[k], of.row(k), of.reading(k), p)
	}
	if p.Term.Grid {
		placeInGrid(selections, of)
	}
	d.levels.check(selections, of, p)
	d.ids.identify(&digest, selections, of)
	for k := range selections {
		price.Judge(&selections[k], of.row(k), of.reading(k).Reason)
	}
	d.quotes.Disprove(def.Canonical, selections)
	d.duplicates.add(place{o, digest, len(d.allocated) - len(selections)})
	d.markets = append(d.markets, football.Market{
		ID: id, Canonical: def.Canonical, Period: def.Period, Name: o.Name, Sections: o.Sections,
		Lines: d.lines(selections, of, p), Origin: football.Mapped, Selections: selections,
		ProviderMarketIDs: o.ProviderIDs, Key: o.Key, Rule: p.Claim.Rule, Ordinal: len(d.markets),
	})
}

// fill fills in the words of the row; identity and quality come later.
func fill(s *football.Selection, row *input.Row, rd *wording.Reading, p *wording.Plan) {
	s.Dimension = p.Term.Dimension
	provenance(s, row)
	if rd.Reason != "" {
		s.Selection = words(row.Labels)
		return
	}
	s.Selection, s.Qualifier, s.Subject, s.Subject2 = rd.Selection, rd.Qualifier, rd.Subject, rd.Subject2
	if rd.HasLine {
		s.Line = ownLine(rd, p)
	}
}

// ownLine is the line of the selection itself: an asian handicap is its own side's, a european
// one is the home side's for all three.
//
// Source: canonical vocabulary, section 3.
func ownLine(rd *wording.Reading, p *wording.Plan) string {
	switch {
	case !p.Signed:
		return rd.Line.Total()
	case rd.Side == wording.Away && p.Term.Line == football.AsianHandicap:
		return (-rd.Line).Handicap()
	}
	return rd.Line.Handicap()
}

// lines lists the distinct reliable lines, in numeric order, handicaps as the home side's.
func (d *emitter) lines(selections []football.Selection, of *part, p *wording.Plan) []string {
	all := d.numbers[:0]
	for k := range selections {
		rd := of.reading(k)
		reasons := selections[k].Quality.Reasons
		if rd.Reason == "" && rd.HasLine && !slices.Contains(reasons, football.AmbiguousShape) && !slices.Contains(reasons, football.UnreadableLine) {
			all = append(all, rd.Line)
		}
	}
	d.numbers = all
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	all = slices.Compact(all)
	lines := make([]string, len(all))
	for i, q := range all {
		if lines[i] = q.Total(); p.Signed {
			lines[i] = q.Handicap()
		}
	}
	return lines
}

func placeInGrid(selections []football.Selection, of *part) {
	grids := make([]football.Grid, of.len())
	for k := range selections {
		if rd := of.reading(k); rd.Reason == "" && rd.Row != "" {
			grids[k] = football.Grid{Row: rd.Row, Column: rd.Column}
			selections[k].Grid = &grids[k]
		}
	}
}

// raw emits rows of an offer under the provider's own name.
func (d *emitter) raw(of *part, reason football.Reason) {
	o := of.offer
	digest := d.ids.raw(o)
	selections := d.nextSelections(of.len())
	for k := range selections {
		row := of.row(k)
		selections[k].Selection = words(row.Labels)
		provenance(&selections[k], row)
	}
	d.ids.identify(&digest, selections, of)
	for k := range selections {
		row := of.row(k)
		price.AddReason(&selections[k], football.MarketNotMapped)
		reason := row.Trouble
		if rd := of.reading(k); rd != nil {
			reason = rd.Reason
		}
		price.Judge(&selections[k], row, reason)
	}
	d.duplicates.add(place{o, digest, len(d.allocated) - len(selections)})
	d.markets = append(d.markets, football.Market{
		ID: digest.MarketID(), Name: o.Name, Sections: o.Sections, Origin: football.Raw, Selections: selections,
		ProviderMarketIDs: o.ProviderIDs, Key: o.Key, RawReason: reason, Ordinal: len(d.markets),
	})
}

// nextSelections returns the next n of the selections that were allocated for the fixture, one for each row.
func (d *emitter) nextSelections(n int) []football.Selection {
	first := len(d.allocated)
	d.allocated = d.allocated[:first+n]
	return d.allocated[first : first+n : first+n]
}

// provenance keeps the provider's own values of the row.
func provenance(s *football.Selection, row *input.Row) {
	s.ProviderSelectionID = row.ID
	s.Labels = row.Labels
	s.Place = row.Place
	s.Odds = football.NewOdds(row.Fractional, row.Decimal)
}

// words are the provider's own words for a row, column heads first.
func words(labels []football.Label) string {
	if len(labels) == 1 {
		return strings.TrimSpace(labels[0].Text)
	}
	var b strings.Builder
	for _, heads := range []bool{true, false} {
		for i := range labels {
			t := strings.TrimSpace(labels[i].Text)
			if t == "" || (labels[i].Field == input.HeadField) != heads {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t)
		}
	}
	return b.String()
}
