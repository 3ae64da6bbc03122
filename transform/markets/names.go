package markets

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// side is one of the three results, or the side of a row.
type side uint8

const (
	noSide side = iota
	home
	draw
	away
)

var sideWords = [...]string{"", "HOME", "DRAW", "AWAY"}

func (s side) String() string { return sideWords[s] }

// participants are the fixture's own names, ready to be compared; "" if the provider sent none. A
// name in a row only counts if it is one of them, byte for byte after trimming and Unicode
// normalisation (NFC).
type participants struct{ home, away string }

func participantsOf(f *football.Fixture) participants {
	return participants{home: clean(f.Home.Or("")), away: clean(f.Away.Or(""))}
}

// known reports whether a row may name its side by name.
func (p *participants) known() bool { return p.home != "" && p.away != "" }

// clean trims blanks and line breaks and puts text into NFC.
func clean(s string) string {
	s, _ = cleanText(s)
	return s
}

// cleanText is clean, and reports whether brackets close. Most texts are plain
// and come back as they are.
func cleanText(s string) (text string, closed bool) {
	depth, plain := 0, true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c >= 0x80:
			plain = false
		}
	}
	if !plain {
		s = norm.NFC.String(s)
	}
	if s == "" || plain && s[0] > ' ' && s[len(s)-1] > ' ' {
		return s, depth == 0
	}
	return strings.TrimSpace(s), depth == 0
}

// sideMatch is one way to read the beginning of a text as a side.
type sideMatch struct {
	size int32 // bytes
	side side
}

// sideMatches has room for both names and a word.
type sideMatches [3]sideMatch

// sidesAt lists every way to read the beginning of s as a side: the two names,
// and the dialect's codes and words. Two ways are possible when one name begins
// with the other, or when a team is called like a word.
func (r *rowReader) sidesAt(s string, into *sideMatches) []sideMatch {
	n := 0
	add := func(side side, size int) {
		if size > 0 {
			into[n] = sideMatch{int32(size), side}
			n++
		}
	}
	add(home, namePrefix(s, r.names.home))
	add(away, namePrefix(s, r.names.away))
	word, size := r.plan.phraseAt(s, input.Sides)
	switch word {
	case "HOME":
		add(home, size)
	case "DRAW":
		add(draw, size)
	case "AWAY":
		add(away, size)
	}
	return into[:n]
}

// isCode reports whether text is exactly one of the dialect's codes for a side.
func (p *plan) isCode(text string) bool {
	_, size := p.phraseAt(text, input.Sides)
	return size == 1 && len(text) == 1
}

// namePrefix is the length of name when s begins with it, else 0.
func namePrefix(s, name string) int {
	if name != "" && strings.HasPrefix(s, name) && endsWord(s, len(name)) {
		return len(name)
	}
	return 0
}

// wordPrefix is the length of word when s begins with it in any ASCII case,
// else 0. Words are ASCII.
func wordPrefix(s, word string) int {
	if len(s) < len(word) {
		return 0
	}
	for i := 0; i < len(word); i++ {
		if a, b := s[i], word[i]; a != b && (a|0x20 != b|0x20 || a|0x20 < 'a' || a|0x20 > 'z') {
			return 0
		}
	}
	if !endsWord(s, len(word)) {
		return 0
	}
	return len(word)
}

// endsWord reports whether a token of s may end before position n. A dash or a
// point does not end one: "1-0" is no side, "Over-Water" no over.
func endsWord(s string, n int) bool {
	if n >= len(s) {
		return true
	}
	switch s[n] {
	case ' ', '&', '/', '(', ')':
		return true
	}
	return false
}
