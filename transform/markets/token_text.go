package markets

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/input"
)

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

func hasLetter(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// phraseAt returns the word of the longest phrase in a list at the beginning of s, and the length
// of the phrase.
func phraseAt(s string, list []input.Phrase) (word string, size int) {
	for i := range list {
		if n := wordPrefix(s, list[i].Text); n > size {
			word, size = list[i].Word, n
		}
	}
	return word, size
}
