// Package esoccer recognizes by their names fixtures that people do not play on a pitch: a
// game on a console, or a simulated match.
//
// The rules read names in the form written by plainName. Each is as narrow as the
// names of real clubs and competitions demand: "Volta" is a game mode and a river
// with clubs along it, "esports" is Catalan for sports, EA Sports sponsors leagues.
//
// Source: provider notes for BetsAPI, section 11 (names recorded 2020 to 2026).
package esoccer

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameRule is one sign in a name.
type nameRule struct {
	rule    string
	pattern *regexp.Regexp
	hints   []string // a name without them does not match: most names cost no more
}

func sign(rule, hints, pattern string) nameRule {
	return nameRule{rule, regexp.MustCompile(pattern), strings.Split(hints, ",")}
}

func (r *nameRule) matches(plain string) bool {
	return slices.ContainsFunc(r.hints, func(hint string) bool { return strings.Contains(plain, hint) }) && r.pattern.MatchString(plain)
}

// anywhere are the rules for the names of leagues and of teams.
var anywhere = []nameRule{
	sign("esoccer", "soccer", `\be-?soccer|(?:^|[-(:,] ?)e soccer\b`),
	sign("efootball", "foot,fut,fuss,calcio", `\be-?(?:foot(?:ball)?|futbol|futebol|fussball|futsal|calcio)\b|(?:^|[-(:,] ?)e (?:football|futbol|futebol)\b`),
	sign("esports", "sport", `\be-?sports\b|\be-sport\b|(?:^|[-(:,] ?)e sports\b|\be-?sports?-?(?:battle|league|liga|cup|arena|masters)`),
	sign("mins-play", "min", `\bmin(?:ute)?s?\.? play\b|\b[0-9]{1,2} ?x ?(?:[1-9]|1[0-2]) ?min(?:ute)?s?\b`),
	sign("console", "fifa,fc,pes,(volta)",
		`\bfifa ?'?[12][0-9]\b|\bfifa (?:mobile|online|street|volta)\b|\bfifae\b|\bea ?fc\b|\bea sports fc\b|\bpes ?(?:20)?[0-9]{2}\b|\((?:fifa|pes|volta)\)`),
	sign("srl", "srl", `\bsrl\b`),
	sign("virtual", "virtual", `\bvirtual`),
	sign("simulated", "simulat,electronic", `\bsimulat|\belectronic (?:football|soccer|sports?)\b`),
	sign("cyber", "cyber", `\bcyber(?:-?(?:football|foot|soccer|sports?|league|liga|stars|cup|live|arena|fifa|match))?\b`),
}

// ofLeagues are the rules for the names of leagues alone: in the name of a team the
// same word may be a place or an abbreviation.
var ofLeagues = []nameRule{
	sign("efootball", "e football,e soccer,e sports", `\be (?:football|soccer|sports)\b`),
	sign("mins-play", "min,2x,2 x", `\b(?:[3-9]|1[0-5]) ?min(?:ute)?s\b|\b2 ?x ?[2-8]\b`), // two halves not played by people
	sign("console", "fc,pes,volta,gt ,gg ,h2h,live arena", `\bfc ?2[4-9]\b|\bpes\b|\bvolta\b|\bgt (?:sports )?leagues?\b|\bgg leagues?\b|\bh2h|\blive arena\b`),
	sign("e-league", "e-,ea,el,eb,ep,es,ec,ed,ee,em,en,ew",
		`\be-?(?:league|liga|laliga|ligue|bundesliga|premier|serie|champions|divisie|eredivisie|mls|nations|libertadores|superliga|adriatic|world cup|cup|copa)\b`),
}

// genuine are words in the names of real clubs and competitions that would satisfy
// a rule. They are cut out before the rules look at a name.
var genuine = sign("", "volta,esport, e", strings.Join([]string{
	`\bvolta (?:redonda|region(?:al)?|river|lake|basin)\b`, `\b(?:upper|haute|alto|alta|lake|alessandro)[- ]volta\b`, `\bghana\b.*\bvolta\b`,
	`\bd' ?esports?\b`, `^club esports?\b`, `\b(?:centre|penya|unio|agrupacio|associacio|fundacio|escola) esports?\b`,
	`\b(?:centre|club|penya|unio|agrupacio|associacio|fundacio|escola) (?:de|d) esports?\b`,
	`\b(?:group|grupo|girone|serie|series|division|pool|zone|section|league|class) e\b`,
}, "|"))

// Names are a provider's names of a fixture; "" for one it does not send.
type Names struct {
	League, Home, Away string
	Damaged            []string // a value in the place of a name that is none
}

// Rule names the rule by which a fixture is left out, and where it was met,
// "esoccer:league-name"; "" if by its names people play it.
func Rule(n Names) string {
	for _, text := range n.Damaged {
		if rule := match(plainName(text), anywhere, ofLeagues); rule != "" {
			return rule + ":damaged-name"
		}
	}
	return known.rule(names{n.League, n.Home, n.Away}, ruleOf)
}

func ruleOf(n names) string {
	if rule := match(plainName(n.league), anywhere, ofLeagues); rule != "" {
		return rule + ":league-name"
	}
	if rule := match(plainName(n.home), anywhere); rule != "" {
		return rule + ":home-name"
	}
	if rule := match(plainName(n.away), anywhere); rule != "" {
		return rule + ":away-name"
	}
	if betweenNicks(n.home, n.away) {
		return "nick:team-names"
	}
	return ""
}

// match names the first rule that a plain name satisfies, "" when there is none.
func match(plain string, lists ...[]nameRule) string {
	for _, rules := range lists {
		for k := range rules {
			if r := &rules[k]; r.matches(plain) {
				return r.rule
			}
		}
	}
	return ""
}

// plainName writes a name as the rules read it: in lower case and without accents,
// every dash as "-", whatever stands for an apostrophe as "'", and every run of spaces
// and signs as one blank. Invisible characters are left out. Letters beyond ASCII become "_", which a word boundary
// takes for a letter.
func plainName(name string) string {
	b := make([]byte, 0, len(name))
	name = strings.ReplaceAll(html.UnescapeString(name), "\u00b4", "'") // in the normal form it is a blank with an accent
	for _, r := range norm.NFKD.String(name) {
		switch c := plainRune(r); {
		case c == 0, c == ' ' && (len(b) == 0 || b[len(b)-1] == ' '):
		default:
			b = append(b, c)
		}
	}
	plain := strings.TrimSuffix(string(b), " ")
	if genuine.matches(plain) {
		return genuine.pattern.ReplaceAllString(plain, " ")
	}
	return plain
}

// plainRune is the character that plainName writes for another, 0 for nothing.
func plainRune(r rune) byte {
	switch {
	case r >= 'A' && r <= 'Z':
		return byte(r) + 'a' - 'A'
	case r == '`', r == '\u2018', r == '\u2019', r == '\u2032', r == '\u02b9', r == '\u02bb', r == '\u02bc':
		return '\''
	case r > ' ' && r < unicode.MaxASCII:
		return byte(r)
	case unicode.In(r, unicode.Mn, unicode.Cf):
		return 0
	case unicode.Is(unicode.Pd, r), r == '\u2212':
		return '-'
	case r == '\u00d7':
		return 'x'
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return '_'
	}
	return ' '
}
