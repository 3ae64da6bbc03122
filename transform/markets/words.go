package markets

import "mkt/fetch/input"

// phraseAt returns the word for the longest phrase of a list at the beginning of
// s, and the length of that phrase.
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
	return phraseAt(s, p.claim.Dialect.Phrases[list])
}
