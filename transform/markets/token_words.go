package markets

import (
	"strings"

	"mkt/fetch/input"
)

// phraseAt looks in a list of the dialect.
func (p *plan) phraseAt(s string, list input.Phrases) (word string, size int) {
	return phraseAt(s, p.dialect.Phrases[list])
}

// afterPhrase returns the text after a phrase for a word at the beginning of s, without the
// blanks in between. There must be blanks.
func (p *plan) afterPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	found, n := p.phraseAt(s, list)
	if found != word || n == 0 || n == len(s) {
		return "", false
	}
	return strings.TrimLeft(s[n:], " "), true
}

// cutPhrase returns the text after a phrase for a word. The phrase must be at the beginning of s
// letter by letter.
func (p *plan) cutPhrase(s string, list input.Phrases, word string) (rest string, ok bool) {
	for _, phrase := range p.dialect.Phrases[list] {
		if phrase.Word == word && strings.HasPrefix(s, phrase.Text) {
			return s[len(phrase.Text):], true
		}
	}
	return "", false
}

// isCode reports whether text is exactly one of the dialect's codes for a side.
func (p *plan) isCode(text string) bool {
	_, size := p.phraseAt(text, input.Sides)
	return size == 1 && len(text) == 1
}
