package esoccer

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// bracketed is a team with something in brackets behind its name.
var bracketed = regexp.MustCompile(`^(.*\S)\s*[(\[]\s*([^()\[\]]*\S)\s*[)\]]$`)

// brackets open the texts that bracketed finds, wide ones included.
const brackets = "([\uff08\uff3b"

// ordinary are the texts in brackets behind the names of real teams: the players' kind,
// an age, a year, an abbreviated place or country.
var ordinary = regexp.MustCompile(`^(?:[a-z]{1,3}|[0-9]{1,4}|ii|iii|women|ladies|fem|men|reserves?|youth|juniors?|amateurs?|legends|masters|olympic|students|neutral` +
	`|(?:u|o|sub|under|over)[- ]?[0-9]{2}(?: ?(?:w|women))?)$`)

// betweenNicks reports whether two teams are played by named people, "Man City
// (stdm)" against "Real Madrid (ViTo)". Brackets alone prove nothing: real teams of
// one name are told apart by their towns. So one side must be written as only a nick
// is, or both teams must be among those that the games are played with.
func betweenNicks(home, away string) bool {
	if !strings.ContainsAny(home, brackets) || !strings.ContainsAny(away, brackets) {
		return false // as nearly all
	}
	h, a := bracketed.FindStringSubmatch(trimName(home)), bracketed.FindStringSubmatch(trimName(away))
	if h == nil || a == nil || strings.EqualFold(h[2], a[2]) || isOrdinary(h[2]) || isOrdinary(a[2]) {
		return false
	}
	return isNick(h[2]) || isNick(a[2]) || inGames(h) && inGames(a)
}

func trimName(name string) string { return strings.TrimSpace(norm.NFKC.String(name)) }

func isOrdinary(text string) bool {
	plain := plainName(text)
	return nations[plain] || len(text) <= 3 && strings.ToLower(text) != text || ordinary.MatchString(plain)
}

// isNick reports whether a text in brackets is written as no place or abbreviation
// is: one word that begins small, holds a digit or an underscore, or changes from
// small letters to capitals.
func isNick(text string) bool {
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	first, lower := true, false
	for _, r := range text {
		switch {
		case first && unicode.IsLower(r), unicode.IsDigit(r), r == '_', lower && unicode.IsUpper(r):
			return true
		}
		first, lower = false, unicode.IsLower(r)
	}
	return false
}

// inGames reports whether the games are played with a team of this name, and the text
// in brackets is no town of a club of the same name.
func inGames(team []string) bool {
	name := plainName(team[1])
	return (nations[name] || gameClubs[name]) && !namesakes[plainName(team[2])] && !strings.ContainsFunc(team[2], unicode.IsSpace)
}

// nations are the national teams of the games, and countries that stand in brackets
// behind the names of clubs.
var nations = setOf(`algeria, argentina, australia, austria, belgium, bolivia, brazil, cameroon, canada, chile, china, colombia, costa rica, croatia,
	czech republic, denmark, ecuador, egypt, england, finland, france, germany, ghana, greece, hungary, iceland, iran, ireland, israel, italy,
	ivory coast, jamaica, japan, mexico, morocco, netherlands, new zealand, nigeria, northern ireland, norway, panama, paraguay, peru, poland,
	portugal, qatar, romania, russia, saudi arabia, scotland, senegal, serbia, slovakia, slovenia, south africa, south korea, spain, sweden,
	switzerland, tunisia, turkey, ukraine, uruguay, usa, venezuela, wales`)

// gameClubs are the clubs that the games are played with most, as the provider
// spells them.
var gameClubs = setOf(`a.bilbao, ac milan, ajax, arsenal, as roma, aston villa, atalanta, athletic bilbao, atletico madrid, barcelona, bayer 04,
	bayer leverkusen, bayern, bayern munich, benfica, borussia dortmund, celtic, chelsea, dortmund, everton, fc porto, inter, inter milan, juventus,
	lazio, leicester, leipzig, liverpool, lyon, man city, man utd, manchester city, manchester united, marseille, monaco, napoli, newcastle, porto,
	psg, psv, rb leipzig, real betis, real madrid, real sociedad, roma, sevilla, sporting, tottenham, valencia, villarreal, west ham`)

// namesakes are the towns of clubs that bear the name of one of gameClubs.
var namesakes = setOf(`asuncion, guayaquil, la plata, lima, montevideo, quito, sarandi, tula, tyumen, vina, vina del mar`)

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for name := range strings.SplitSeq(list, ",") {
		set[strings.TrimSpace(name)] = true
	}
	return set
}
