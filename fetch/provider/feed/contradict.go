package feed

import (
	"regexp"
	"strings"

	"mkt/publish/football"
)

// Texts about a market, its name or a label, may say plainly that it is another one than is
// claimed. They are in any language: only some words of English are known.

// counts are words for what is counted, with the dimensions that they can mean.
var counts = []struct {
	word       *regexp.Regexp
	dimensions string
}{
	{regexp.MustCompile(`(?i)\bcorners?\b`), "CORNERS"},
	{regexp.MustCompile(`(?i)\b(cards?|bookings?|booked)\b`), "CARDS YELLOW_CARDS RED_CARDS BOOKING_POINTS"},
	{regexp.MustCompile(`(?i)\boffsides?\b`), "OFFSIDES"},
	{regexp.MustCompile(`(?i)\bfouls?\b`), "FOULS"},
	{regexp.MustCompile(`(?i)\btackles?\b`), "TACKLES"},
	{regexp.MustCompile(`(?i)\bsaves?\b`), "SAVES PENALTIES"},
	{regexp.MustCompile(`(?i)\bthrow-ins?\b`), "THROW_INS"},
	{regexp.MustCompile(`(?i)\bshots?\b`), "SHOTS SHOTS_ON_TARGET SHOTS_ON_TARGET_OUTSIDE_BOX HEADED_SHOTS_ON_TARGET SAVES"},
	{regexp.MustCompile(`(?i)\bgoals?\b`), "GOALS RESULT GOAL_MINUTES PENALTIES ASSISTS SAVES"},
}

// periods are words for periods.
var periods = map[string]*regexp.Regexp{
	"1H": regexp.MustCompile(`(?i)\b((1st|first)[ -]half|half[ -]time|ht)\b`),
	"2H": regexp.MustCompile(`(?i)\b(2nd|second)[ -]half\b`),
	"FT": regexp.MustCompile(`(?i)\b(full[ -]time|90 min(ute)?s)\b`),
	"ET": regexp.MustCompile(`(?i)\bextra[ -]time\b`),
}

var aside = regexp.MustCompile(`\([^)]*\)`)

// contradicts reports whether a text says that a market is of another count than its term, or of
// another period. The names of the teams, and what is in brackets, say nothing.
func contradicts(text string, term *football.Term, period string, teams ...string) bool {
	text = aside.ReplaceAllString(text, "")
	for _, team := range teams {
		if team != "" {
			text = strings.ReplaceAll(text, team, "")
		}
	}
	counted, fits := false, false
	for _, c := range counts {
		if c.word.MatchString(text) {
			counted = true
			fits = fits || strings.Contains(" "+c.dimensions+" ", " "+term.Dimension+" ")
		}
	}
	if counted && !fits {
		return true
	}
	if strings.Contains(term.Canonical, "HAL") || term.Line == football.TimeLine { // HALF, HALVES
		return false
	}
	named := ""
	for name, word := range periods {
		if word.MatchString(text) {
			if named != "" {
				return false
			}
			named = name
		}
	}
	return named != "" && !strings.HasPrefix(period, named) && !(named == "ET" && strings.Contains(period, "ET"))
}
