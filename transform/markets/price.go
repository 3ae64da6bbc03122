package markets

import (
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// decimalField and otherField are the fields of two labels. They keep a decimal that is no plain
// number, and a price which is neither a decimal nor a fraction.
const (
	decimalField = "decimal"
	otherField   = "price"
)

// judge sets the selection's quality from the result of the reading, the price and its state. It
// changes the odds in one case: a decimal that is no JSON number cannot be published as one, and
// becomes a label.
func (d *Deriver) judge(s *football.Selection, row *input.Row, reading football.Reason) {
	addReason(s, reading)
	decimal, has := row.Decimal.Get()
	plain := has && football.PlainDecimal(decimal)
	addReason(s, priceReason(row, plain))
	addReason(s, row.PriceTrouble)
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

// statusOf is the verdict from the reasons.
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

// priceReason returns the fault of the price, "" if there is none. plain reports whether there is
// a decimal, and it is a plain number.
func priceReason(row *input.Row, plain bool) football.Reason {
	decimal, hasDecimal := row.Decimal.Get()
	fraction, hasFraction := row.Fractional.Get()
	_, hasOther := row.OtherPrice.Get()
	switch {
	case hasOther, hasDecimal && (!plain || decimal[0] == '0'), // a price includes the stake
		hasFraction && !isFraction(fraction):
		return football.OddsUnreadable
	case hasDecimal && decimalWinsNothing(decimal), hasFraction && fractionWinsNothing(fraction):
		return football.OddsNoOffer
	case hasDecimal || hasFraction:
		return ""
	case row.Decimal.State() == football.Null || row.Fractional.State() == football.Null:
		return football.OddsNull
	}
	return football.OddsMissing
}

// A price below 1.001 (1/1000) is no offer: a bet could win nothing. Bookmakers write 1.00 for
// stopped selections, and providers cut 1.004 to it; nobody knows which it is. 1.001 is the least
// price seen with three places.
//
// decimalWinsNothing reports whether a plain decimal of at least 1 is such a price.
func decimalWinsNothing(decimal string) bool {
	whole, places, _ := strings.Cut(decimal, ".")
	return whole == "1" && strings.Trim(places[:min(3, len(places))], "0") == ""
}

// fractionWinsNothing reports whether a price accepted by isFraction is such a price.
func fractionWinsNothing(fraction string) bool {
	win, stake, _ := strings.Cut(fraction, "/")
	w, _ := strconv.Atoi(win)
	s, _ := strconv.Atoi(stake)
	return 1000*w < s
}

// isFraction reports whether s is "a/b", both whole and b not zero.
func isFraction(s string) bool {
	win, stake, ok := strings.Cut(s, "/")
	return ok && isWhole(win) && isWhole(stake) && strings.Trim(stake, "0") != ""
}

func isWhole(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == ""
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
