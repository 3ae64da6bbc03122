package markets

import (
	"strings"

	"mkt/fetch/input"
)

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

// atLeastAt reads "more 4" as 4+.
func (p *plan) atLeastAt(s string) (word string, size int) {
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
