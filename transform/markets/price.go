package markets

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// decimalField and otherField are the fields of the labels that keep a decimal which
// is no plain number, and a price that is neither a decimal nor a fraction.
const (
	decimalField = "decimal"
	otherField   = "price"
)

// judge sets the selection's quality from what reading found, and from the
// price and its state. It touches the odds in one case: a decimal that is no
// JSON number cannot leave as one, and becomes a label.
func (d *Deriver) judge(s *football.Selection, row *input.Row, reading football.Reason) {
	addReason(s, reading)
	decimal, has := row.Decimal.Get()
	plain := has && football.PlainDecimal(decimal)
	addReason(s, priceReason(row, plain))
	if row.Suspended {
		addReason(s, football.Suspended)
	}
	if has && !plain {
		s.Odds = football.NewOdds(row.Fractional, football.NullField[string]())
		s.Labels = append(slices.Clone(row.Labels), football.Label{Field: decimalField, Text: decimal})
	}
	if other, has := row.OtherPrice.Get(); has {
		s.Labels = append(slices.Clone(s.Labels), football.Label{Field: otherField, Text: other})
	}
	s.Quality.Status = statusOf(s.Quality.Reasons)
	s.Quality.Publishable = len(s.Quality.Reasons) == 0
}

// statusOf is the verdict that reasons make.
func statusOf(reasons []football.Reason) football.Status {
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

// priceReason is what is wrong with the price, "" when nothing is. plain tells
// that a decimal is there and a plain number.
func priceReason(row *input.Row, plain bool) football.Reason {
	decimal, hasDecimal := row.Decimal.Get()
	fraction, hasFraction := row.Fractional.Get()
	_, hasOther := row.OtherPrice.Get()
	switch {
	case hasOther, hasDecimal && (!plain || decimal[0] == '0'), // a price includes the stake
		hasFraction && !isFraction(fraction):
		return football.OddsUnreadable
	case hasDecimal || hasFraction:
		return ""
	case row.Decimal.State() == football.Null || row.Fractional.State() == football.Null:
		return football.OddsNull
	}
	return football.OddsMissing
}

// isFraction tells whether s is "a/b", both whole and not zero.
func isFraction(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '/' {
			return isPositive(s[:i]) && isPositive(s[i+1:])
		}
	}
	return false
}

func isPositive(s string) bool {
	zero := true
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
		zero = zero && s[i] == '0'
	}
	return !zero && len(s) <= 9
}

// single are the lists of one reason. They are shared and never appended to in
// place: their capacity is their length.
var single = func() map[football.Reason][]football.Reason {
	all := make(map[football.Reason][]football.Reason)
	for _, r := range football.QualityReasons() {
		all[r] = []football.Reason{r}
	}
	return all
}()

// addReason adds r to the selection's reasons, sorted, each once. "" is none.
func addReason(s *football.Selection, r football.Reason) {
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
