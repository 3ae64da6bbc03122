package token

import (
	"strings"

	"mkt/fetch/input"
)

// Dialect reads tokens in the words of a provider.
type Dialect struct{ *input.Dialect }

// PhraseAt looks in a list of the dialect.
func (p Dialect) PhraseAt(s string, list input.Phrases) (word string, size int) {
	return PhraseAt(s, p.Phrases[list])
}

// AfterPhrase returns the text after a phrase for a word at the beginning of s, without the
// blanks in between. There must be blanks.
func (p Dialect) AfterPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	found, n := p.PhraseAt(s, list)
	if found != word || n == 0 || n == len(s) {
		return "", false
	}
	return strings.TrimLeft(s[n:], " "), true
}

// CutPhrase returns the text after a phrase for a word. The phrase must be at the beginning of s
// letter by letter.
func (p Dialect) CutPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	for _, phrase := range p.Phrases[list] {
		if phrase.Word == word && strings.HasPrefix(s, phrase.Text) {
			return s[len(phrase.Text):], true
		}
	}
	return "", false
}

// IsCode reports whether text is exactly one of the dialect's codes for a side.
func (p Dialect) IsCode(text string) bool {
	_, size := p.PhraseAt(text, input.Sides)
	return size == 1 && len(text) == 1
}
