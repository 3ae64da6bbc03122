package markets

import (
	"strings"
	"unicode"

	"mkt/publish/football"
)

// participants are the fixture's own names, ready to be compared; "" if the provider sent none. A
// name in a row only counts if it is one of them, byte for byte after trimming and Unicode
// normalisation (NFC).
type participants struct{ home, away string }

func participantsOf(f *football.Fixture) participants {
	return participants{home: clean(f.Home.Or("")), away: clean(f.Away.Or(""))}
}

// known reports whether a row may name its side by name.
func (p *participants) known() bool { return p.home != "" && p.away != "" }

// namePrefix is the length of name when s begins with it, else 0.
func namePrefix(s, name string) int {
	if name != "" && strings.HasPrefix(s, name) && endsWord(s, len(name)) {
		return len(name)
	}
	return 0
}

// wordsOf lists the words of both teams' names, folded.
func (p *participants) wordsOf(into []string) []string {
	for _, name := range []string{p.home, p.away} {
		for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			into = append(into, foldWord(w))
		}
	}
	return into
}
