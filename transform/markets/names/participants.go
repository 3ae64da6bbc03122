// Package names recognises the names of teams and players: a team's name is one of the fixture's, and
// a player's is proven by its shape and words, because no list of players comes with the prices.
package names

import (
	"strings"
	"unicode"

	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Participants are the fixture's own names, ready to be compared; "" if the provider sent none. A
// name in a row only counts if it is one of them, byte for byte after trimming and Unicode
// normalisation (NFC).
type Participants struct{ Home, Away string }

// Of returns the names of a fixture's teams.
func Of(f *football.Fixture) Participants {
	return Participants{Home: token.Clean(f.Home.Or("")), Away: token.Clean(f.Away.Or(""))}
}

// Known reports whether a row may name its side by name.
func (p *Participants) Known() bool { return p.Home != "" && p.Away != "" }

// Prefix is the length of name when s begins with it, else 0.
func Prefix(s, name string) int {
	if name != "" && strings.HasPrefix(s, name) && token.EndsWord(s, len(name)) {
		return len(name)
	}
	return 0
}

// Words lists the words of both teams' names, folded.
func (p *Participants) Words(into []string) []string {
	for _, name := range []string{p.Home, p.Away} {
		for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			into = append(into, foldWord(w))
		}
	}
	return into
}
