package token

import (
	"strconv"
	"strings"
)

// Quarters is a line in quarters of one: 2.75 is 11. Lines are never floats.
type Quarters int32

// maxLine bounds a line: 999.75.
const maxLine = 3999

// Signs describes the signs of a written line.
type Signs uint8

const (
	Unsigned Signs = iota // no part has a sign
	signed                // a part has one
)

// ParseLine reads a line in any of the known spellings: "2.5", "3", "3.0", "+0.5", "-1.00",
// "2.75", and split lines "2.5, 3.0", "2.0,2.5", "2/2.5", "0.0, -0.5", which are the mean of
// their parts. It refuses a split line whose parts are not 0.5 apart or not multiples of 0.5, a
// fraction that is no quarter, and anything left over.
func ParseLine(s string) (line Quarters, sign Signs, ok bool) {
	s = strings.Trim(s, " ")
	cut := strings.IndexByte(s, ',')
	if cut < 0 {
		cut = strings.IndexByte(s, '/')
	}
	if cut < 0 {
		n, hasSign, ok := ParseNumber(s)
		if hasSign {
			sign = signed
		}
		return n, sign, ok
	}
	a, signA, okA := ParseNumber(strings.TrimRight(s[:cut], " "))
	b, signB, okB := ParseNumber(strings.TrimLeft(s[cut+1:], " "))
	if !okA || !okB || a%2 != 0 || b%2 != 0 || a-b != 2 && b-a != 2 {
		return 0, Unsigned, false
	}
	if signA || signB { // "+0.5,1": the parts are 0.5 apart only if the one without a sign has a plus
		sign = signed
	}
	return (a + b) / 2, sign, true
}

// Handicap reports whether a line written with these signs can be a handicap: without a sign
// nobody knows the favoured side.
func (s Signs) Handicap(q Quarters) bool { return s == signed || s == Unsigned && q == 0 }

// ParseNumber reads one multiple of a quarter.
func ParseNumber(s string) (n Quarters, hasSign, ok bool) {
	if s == "" {
		return 0, false, false
	}
	negative := s[0] == '-'
	hasSign = negative || s[0] == '+'
	if hasSign {
		s = s[1:]
	}
	whole, fraction, point := strings.Cut(s, ".")
	if len(whole) == 0 || len(whole) > 3 || len(whole) > 1 && whole[0] == '0' {
		return 0, false, false
	}
	for i := 0; i < len(whole); i++ {
		if whole[i] < '0' || whole[i] > '9' {
			return 0, false, false
		}
		n = n*10 + Quarters(whole[i]-'0')
	}
	n *= 4
	if point {
		switch fraction {
		case "0", "00":
		case "25":
			n++
		case "5", "50":
			n += 2
		case "75":
			n += 3
		default:
			return 0, false, false
		}
	}
	if negative {
		n = -n
	}
	return n, hasSign, true
}

// Total is the line without sign: "2.75", "3".
func (q Quarters) Total() string {
	if q >= 0 && int(q) < len(totals) {
		return totals[q]
	}
	return formatQuarters(q)
}

// Handicap is the line with its sign: "-0.75", "+1", "0".
func (q Quarters) Handicap() string {
	if i := int(q) + len(handicaps)/2; i >= 0 && i < len(handicaps) {
		return handicaps[i]
	}
	return formatHandicap(q)
}

func formatHandicap(q Quarters) string {
	if q > 0 {
		return "+" + formatQuarters(q)
	}
	return formatQuarters(q)
}

func formatQuarters(q Quarters) string {
	sign, n := "", int(q)
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + strconv.Itoa(n/4) + [4]string{"", ".25", ".5", ".75"}[n%4]
}

// The usual lines: naming one allocates nothing.
var (
	totals    = makeStrings(0, 241, formatQuarters)
	handicaps = makeStrings(-60, 61, formatHandicap)
	numbers   = makeStrings(0, 121, func(q Quarters) string { return strconv.Itoa(int(q)) })
)

func makeStrings(from, to Quarters, format func(Quarters) string) []string {
	s := make([]string, 0, to-from)
	for q := from; q < to; q++ {
		s = append(s, format(q))
	}
	return s
}

// Number is a small whole number in digits.
func Number(n int) string {
	if n >= 0 && n < len(numbers) {
		return numbers[n]
	}
	return strconv.Itoa(n)
}
