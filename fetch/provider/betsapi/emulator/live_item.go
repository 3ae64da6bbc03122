package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

// Oddities of a live record. Each applies to a few fixtures, whenever they are asked for.
const (
	oddNoFI = iota + 201
	oddNoTimer
	oddFirstNamed
	oddNoImage
	oddNoHalfScore
	_
	oddCornerHalf
	oddCornerFull
	oddTriples
	oddAreas
	oddNoEvents
	oddOldLines
	oddUnconfirmed
	oddLineID
	oddLineDelay
)

// appendPlaying renders one match as in events/inplay (betsapi.md, sections
// 5.3 and 8.1; the order of fields is the recorded one of 2021).
func appendPlaying(b []byte, w *world.World, m *feed.Match, now time.Time) []byte {
	sent := m.Sent(now)
	b = appendEvent(b, m, timeStatus(sent.Status))
	b = appendScores(b, m, &sent)
	b = appendStats(b, m, &sent)
	if hasFI(m.Fixture) {
		b = appendText(append(b, `,"bet365_id":`...), fixtureID(w, m.Fixture))
	}
	return append(appendTimer(b, m, &sent), '}')
}

// appendEvent writes the members at the beginning of every record of the events family.
func appendEvent(b []byte, m *feed.Match, status string) []byte {
	f := m.Fixture
	b = fmt.Appendf(b, `{"id":%s,"sport_id":"1","time":"%d","time_status":"%s","league":{"id":"%s","name":%s,"cc":%s}`,
		quotedText(eventID(f)), f.KickOff.Unix(), status, eventLeagueID(f.League), quotedText(f.League.Name), country(f.League))
	for side, t := range [...]competition.Team{f.Home, f.Away} {
		name := [...]string{"home", "away"}[side]
		b = appendTeam(b, f, name, t, t.Name, 0)
		if f.Lot(12, oddFirstNamed, uint64(side)) == 0 { // as first named
			b = appendTeam(b, f, "o_"+name, t, strings.TrimSuffix(t.Name, " II")+" 1", 1)
		}
	}
	return b
}

func appendTeam(b []byte, f competition.Fixture, field string, t competition.Team, name string, other int) []byte {
	image := "null"
	if f.Lot(60, oddNoImage) != 0 {
		image = fmt.Sprintf(`"%d"`, 3_000+t.Number*11)
	}
	return fmt.Appendf(b, `,"%s":{"id":"%d","name":%s,"image_id":%s,"cc":%s}`, field, 17_000+t.Number*7+other, quotedText(name), image, country(f.League))
}

// eventLeagueID is a league's id in the events family.
func eventLeagueID(l competition.League) string { return strconv.Itoa(90 + l.Number*17) }

// country is cc: null for eSoccer and for leagues of no country.
func country(l competition.League) string {
	first, _, _ := strings.Cut(l.Name, " ")
	if cc, ok := countries[first]; ok {
		return `"` + cc + `"`
	}
	return "null"
}

var countries = map[string]string{"England": "gb", "Scotland": "gb", "Wales": "gb", "Ireland": "ie", "Germany": "de", "Austria": "at",
	"Switzerland": "ch", "Spain": "es", "Argentina": "ar", "Mexico": "mx", "Colombia": "co", "Chile": "cl", "Italy": "it", "France": "fr",
	"Belgium": "be", "Portugal": "pt", "Brazil": "br", "Sweden": "se", "Norway": "no", "Denmark": "dk", "Iceland": "is", "Poland": "pl",
	"Czech": "cz", "Croatia": "hr", "Turkey": "tr", "Japan": "jp", "Egypt": "eg"}

// appendScores writes ss and scores. Key 2 is the running total, key 1 the
// half-time score, which some eSoccer lacks (section 4).
func appendScores(b []byte, m *feed.Match, s *feed.Sent) []byte {
	if !s.Begun {
		return append(b, `,"ss":null`...)
	}
	b = fmt.Appendf(b, `,"ss":"%s","scores":{"2":%s`, scoreText(s.Score), pair(s.Score))
	if s.First != nil && (m.Fixture.League.Human() || m.Fixture.Lot(3, oddNoHalfScore) != 0) {
		b = fmt.Appendf(b, `,"1":%s`, pair(s.First.Score()))
	}
	return append(b, '}')
}

func pair(goals [2]int) string { return fmt.Sprintf(`{"home":"%d","away":"%d"}`, goals[0], goals[1]) }

// appendTimer writes the clock, with its habits (section 8.1): md counts the
// next half from the break on, and a stopped clock shows when the half should have
// ended.
func appendTimer(b []byte, m *feed.Match, s *feed.Sent) []byte {
	if !hasTimer(m.Fixture) {
		return b
	}
	c, running := s.Clock, 0
	if c.Running {
		running = 1
	}
	seconds := c.Shown / time.Second
	return fmt.Appendf(b, `,"timer":{"tm":%d,"ts":%d,"tt":"%d","ta":%d,"md":%d}`, seconds/60, seconds%60, running, c.Added, halfIndex(s))
}

// halfIndex is md. The ways of extra time are those of client code, not
// recorded but for the end.
func halfIndex(s *feed.Sent) int {
	switch s.Clock.Phase {
	case play.Before, play.FirstHalf:
		return 0
	case play.HalfTime, play.SecondHalf:
		return 1
	case play.BeforeExtra, play.ExtraFirst:
		return 2
	case play.ExtraBreak, play.ExtraSecond:
		return 3
	case play.FullTime:
		if !s.Extra && s.Shootout == nil {
			return 1
		}
	}
	return 4
}
