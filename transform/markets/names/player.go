package names

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A name in a row about players is proven by its shape and by its words, because no list of
// players comes with the prices. docs/mapping.md states the rule, in the section "Players". The
// words are English, in which every provider is asked for its prices, and not of one bookmaker:
// they are not in a dialect. A refused name is marked and not lost. An accepted name is published
// as a person, so in doubt a name is refused.

// maxNameWords and maxNameSize bound a name. Recorded ones have up to four words
// and 26 bytes.
const (
	maxNameWords = 8
	maxNameSize  = 120
)

// wordKind is the meaning of a word in the row of a player. A word may have several.
type wordKind uint8

const (
	// never: a word in no player's name, except after an initial: counted things, events, and
	// those who are not one player.
	never wordKind = 1 << iota
	// plain: a word that proves no name by itself. A name may have one, beside a real name:
	// "Even Hovland", "Cengiz Under", "Win Naing".
	plain
	// opener: a word at the beginning of no player's name.
	opener
	// action: the thing that somebody is "To" do.
	action
	// particle: a word of a name that may begin in lower case, and proves none.
	particle
)

var wordKinds = makeWordKinds(map[wordKind]string{
	never: `
		goal goals goalless goalscorer goalscorers nogoal nogoals nogoalscorer owngoal owngoals score scores scored scorer scorers scoreless scoring
		card cards carded nocard nocards booked booking bookings nobooking nobookings
		penalty penalties corner corners foul fouls fouled offside offsides shot shots tackle tackles assist assists header headers saves passes
		hattrick trick sheet trophy
		half halves halftime fulltime minute minutes mins interval
		team teams squad player players goalkeeper goalkeepers defender defenders midfielder midfielders striker strikers substitute substitutes
		fullback fullbacks winger wingers debutant debutants manager managers coach coaches referee referees official officials
		anyone anybody anytime someone somebody everyone everybody other others otherwise unquoted unlisted unnamed unknown unspecified unpriced
		listed quoted selection selections outcome outcomes result results market markets handicap odds
		yes exactly and vs versus wins winning winners`,
	plain: `
		no none nobody noone nothing naught nil zero null nan undefined na tba tbc tbd
		the any all both each every either neither another not without
		first second third fourth fifth last next only early late
		win winner lose loser draw drawn tie tied level lead
		home away host hosts visitor visitors side sides club opponent opponents
		over under odd even more less most least between before after than
		time full extra injury stoppage added match game period whole
		own red yellow clean hat free kick open play shootout bet void price
		field rest bench sub subs super keeper captain starter starting back head assistant man men woman women ladies youth reserve reserves res academy
		fc afc cfc cf sc ac utd xi ii iii jr sr league premier division cup championship
		to of or off sent be by in on at with for from if is it an as this that these those them above below available applicable given
		one two three four five six seven eight nine ten eleven`,
	opener: `the any all both each every either neither another not without over under`,
	action: `be win lose draw tie score get have receive miss lead qualify commit make play start come finish concede keep hit assist take`,
	particle: `
		de da do dos das di del della dello degli dei der den des du d la le les lo los las el al
		van von vom zu zum zur ter ten te t op het af av y e i bin ben ibn bint abu ul ur ap mac mc na ni nic ogly oglu ogli kyzy kizi qizi`,
})

func makeWordKinds(lists map[wordKind]string) map[string]wordKind {
	kinds := make(map[string]wordKind)
	for kind, list := range lists {
		for _, w := range strings.Fields(list) {
			kinds[w] |= kind
		}
	}
	return kinds
}

// IsPlayer reports whether a text is proven to be a player's name in a fixture of these teams.
// teams are the words of their names; without those of both teams nothing is proven.
func (p *Participants) IsPlayer(text string, teams []string) bool {
	return p.Known() && isName(text, teams)
}

// isName reports whether a text has the shape of a name, no word excluded from names, and a word
// which can only be a name. Such a word is neither in wordKinds nor a word of a team's name, in
// full or abbreviated.
func isName(text string, teams []string) bool {
	words := strings.FieldsFunc(text, isBlank)
	if len(text) > maxNameSize || len(words) == 0 || len(words) > maxNameWords {
		return false
	}
	proofs, initial := 0, false
	for i, w := range words {
		if !isNameWord(w) {
			return false
		}
		if isInitial(w) {
			initial = true
			continue
		}
		for part := range strings.FieldsFuncSeq(w, isHyphen) {
			p := foldWord(part)
			kind := wordKinds[p]
			switch {
			case initial && utf8.RuneCountInString(p) > 1: // "O. G. Nobody"
				proofs += 2
			case kind&never != 0, i == 0 && kind&opener != 0, joins(p, i, words):
				return false
			case kind&(plain|particle) == 0 && isLong(p) && !isTeamWord(p, teams):
				proofs++
			}
		}
		initial = false
	}
	first, _, _ := strings.Cut(words[0], "-")
	switch {
	case foldWord(first) == "no": // "No Jung-Yoon" is a name, "No Penalties" a row without a player
		return proofs > 1
	case len(words) == 1 && isCapitals(words[0]): // "OG", "KSA"
		return false
	}
	return proofs > 0
}

// joins reports whether a word in lower case, at position i, joins the words before it to an
// action, "Ole Berg To Win", or to another name.
func joins(word string, i int, words []string) bool {
	switch word {
	case "to":
		return i+1 < len(words) && wordKinds[foldWord(words[i+1])]&action != 0
	case "or": // "Or Dadia" is a name
		return i > 0 && i < len(words)-1
	}
	return false
}

// isLong reports whether a word is longer than a letter, or is one letter that can be a whole
// name.
func isLong(p string) bool {
	first, size := utf8.DecodeRuneInString(p)
	return size < len(p) || unicode.In(first, unicode.Han, unicode.Hangul)
}

func isBlank(r rune) bool { return unicode.Is(unicode.Zs, r) }

func isHyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' }

// isNameWord reports whether a word is written as one of a name: letters of one
// alphabet, with apostrophes, hyphens and points between or behind them, and a
// capital where the alphabet has them. A number may end it, as in "Danilo2": providers
// number players of one name. A number by itself could be a count.
func isNameWord(w string) bool {
	latin, other, capital, letters := false, false, false, 0
	last := '-'
	for _, r := range strings.TrimRight(w, digits) {
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			letters++
			latin, capital = true, capital || r < 'a'
		case isHyphen(r):
			if isHyphen(last) { // nothing before it
				return false
			}
		case r == '.' || strings.ContainsRune("'’ʼ`´‘·・‧•", r):
		case unicode.In(r, unicode.Mark, unicode.Lm) && letters > 0:
		case unicode.IsLetter(r):
			letters++
			isLatin, isOther := unicode.Is(unicode.Latin, r), unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian)
			latin, other = latin || isLatin, other || isOther
			capital = capital || !isLatin && !isOther || !unicode.IsLower(r)
		case r == 0x200c || r == 0x200d: // joins letters of connected scripts
			if latin || other || letters == 0 {
				return false
			}
		default:
			return false
		}
		last = r
	}
	return letters > 0 && !isHyphen(last) && !(latin && other) && (capital || wordKinds[foldWord(w)]&particle != 0)
}

// isInitial reports whether a word is initials with their points: "J.", "O.G.".
func isInitial(w string) bool {
	point := true
	for _, r := range w {
		if point && !unicode.IsUpper(r) || !point && r != '.' {
			return false
		}
		point = !point
	}
	return point
}

// isCapitals reports whether a word is up to four capital letters, as
// abbreviations are, without the number that may end it.
func isCapitals(w string) bool {
	n := 0
	for _, r := range strings.TrimRight(w, digits) {
		if !unicode.IsUpper(r) {
			return false
		}
		n++
	}
	return n <= 4
}

const digits = "0123456789"

func isTeamWord(p string, teams []string) bool {
	for _, t := range teams {
		if p == t || strings.HasPrefix(t, p) && utf8.RuneCountInString(p) >= minAbbreviation {
			return true
		}
	}
	return false
}
