package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minAbbreviation is the least number of letters of an abbreviated team's word: "Man City".
const minAbbreviation = 3

// IsShort reports whether every word of a text is a word of a team's name, in full or
// abbreviated, without accents.
func IsShort(text, name string) bool {
	words, short := nameWords(name), nameWords(text)
	for _, w := range short {
		if !slices.ContainsFunc(words, func(full string) bool { return w == full || isAbbreviation(w, full) }) {
			return false
		}
	}
	return len(short) > 0
}

// isAbbreviation reports whether a text has some letters of a word in their order, the first
// among them: "Utd", "Nottm".
func isAbbreviation(text, word string) bool {
	rest := word
	for i, r := range text {
		at := strings.IndexRune(rest, r)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		rest = rest[at+utf8.RuneLen(r):]
	}
	return utf8.RuneCountInString(text) >= minAbbreviation
}

// nameWords are the words and numbers of a team's name, folded.
func nameWords(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) })
	for i, w := range words {
		if strings.IndexFunc(w, unicode.IsDigit) < 0 {
			words[i] = foldWord(w)
		}
	}
	return words
}

var foldLetters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ß", "ss", "æ", "ae", "œ", "oe", "þ", "th", "ı", "i")

// foldWord is a word in lower case without accents and punctuation, for
// comparison. "Player's" is "player".
func foldWord(w string) string {
	ascii := true
	for i := 0; i < len(w) && ascii; i++ {
		c := w[i] | 0x20
		ascii = c >= 'a' && c <= 'z'
	}
	if ascii {
		return strings.ToLower(w)
	}
	for _, s := range []string{"'s", "’s"} {
		w = strings.TrimSuffix(w, s)
	}
	w = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKD.String(w))
	return foldLetters.Replace(w)
}
