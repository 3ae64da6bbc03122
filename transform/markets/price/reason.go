package price

import (
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// priceReason returns the fault of the price, "" if there is none. plain is true if the row has a
// decimal price that is a plain number.
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
