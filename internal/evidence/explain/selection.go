package explain

import (
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// notTexts are the fields of a row without a descriptive text.
var notTexts = []string{provider.FieldThing, provider.FieldSelectionID, provider.FieldDecimal, provider.FieldFractional,
	provider.FieldPacked, provider.FieldSuspended, provider.FieldClaim}

func (m *marketTrace) selection() {
	s, r := m.found.selection, m.found.market
	m.report.Kind = "selection"
	m.report.Title = title(&m.found.fixture) + ": " + marketName(r) + " " + strings.TrimSpace(valueOr(s.Selection, "")+" "+valueOr(s.Line, ""))
	place := m.place()
	if place == 0 && m.read.Offered.Number > 0 {
		m.report.doubt("its row was not found in the payload" + m.otherRules())
	}
	of := provider.Subject{Row: place}
	m.value(provider.FieldDecimal, s.OddsDecimalText, s.Absent, ruleVerbatim, m.orRow(of, provider.FieldDecimal))
	m.value(provider.FieldFractional, s.OddsFractional, s.Absent, ruleVerbatim, m.orRow(of, provider.FieldFractional, provider.FieldPacked))
	texts := m.texts(of)
	rule := ruleToken
	switch claim := m.from(of, provider.FieldClaim); {
	case r.Market == nil || s.Selection != nil && m.isUnread():
		rule = ruleRaw
	case len(claim) > 0 && !m.isOwnRule():
		rule, texts = ruleClaim, claim
	}
	for _, v := range []struct {
		field string
		value *string
	}{{"selection", s.Selection}, {"line", s.Line}, {"qualifier", s.Qualifier}, {"subject", s.Subject}, {"subject_2", s.Subject2},
		{"grid.row", s.GridRow}, {"grid.column", s.GridColumn}} {
		if v.value != nil {
			m.value(v.field, v.value, nil, rule, texts)
		}
	}
	if s.Dimension != nil {
		m.value("dimension", s.Dimension, nil, "what the market counts, by the vocabulary", nil)
	}
	m.value(provider.FieldSelectionID, s.ProviderSelectionID, s.Absent, ruleVerbatim, m.orRow(of, provider.FieldSelectionID))
	m.value("market", r.Market, nil, m.mappingRule(), m.pieces(m.read.Offered,
		provider.Subject{Fixture: m.found.fixture.ProviderFixtureID, Market: r.ProviderMarketKey}, provider.FieldMarketName))
	m.quality(of)
}

// from returns the places of fields of the row, none if the row is unknown.
func (m *marketTrace) from(of provider.Subject, fields ...string) []Piece {
	if of.Row == 0 {
		return nil
	}
	return m.pieces(m.read.Offered, of, fields...)
}

// orRow is like [marketTrace.from], but returns the whole row if it has none of the fields: that is
// the evidence of their absence.
func (m *marketTrace) orRow(of provider.Subject, fields ...string) []Piece {
	if found := m.from(of, fields...); len(found) > 0 {
		return found
	}
	return m.from(of, provider.FieldThing)
}

func (m *marketTrace) texts(of provider.Subject) (from []Piece) {
	if of.Row == 0 {
		return nil
	}
	for _, p := range m.pieces(m.read.Offered, of) {
		if !slices.Contains(notTexts, p.Says) {
			from = append(from, p)
		}
	}
	return from
}

func (m *marketTrace) isUnread() bool {
	for _, reason := range m.found.selection.Reasons {
		switch football.Reason(reason) {
		case football.AmbiguousShape, football.UnresolvedQualifier, football.UnreadableLine:
			return m.found.selection.Line == nil
		}
	}
	return false
}

// quality explains the verdict and each reason, with the fields concerned.
func (m *marketTrace) quality(of provider.Subject) {
	s := m.found.selection
	m.value("quality.status", &s.QualityStatus, nil, "OK if there is no reason against it; publishable is the same", nil)
	for _, reason := range s.Reasons {
		b := reasons[football.Reason(reason)]
		words := b.words
		if football.Reason(reason) == football.MarketNotMapped {
			words += ": " + whyRaw[football.Reason(valueOr(m.found.market.RawReason, ""))]
		}
		var from []Piece
		for _, field := range b.fields {
			switch field {
			case "label":
				from = append(from, m.texts(of)...)
			case "odds":
				from = append(from, m.from(of, provider.FieldDecimal, provider.FieldFractional, provider.FieldPacked)...)
			default:
				from = append(from, m.from(of, field)...)
			}
		}
		m.value("quality.reasons", &reason, nil, words, from)
	}
}
