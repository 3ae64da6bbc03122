// Package price judges the price of a row, and returns prices as numbers for comparisons. It never
// changes odds.
package price

import (
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// LeastPair is the least sum of the chances of two outcomes that are a bet by themselves. Beside an
// unlikely third outcome, such as Exactly, they have up to 1.024.
const LeastPair = 1.03

// Of is a selection's price as a decimal number, 0 if it has none. It is only used for the
// comparisons of prices.
func Of(s *football.Selection) float64 { return In(s.Odds.Decimal(), s.Odds.Fractional()) }

// In returns a price as a decimal number, 0 if there is none.
func In(decimal, fractional football.Field[string]) float64 {
	if text, ok := decimal.Get(); ok {
		whole, scale := 0.0, 0.0
		for i := 0; i < len(text); i++ {
			c := text[i]
			switch {
			case c == '.' && scale == 0:
				scale = 1
				continue
			case c < '0' || c > '9':
				return 0
			}
			whole = whole*10 + float64(c-'0')
			scale *= 10
		}
		if scale > 1 {
			whole /= scale
		}
		return whole
	}
	over, under, ok := strings.Cut(fractional.Or(""), "/")
	a, okA := wholeNumber(over)
	b, okB := wholeNumber(under)
	if !ok || !okA || !okB || b == 0 {
		return 0
	}
	return 1 + a/b
}

func wholeNumber(s string) (n float64, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + float64(s[i]-'0')
	}
	return n, len(s) > 0
}

// Chance is the chance according to a row's price, 0 if it has none.
func Chance(row *input.Row) float64 {
	if text, ok := row.Decimal.Get(); ok && !football.PlainDecimal(text) {
		return 0
	}
	price := In(row.Decimal, row.Fractional)
	if price <= 1 {
		return 0
	}
	return 1 / price
}
