package api

import (
	"slices"

	"mkt/publish/football"
	"mkt/publish/table"
)

// AppendMarket appends a market with its selections (specification, section 2.7).
func AppendMarket(dst []byte, m *table.MarketRow) []byte {
	raw := m.OriginType == string(football.Raw)
	dst = addText(dst, `{"market_id":`, m.MarketID)
	dst = addTextOrNull(dst, `,"market":`, m.Market)
	dst = addTextOrNull(dst, `,"market_name":`, m.MarketName)
	dst = addTextOrNull(dst, `,"period":`, m.Period)
	dst = addTexts(dst, `,"sections":`, m.Sections)
	dst = addTexts(dst, `,"lines":`, m.Lines)
	dst = addText(dst, `,"origin_type":`, m.OriginType)
	dst = addText(dst, `,"derivation":{"version":`, m.DerivationVersion)
	dst = addInt(dst, `},"selection_count":`, int64(m.SelectionCount))
	dst = append(dst, `,"selections":`...)
	dst = appendArray(dst, m.Selections, func(dst []byte, s *table.SelectionRow) []byte { return appendSelection(dst, s, raw) })
	dst = addTexts(dst, `,"provenance":{"provider_market_ids":`, m.ProviderMarketIDs)
	dst = addAbsent(dst, m.Absent)
	return append(dst, `}}`...)
}

// appendSelection appends a selection (specification, section 2.8). If the service does
// not vouch for its own reading, the provider's texts are added.
func appendSelection(dst []byte, s *table.SelectionRow, raw bool) []byte {
	dst = addNonEmpty(dst, `{"selection_id":`, s.SelectionID)
	dst = addTextOrNull(dst, `,"selection":`, s.Selection)
	dst = addTextOrNull(dst, `,"line":`, s.Line)
	dst = addTextOrNull(dst, `,"qualifier":`, s.Qualifier)
	dst = addTextOrNull(dst, `,"odds":{"fractional":`, s.OddsFractional)
	dst = addDigits(dst, `,"decimal":`, s.OddsDecimalText)
	dst = addTextOrNull(dst, `},"dimension":`, s.Dimension)
	dst = addTextOrNull(dst, `,"subject":`, s.Subject)
	dst = addTextOrNull(dst, `,"subject_2":`, s.Subject2)
	if s.GridRow == nil && s.GridColumn == nil {
		dst = append(dst, `,"grid":null`...)
	} else {
		dst = addTextOrNull(dst, `,"grid":{"row":`, s.GridRow)
		dst = addTextOrNull(dst, `,"column":`, s.GridColumn)
		dst = append(dst, `}`...)
	}
	dst = addText(dst, `,"quality":{"status":`, s.QualityStatus)
	dst = addBool(dst, `,"publishable":`, s.Publishable)
	dst = addTexts(dst, `,"reasons":`, s.Reasons)
	dst = addTextOrNull(dst, `},"provenance":{"provider_selection_id":`, s.ProviderSelectionID)
	dst = addAbsent(dst, s.Absent)
	if raw || !s.Publishable {
		dst = addLabels(dst, s.Labels)
	}
	return append(dst, `}}`...)
}

// addLabels adds the optional key with the provider's own texts for a selection, by
// field. If a field occurs twice, the first text is used.
func addLabels(dst []byte, labels []table.LabelRow) []byte {
	if len(labels) == 0 {
		return dst
	}
	dst = append(dst, `,"labels":{`...)
	for i, l := range labels {
		if slices.ContainsFunc(labels[:i], func(other table.LabelRow) bool { return other.Field == l.Field }) {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = addText(appendString(dst, l.Field), ":", l.Text)
	}
	return append(dst, '}')
}
