// Package token reads the parts of a row's text: numbers, lines, scores, bands, and the words of a
// provider's dialect.
package token

import (
	"strings"

	"mkt/fetch/input"
)

// A token is read at the beginning of a text: its canonical word and its length. Length 0 means
// no token.

// DigitsAt reads up to three digits.
func DigitsAt(s string) (n, size int) {
	for size < len(s) && size < 4 && s[size] >= '0' && s[size] <= '9' {
		n = n*10 + int(s[size]-'0')
		size++
	}
	if size == 4 || size > 1 && s[0] == '0' {
		return 0, 0
	}
	return n, size
}

// blanks returns the number of blanks at the beginning of s, and whether there are any.
func blanks(s string) (size int, ok bool) {
	for size < len(s) && s[size] == ' ' {
		size++
	}
	return size, size > 0
}

// CountAt reads "3", "7+", "7 or more": a number, the last one open.
func (p Dialect) CountAt(s string) (word string, size int) {
	n, size := DigitsAt(s)
	if size == 0 {
		return "", 0
	}
	if size < len(s) && s[size] == '+' && EndsWord(s, size+1) {
		return Number(n) + "+", size + 1
	}
	if !EndsWord(s, size) {
		return "", 0
	}
	if _, more := p.PhraseAt(s[size:], input.OpenCounts); more > 0 {
		return Number(n) + "+", size + more
	}
	return Number(n), size
}

// AtLeastAt reads "more 4" as 4+.
func (p Dialect) AtLeastAt(s string) (word string, size int) {
	mark, size := p.PhraseAt(s, input.AtLeast)
	if size == 0 {
		return "", 0
	}
	n, size := NumberAfter(s, size)
	if size == 0 {
		return "", 0
	}
	return Number(n) + mark, size
}

// BandAt reads a band of whole numbers: "6 - 8", "6-8", "6 to 8", "2 or 3",
// "7+", "Under 6" (0-5), "Over 14" (15+).
func (p Dialect) BandAt(s string) (word string, size int) {
	if word, n := p.PhraseAt(s, input.OverUnder); n > 0 {
		bound, size := NumberAfter(s, n)
		switch {
		case size == 0 || word == "UNDER" && bound < 2:
			return "", 0
		case word == "UNDER":
			return "0-" + Number(bound-1), size
		}
		return Number(bound+1) + "+", size
	}
	from, to, size, or := p.PairAt(s)
	switch {
	case size == 0:
		if word, size = p.CountAt(s); strings.HasSuffix(word, "+") {
			return word, size
		}
		return "", 0
	case from >= to, or && to != from+1, !EndsWord(s, size):
		return "", 0
	}
	return Number(from) + "-" + Number(to), size
}

// NumberAfter reads blanks and a whole number of s from position at; size
// counts from the beginning of s.
func NumberAfter(s string, at int) (n, size int) {
	gap, ok := blanks(s[at:])
	if !ok {
		return 0, 0
	}
	n, digits := DigitsAt(s[at+gap:])
	if digits == 0 || !EndsWord(s, at+gap+digits) {
		return 0, 0
	}
	return n, at + gap + digits
}

// PairAt reads two numbers with "-", "to" or "or" between them.
func (p Dialect) PairAt(s string) (from, to, size int, or bool) {
	from, size = DigitsAt(s)
	if size == 0 {
		return 0, 0, 0, false
	}
	gap, _ := blanks(s[size:])
	rest := s[size+gap:]
	join := 1
	if !strings.HasPrefix(rest, "-") {
		var joiner string
		if joiner, join = p.PhraseAt(rest, input.Joiners); join == 0 || gap == 0 {
			return 0, 0, 0, false
		}
		or = joiner == "OR"
	}
	gapAfter, _ := blanks(rest[join:])
	to, digits := DigitsAt(rest[join+gapAfter:])
	if digits == 0 {
		return 0, 0, 0, false
	}
	return from, to, size + gap + join + gapAfter + digits, or
}

// BracketAt reads a bracket of minutes of play: "1-10", "81 - Full Time" (81+),
// "46+".
func (p Dialect) BracketAt(s string) (word string, size int) {
	if from, to, size, or := p.PairAt(s); size > 0 {
		if or || from >= to || !EndsWord(s, size) {
			return "", 0
		}
		return Number(from) + "-" + Number(to), size
	}
	n, digits := DigitsAt(s)
	if digits == 0 {
		return "", 0
	}
	if _, end := p.PhraseAt(s[digits:], input.OpenBrackets); end > 0 {
		return Number(n) + "+", digits + end
	}
	if strings.HasPrefix(s[digits:], "+") && EndsWord(s, digits+1) {
		return Number(n) + "+", digits + 1
	}
	return "", 0
}

// ScoreAt reads "2-1" or "2:1".
func ScoreAt(s string) (a, b, size int) {
	a, n := DigitsAt(s)
	if n == 0 || n > 2 || n >= len(s) || s[n] != '-' && s[n] != ':' {
		return 0, 0, 0
	}
	b, m := DigitsAt(s[n+1:])
	size = n + 1 + m
	if m == 0 || m > 2 || !EndsWord(s, size) {
		return 0, 0, 0
	}
	return a, b, size
}

// ScoreWord is "h-a".
func ScoreWord(h, a int) string {
	if h < len(scores) && a < len(scores) {
		return scores[h][a]
	}
	return Number(h) + "-" + Number(a)
}

var scores = makeScores()

func makeScores() (s [12][12]string) {
	for h := range s {
		for a := range s[h] {
			s[h][a] = Number(h) + "-" + Number(a)
		}
	}
	return s
}

// ClockAt reads "27:00", a minute of play and a second.
func ClockAt(s string) (size int) {
	_, n := DigitsAt(s)
	if n == 0 || len(s) < n+3 || s[n] != ':' || s[n+1] < '0' || s[n+1] > '5' || s[n+2] < '0' || s[n+2] > '9' {
		return 0
	}
	if size = n + 3; size < len(s) && s[size] != ' ' {
		return 0
	}
	return size
}

// LineAt reads a line, split or not; see ParseLine.
func LineAt(s string) (line Quarters, sign Signs, size int) {
	size = NumeralAt(s)
	if size == 0 {
		return 0, Unsigned, 0
	}
	end := size
	for end < len(s) && s[end] == ' ' {
		end++
	}
	if end < len(s) && (s[end] == ',' || s[end] == '/') {
		gap, _ := blanks(s[end+1:])
		if second := NumeralAt(s[end+1+gap:]); second > 0 {
			size = end + 1 + gap + second
		}
	}
	if !EndsWord(s, size) {
		return 0, Unsigned, 0
	}
	line, sign, ok := ParseLine(s[:size])
	if !ok {
		return 0, Unsigned, 0
	}
	return line, sign, size
}

// NumeralAt is the length of a number with or without sign.
func NumeralAt(s string) (size int) {
	if size < len(s) && (s[size] == '+' || s[size] == '-') {
		size++
	}
	start := size
	for size < len(s) && (s[size] >= '0' && s[size] <= '9' || s[size] == '.') {
		size++
	}
	if size == start {
		return 0
	}
	return size
}
