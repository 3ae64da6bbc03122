package api

import (
	"mkt/publish/football"
	"mkt/publish/table"
)

// AppendMarket appends a market with its selections (specification, section 2.7).
func AppendMarket(dst []byte, m *table.MarketRow) []byte {
	dst = append(dst, `{"market_id":`...)
	dst = appendString(dst, m.MarketID)
	dst = append(dst, `,"market":`...)
	dst = appendStringOrNull(dst, m.Market)
	dst = append(dst, `,"market_name":`...)
	dst = appendStringOrNull(dst, m.MarketName)
	dst = append(dst, `,"period":`...)
	dst = appendStringOrNull(dst, m.Period)
	dst = append(dst, `,"sections":`...)
	dst = appendStrings(dst, m.Sections)
	dst = append(dst, `,"lines":`...)
	dst = appendStrings(dst, m.Lines)
	dst = append(dst, `,"origin_type":`...)
	dst = appendString(dst, m.OriginType)
	dst = append(dst, `,"derivation":{"version":`...)
	dst = appendString(dst, m.DerivationVersion)
	dst = append(dst, `},"selection_count":`...)
	dst = appendInt(dst, int64(m.SelectionCount))
	dst = append(dst, `,"selections":[`...)
	raw := m.OriginType == string(football.Raw)
	for i := range m.Selections {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSelection(dst, &m.Selections[i], raw)
	}
	dst = append(dst, `],"provenance":{"provider_market_ids":`...)
	dst = appendStrings(dst, m.ProviderMarketIDs)
	dst = appendAbsent(dst, m.Absent)
	return append(dst, "}}"...)
}

// appendSelection appends a selection (specification, section 2.8). Where the
// service does not vouch for its own reading, the provider's words go along.
func appendSelection(dst []byte, s *table.SelectionRow, raw bool) []byte {
	dst = append(dst, `{"selection_id":`...)
	if s.SelectionID == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, s.SelectionID)
	}
	dst = append(dst, `,"selection":`...)
	dst = appendStringOrNull(dst, s.Selection)
	dst = append(dst, `,"line":`...)
	dst = appendStringOrNull(dst, s.Line)
	dst = append(dst, `,"qualifier":`...)
	dst = appendStringOrNull(dst, s.Qualifier)
	dst = append(dst, `,"odds":{"fractional":`...)
	dst = appendStringOrNull(dst, s.OddsFractional)
	dst = append(dst, `,"decimal":`...)
	dst = appendDigits(dst, s.OddsDecimalText)
	dst = append(dst, `},"dimension":`...)
	dst = appendStringOrNull(dst, s.Dimension)
	dst = append(dst, `,"subject":`...)
	dst = appendStringOrNull(dst, s.Subject)
	dst = append(dst, `,"subject_2":`...)
	dst = appendStringOrNull(dst, s.Subject2)
	dst = append(dst, `,"grid":`...)
	dst = appendGrid(dst, s.GridRow, s.GridColumn)
	dst = append(dst, `,"quality":{"status":`...)
	dst = appendString(dst, s.QualityStatus)
	dst = append(dst, `,"publishable":`...)
	dst = appendBool(dst, s.Publishable)
	dst = append(dst, `,"reasons":`...)
	dst = appendStrings(dst, s.Reasons)
	dst = append(dst, `},"provenance":{"provider_selection_id":`...)
	dst = appendStringOrNull(dst, s.ProviderSelectionID)
	dst = appendAbsent(dst, s.Absent)
	if raw || !s.Publishable {
		dst = appendLabels(dst, s.Labels)
	}
	return append(dst, "}}"...)
}

// appendDigits writes a price as the JSON number of the provider's own digits:
// 1.90 stays 1.90. What is no plain number has no number form: null.
func appendDigits(dst []byte, digits *string) []byte {
	if digits == nil || !football.PlainDecimal(*digits) {
		return append(dst, "null"...)
	}
	return append(dst, *digits...)
}

func appendGrid(dst []byte, row, column *string) []byte {
	if row == nil && column == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"row":`...)
	dst = appendStringOrNull(dst, row)
	dst = append(dst, `,"column":`...)
	dst = appendStringOrNull(dst, column)
	return append(dst, '}')
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// appendLabels appends the optional key with the provider's own words for a
// selection, field to text. A field that comes twice keeps its first text: JSON
// objects have one.
func appendLabels(dst []byte, labels []table.LabelRow) []byte {
	if len(labels) == 0 {
		return dst
	}
	dst = append(dst, `,"labels":{`...)
	for i, l := range labels {
		if labelled(labels[:i], l.Field) {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, l.Field)
		dst = append(dst, ':')
		dst = appendString(dst, l.Text)
	}
	return append(dst, '}')
}

func labelled(labels []table.LabelRow, field string) bool {
	for _, l := range labels {
		if l.Field == field {
			return true
		}
	}
	return false
}
