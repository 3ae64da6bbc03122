package price

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// DecimalField and OtherField are the fields of two labels. They keep a decimal that is no plain
// number, and a price which is neither a decimal nor a fraction.
const (
	DecimalField = "decimal"
	OtherField   = "price"
)

// StatusOf is the verdict from the reasons.
func StatusOf(reasons []football.Reason) football.Status {
	if len(reasons) == 0 {
		return football.StatusOK
	}
	for _, r := range reasons {
		switch r {
		case football.UnreadableLine, football.UnresolvedQualifier, football.OddsUnreadable:
			return football.StatusUnreadable
		}
	}
	return football.StatusSuspect
}

// single has the lists of one reason. They are shared and never appended to in place: their
// capacity is their length.
var single = func() map[football.Reason][]football.Reason {
	all := make(map[football.Reason][]football.Reason)
	for _, r := range football.QualityReasons() {
		all[r] = []football.Reason{r}
	}
	return all
}()

// AddReason adds r to the selection's reasons, sorted, each once. "" is none.
func AddReason(s *football.Selection, r football.Reason) {
	old := s.Quality.Reasons
	if r == "" || slices.Contains(old, r) {
		return
	}
	if one := single[r]; len(old) == 0 && one != nil {
		s.Quality.Reasons = one
		return
	}
	s.Quality.Reasons = append(slices.Clip(slices.Clone(old)), r)
	slices.Sort(s.Quality.Reasons)
}

// SameTerms reports whether two rows offer the same odds and are both suspended
// or both open.
func SameTerms(a, b *input.Row) bool {
	return a.Decimal == b.Decimal && a.Fractional == b.Fractional && a.OtherPrice == b.OtherPrice && a.Suspended == b.Suspended
}

// Judge sets the selection's quality from the result of the reading, the price and its state. It
// changes the odds in one case: a decimal that is no JSON number cannot be published as one, and
// becomes a label.
func Judge(s *football.Selection, row *input.Row, reading football.Reason) {
	AddReason(s, reading)
	decimal, has := row.Decimal.Get()
	plain := has && football.PlainDecimal(decimal)
	AddReason(s, priceReason(row, plain))
	AddReason(s, row.PriceTrouble)
	if row.Suspended {
		AddReason(s, football.Suspended)
	}
	if has && !plain {
		s.Odds = football.NewOdds(row.Fractional, football.NullField[string]())
		s.Labels = append(slices.Clone(row.Labels), football.Label{Field: DecimalField, Text: decimal})
	}
	if other, has := row.OtherPrice.Get(); has {
		s.Labels = append(slices.Clone(s.Labels), football.Label{Field: OtherField, Text: other})
	}
	s.Quality.Status = StatusOf(s.Quality.Reasons)
	s.Quality.Publishable = len(s.Quality.Reasons) == 0
}
