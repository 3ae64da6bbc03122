// Package names searches the names of teams and leagues as people type them: in any case,
// without accents, and any part of them.
package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// letters replaces letters that Unicode does not decompose into a letter and an accent by their
// usual plain spelling.
var letters = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ß", "ss", "æ", "ae", "œ", "oe", "ı", "i", "ħ", "h", "ŧ", "t", "ŋ", "n", "ə", "e",
	"’", "'", "‘", "'", "ʼ", "'", "`", "'", "–", "-", "—", "-", "‑", "-",
)

// Fold returns a name for comparison in searches: in lower case, without accents and marks that
// nobody sees, such as those of the direction of a text, with single spaces. Texts with the same look for a person become the same.
func Fold(name string) string {
	name = strings.ToLower(name)
	if !isASCII(name) {
		// Compatibility forms such as full-width letters become the usual ones.
		accents := transform.Chain(norm.NFKD, runes.Remove(runes.Predicate(func(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Cf) })), norm.NFC)
		if folded, _, err := transform.String(accents, name); err == nil {
			name = folded
		}
		name = letters.Replace(strings.ToLower(name))
	}
	return strings.Join(strings.Fields(name), " ")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Query is the words of a search, each of which must be somewhere in a name.
type Query struct{ words []string }

// Search returns the query of a text.
func Search(text string) Query { return Query{strings.Fields(Fold(text))} }

// Empty reports whether there is nothing to look for.
func (q Query) Empty() bool { return len(q.words) == 0 }

// Matches reports whether the names have every word of the query.
func (q Query) Matches(names ...string) bool { return q.MatchesFolded(Fold(strings.Join(names, " "))) }

// MatchesPhrase reports whether the names have the words of the query in their order.
func (q Query) MatchesPhrase(names ...string) bool {
	return strings.Contains(Fold(strings.Join(names, " ")), strings.Join(q.words, " "))
}

// MatchesFolded is [Query.Matches] for a text returned by [Fold], or several of them with any
// separator.
func (q Query) MatchesFolded(text string) bool {
	for _, word := range q.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
