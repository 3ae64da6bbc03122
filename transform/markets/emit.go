package markets

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/identity"
)

// mapped emits a variant as a market of the canonical definition.
func (d *Deriver) mapped(o *input.Offer, p *plan, v *variant) {
	def := identity.Definition{Canonical: p.claim.Market, Period: p.claim.Period, Subject: v.about.String(), Parameter: p.claim.Parameter}
	if v.market != "" {
		def.Canonical = v.market
	}
	if v.half != "" {
		def.Period = v.half
	}
	digest, id := d.marketIdentity(o, def, p.claim.Rank)
	selections := d.nextSelections(len(v.rows))
	for k, i := range v.rows {
		d.selection(&selections[k], &o.Rows[i], &d.readings[i], p)
	}
	if p.term.Grid {
		d.placeInGrid(selections, v.rows)
	}
	d.checkLines(selections, v.rows, p)
	d.identify(&digest, selections, o, v.rows)
	for k, i := range v.rows {
		d.judge(&selections[k], &o.Rows[i], d.readings[i].reason)
	}
	d.disprove(def.Canonical, selections)
	d.place(o, digest, len(selections))
	d.markets = append(d.markets, football.Market{
		ID: id, Canonical: def.Canonical, Period: def.Period, Name: o.Name, Sections: o.Sections,
		Lines: d.lines(selections, v.rows, p), Origin: football.Mapped, Selections: selections,
		ProviderMarketIDs: o.ProviderIDs, Key: o.Key, Rule: p.claim.Rule, Ordinal: len(d.markets),
	})
}

// selection fills in the words of the row; identity and quality come later.
func (d *Deriver) selection(s *football.Selection, row *input.Row, rd *reading, p *plan) {
	s.Dimension = p.term.Dimension
	d.provenance(s, row)
	if rd.reason != "" {
		s.Selection = words(row.Labels)
		return
	}
	s.Selection, s.Qualifier, s.Subject, s.Subject2 = rd.selection, rd.qualifier, rd.subject, rd.subject2
	if rd.hasLine {
		s.Line = ownLine(rd, p)
	}
}

// ownLine is the line of the selection itself: an asian handicap is its own side's, a european
// one is the home side's for all three.
//
// Source: canonical vocabulary, section 3.
func ownLine(rd *reading, p *plan) string {
	switch {
	case !p.signed:
		return rd.line.total()
	case rd.side == away && p.term.Line == football.AsianHandicap:
		return (-rd.line).handicap()
	}
	return rd.line.handicap()
}

// lines lists the distinct reliable lines, in numeric order, handicaps as the home side's.
func (d *Deriver) lines(selections []football.Selection, rows []int, p *plan) []string {
	all := d.numbers[:0]
	for k, i := range rows {
		rd := &d.readings[i]
		reasons := selections[k].Quality.Reasons
		if rd.reason == "" && rd.hasLine && !slices.Contains(reasons, football.AmbiguousShape) && !slices.Contains(reasons, football.UnreadableLine) {
			all = append(all, rd.line)
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
		if lines[i] = q.total(); p.signed {
			lines[i] = q.handicap()
		}
	}
	return lines
}

func (d *Deriver) placeInGrid(selections []football.Selection, rows []int) {
	grids := make([]football.Grid, len(rows))
	for k, i := range rows {
		if rd := &d.readings[i]; rd.reason == "" && rd.row != "" {
			grids[k] = football.Grid{Row: rd.row, Column: rd.column}
			selections[k].Grid = &grids[k]
		}
	}
}

// raw emits rows of an offer under the provider's own name; all of them when
// rows is nil.
func (d *Deriver) raw(o *input.Offer, rows []int, reason football.Reason) {
	digest := d.minter.RawMarket(d.fixture, sentKey(o), ownID(o))
	n := len(rows)
	if rows == nil {
		n = len(o.Rows)
	}
	selections := d.nextSelections(n)
	for k := range selections {
		row := &o.Rows[at(rows, k)]
		selections[k].Selection = words(row.Labels)
		d.provenance(&selections[k], row)
	}
	d.identify(&digest, selections, o, rows)
	for k := range selections {
		row := &o.Rows[at(rows, k)]
		addReason(&selections[k], football.MarketNotMapped)
		reason := row.Trouble
		if rows != nil {
			reason = d.readings[rows[k]].reason
		}
		d.judge(&selections[k], row, reason)
	}
	d.place(o, digest, len(selections))
	d.markets = append(d.markets, football.Market{
		ID: digest.MarketID(), Name: o.Name, Sections: o.Sections, Origin: football.Raw, Selections: selections,
		ProviderMarketIDs: o.ProviderIDs, Key: o.Key, RawReason: reason, Ordinal: len(d.markets),
	})
}

// nextSelections returns the next n of the selections that were allocated for the fixture, one for each row.
func (d *Deriver) nextSelections(n int) []football.Selection {
	first := len(d.allocated)
	d.allocated = d.allocated[:first+n]
	return d.allocated[first : first+n : first+n]
}

// at is row number k of rows; nil stands for all of them.
func at(rows []int, k int) int {
	if rows == nil {
		return k
	}
	return rows[k]
}

// provenance keeps the provider's own values of the row.
func (d *Deriver) provenance(s *football.Selection, row *input.Row) {
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
