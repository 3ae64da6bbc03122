package markets

import (
	"strings"

	"mkt/fetch/input"
)

// dialect reads tokens in the words of a provider.
type dialect struct{ *input.Dialect }

// phraseAt looks in a list of the dialect.
func (p dialect) phraseAt(s string, list input.Phrases) (word string, size int) {
	return phraseAt(s, p.Phrases[list])
}

// afterPhrase returns the text after a phrase for a word at the beginning of s, without the
// blanks in between. There must be blanks.
func (p dialect) afterPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	found, n := p.phraseAt(s, list)
	if found != word || n == 0 || n == len(s) {
		return "", false
	}
	return strings.TrimLeft(s[n:], " "), true
}

// cutPhrase returns the text after a phrase for a word. The phrase must be at the beginning of s
// letter by letter.
func (p dialect) cutPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	for _, phrase := range p.Phrases[list] {
		if phrase.Word == word && strings.HasPrefix(s, phrase.Text) {
			return s[len(phrase.Text):], true
		}
	}
	return "", false
}

// isCode reports whether text is exactly one of the dialect's codes for a side.
func (p dialect) isCode(text string) bool {
	_, size := p.phraseAt(text, input.Sides)
	return size == 1 && len(text) == 1
}
