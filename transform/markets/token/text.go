package token

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/input"
)

// Clean trims blanks and line breaks and puts text into NFC.
func Clean(s string) string {
	s, _ = CleanText(s)
	return s
}

// CleanText is clean, and reports whether brackets close. Most texts are plain
// and come back as they are.
func CleanText(s string) (text string, closed bool) {
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

// WordPrefix is the length of word when s begins with it in any ASCII case,
// else 0. Words are ASCII.
func WordPrefix(s, word string) int {
	if len(s) < len(word) {
		return 0
	}
	for i := 0; i < len(word); i++ {
		if a, b := s[i], word[i]; a != b && (a|0x20 != b|0x20 || a|0x20 < 'a' || a|0x20 > 'z') {
			return 0
		}
	}
	if !EndsWord(s, len(word)) {
		return 0
	}
	return len(word)
}

// EndsWord reports whether a token of s may end before position n. A dash or a
// point does not end one: "1-0" is no side, "Over-Water" no over.
func EndsWord(s string, n int) bool {
	if n >= len(s) {
		return true
	}
	switch s[n] {
	case ' ', '&', '/', '(', ')':
		return true
	}
	return false
}

// HasLetter reports whether a text has a letter.
func HasLetter(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// PhraseAt returns the word of the longest phrase in a list at the beginning of s, and the length
// of the phrase.
func PhraseAt(s string, list []input.Phrase) (word string, size int) {
	for i := range list {
		if n := WordPrefix(s, list[i].Text); n > size {
			word, size = list[i].Word, n
		}
	}
	return word, size
}
