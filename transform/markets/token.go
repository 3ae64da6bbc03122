package markets

import (
	"strings"

	"mkt/fetch/input"
)

// A token is read at the beginning of a text: its canonical word and its length. Length 0 means
// no token.

// digitsAt reads up to three digits.
func digitsAt(s string) (n, size int) {
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

// countAt reads "3", "7+", "7 or more": a number, the last one open.
func (p dialect) countAt(s string) (word string, size int) {
	n, size := digitsAt(s)
	if size == 0 {
		return "", 0
	}
	if size < len(s) && s[size] == '+' && endsWord(s, size+1) {
		return number(n) + "+", size + 1
	}
	if !endsWord(s, size) {
		return "", 0
	}
	if _, more := p.phraseAt(s[size:], input.OpenCounts); more > 0 {
		return number(n) + "+", size + more
	}
	return number(n), size
}

// atLeastAt reads "more 4" as 4+.
func (p dialect) atLeastAt(s string) (word string, size int) {
	mark, size := p.phraseAt(s, input.AtLeast)
	if size == 0 {
		return "", 0
	}
	n, size := numberAfter(s, size)
	if size == 0 {
		return "", 0
	}
	return number(n) + mark, size
}

// bandAt reads a band of whole numbers: "6 - 8", "6-8", "6 to 8", "2 or 3",
// "7+", "Under 6" (0-5), "Over 14" (15+).
func (p dialect) bandAt(s string) (word string, size int) {
	if word, n := p.phraseAt(s, input.OverUnder); n > 0 {
		bound, size := numberAfter(s, n)
		switch {
		case size == 0 || word == "UNDER" && bound < 2:
			return "", 0
		case word == "UNDER":
			return "0-" + number(bound-1), size
		}
		return number(bound+1) + "+", size
	}
	from, to, size, or := p.pairAt(s)
	switch {
	case size == 0:
		if word, size = p.countAt(s); strings.HasSuffix(word, "+") {
			return word, size
		}
		return "", 0
	case from >= to, or && to != from+1, !endsWord(s, size):
		return "", 0
	}
	return number(from) + "-" + number(to), size
}

// numberAfter reads blanks and a whole number of s from position at; size
// counts from the beginning of s.
func numberAfter(s string, at int) (n, size int) {
	gap, ok := blanks(s[at:])
	if !ok {
		return 0, 0
	}
	n, digits := digitsAt(s[at+gap:])
	if digits == 0 || !endsWord(s, at+gap+digits) {
		return 0, 0
	}
	return n, at + gap + digits
}

// pairAt reads two numbers with "-", "to" or "or" between them.
func (p dialect) pairAt(s string) (from, to, size int, or bool) {
	from, size = digitsAt(s)
	if size == 0 {
		return 0, 0, 0, false
	}
	gap, _ := blanks(s[size:])
	rest := s[size+gap:]
	join := 1
	if !strings.HasPrefix(rest, "-") {
		var joiner string
		if joiner, join = p.phraseAt(rest, input.Joiners); join == 0 || gap == 0 {
			return 0, 0, 0, false
		}
		or = joiner == "OR"
	}
	gapAfter, _ := blanks(rest[join:])
	to, digits := digitsAt(rest[join+gapAfter:])
	if digits == 0 {
		return 0, 0, 0, false
	}
	return from, to, size + gap + join + gapAfter + digits, or
}

// bracketAt reads a bracket of minutes of play: "1-10", "81 - Full Time" (81+),
// "46+".
func (p dialect) bracketAt(s string) (word string, size int) {
	if from, to, size, or := p.pairAt(s); size > 0 {
		if or || from >= to || !endsWord(s, size) {
			return "", 0
		}
		return number(from) + "-" + number(to), size
	}
	n, digits := digitsAt(s)
	if digits == 0 {
		return "", 0
	}
	if _, end := p.phraseAt(s[digits:], input.OpenBrackets); end > 0 {
		return number(n) + "+", digits + end
	}
	if strings.HasPrefix(s[digits:], "+") && endsWord(s, digits+1) {
		return number(n) + "+", digits + 1
	}
	return "", 0
}

// scoreAt reads "2-1" or "2:1".
func scoreAt(s string) (a, b, size int) {
	a, n := digitsAt(s)
	if n == 0 || n > 2 || n >= len(s) || s[n] != '-' && s[n] != ':' {
		return 0, 0, 0
	}
	b, m := digitsAt(s[n+1:])
	size = n + 1 + m
	if m == 0 || m > 2 || !endsWord(s, size) {
		return 0, 0, 0
	}
	return a, b, size
}

// scoreWord is "h-a".
func scoreWord(h, a int) string {
	if h < len(scores) && a < len(scores) {
		return scores[h][a]
	}
	return number(h) + "-" + number(a)
}

var scores = makeScores()

func makeScores() (s [12][12]string) {
	for h := range s {
		for a := range s[h] {
			s[h][a] = number(h) + "-" + number(a)
		}
	}
	return s
}

// clockAt reads "27:00", a minute of play and a second.
func clockAt(s string) (size int) {
	_, n := digitsAt(s)
	if n == 0 || len(s) < n+3 || s[n] != ':' || s[n+1] < '0' || s[n+1] > '5' || s[n+2] < '0' || s[n+2] > '9' {
		return 0
	}
	if size = n + 3; size < len(s) && s[size] != ' ' {
		return 0
	}
	return size
}

// lineAt reads a line, split or not; see parseLine.
func lineAt(s string) (line quarters, sign signs, size int) {
	size = numeralAt(s)
	if size == 0 {
		return 0, unsigned, 0
	}
	end := size
	for end < len(s) && s[end] == ' ' {
		end++
	}
	if end < len(s) && (s[end] == ',' || s[end] == '/') {
		gap, _ := blanks(s[end+1:])
		if second := numeralAt(s[end+1+gap:]); second > 0 {
			size = end + 1 + gap + second
		}
	}
	if !endsWord(s, size) {
		return 0, unsigned, 0
	}
	line, sign, ok := parseLine(s[:size])
	if !ok {
		return 0, unsigned, 0
	}
	return line, sign, size
}

// numeralAt is the length of a number with or without sign.
func numeralAt(s string) (size int) {
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
