package emulator

import (
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator"
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
func appendPlaying(b []byte, w *simulator.World, m *simulator.Match, now time.Time) []byte {
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
func appendEvent(b []byte, m *simulator.Match, status string) []byte {
	f := m.Fixture
	b = appendText(append(b, `{"id":`...), eventID(f))
	b = append(b, `,"sport_id":"1","time":`...)
	b = appendEpoch(b, f.KickOff)
	b = append(append(b, `,"time_status":"`...), status...)
	b = appendText(append(b, `","league":{"id":`...), eventLeagueID(f.League))
	b = appendText(append(b, `,"name":`...), f.League.Name)
	b = append(appendCountry(b, f.League), '}')
	for side, t := range [...]simulator.Team{f.Home, f.Away} {
		name := [...]string{"home", "away"}[side]
		b = appendTeam(b, f, name, t, t.Name, 0)
		if f.Lot(12, oddFirstNamed, uint64(side)) == 0 { // as first named
			b = appendTeam(b, f, "o_"+name, t, strings.TrimSuffix(t.Name, " II")+" 1", 1)
		}
	}
	return b
}

func appendTeam(b []byte, f simulator.Fixture, field string, t simulator.Team, name string, other int) []byte {
	b = append(append(append(b, `,"`...), field...), `":{"id":"`...)
	b = strconv.AppendInt(b, int64(17_000+t.Number*7+other), 10)
	b = appendText(append(b, `","name":`...), name)
	if f.Lot(60, oddNoImage) == 0 {
		b = append(b, `,"image_id":null`...)
	} else {
		b = append(strconv.AppendInt(append(b, `,"image_id":"`...), int64(3_000+t.Number*11), 10), '"')
	}
	return append(appendCountry(b, f.League), '}')
}

// eventLeagueID is a league's id in the events family.
func eventLeagueID(l simulator.League) string { return strconv.Itoa(90 + l.Number*17) }

// appendCountry writes cc: null for eSoccer and for leagues of no country.
func appendCountry(b []byte, l simulator.League) []byte {
	first, _, _ := strings.Cut(l.Name, " ")
	if cc, ok := countries[first]; ok {
		return append(append(append(b, `,"cc":"`...), cc...), '"')
	}
	return append(b, `,"cc":null`...)
}

var countries = map[string]string{"England": "gb", "Scotland": "gb", "Wales": "gb", "Ireland": "ie", "Germany": "de", "Austria": "at",
	"Switzerland": "ch", "Spain": "es", "Argentina": "ar", "Mexico": "mx", "Colombia": "co", "Chile": "cl", "Italy": "it", "France": "fr",
	"Belgium": "be", "Portugal": "pt", "Brazil": "br", "Sweden": "se", "Norway": "no", "Denmark": "dk", "Iceland": "is", "Poland": "pl",
	"Czech": "cz", "Croatia": "hr", "Turkey": "tr", "Japan": "jp", "Egypt": "eg"}

// appendScores writes ss and scores. Key 2 is the running total, key 1 the
// half-time score, which some eSoccer lacks (section 4).
func appendScores(b []byte, m *simulator.Match, s *simulator.Sent) []byte {
	if !s.Begun {
		return append(b, `,"ss":null`...)
	}
	b = append(append(append(b, `,"ss":"`...), scoreText(s.Score)...), `","scores":{"2":`...)
	b = appendPair(b, s.Score)
	if s.First != nil && (m.Fixture.League.Human() || m.Fixture.Lot(3, oddNoHalfScore) != 0) {
		b = appendPair(append(b, `,"1":`...), s.First.Score())
	}
	return append(b, '}')
}

func appendPair(b []byte, goals [2]int) []byte {
	b = strconv.AppendInt(append(b, `{"home":"`...), int64(goals[0]), 10)
	b = strconv.AppendInt(append(b, `","away":"`...), int64(goals[1]), 10)
	return append(b, `"}`...)
}

// appendTimer writes the clock, with its habits (section 8.1): md counts the
// next half from the break on, and a stopped clock shows when the half should have
// ended.
func appendTimer(b []byte, m *simulator.Match, s *simulator.Sent) []byte {
	if !hasTimer(m.Fixture) {
		return b
	}
	c := s.Clock
	seconds := int64(c.Shown / time.Second)
	running := byte('0')
	if c.Running {
		running = '1'
	}
	b = strconv.AppendInt(append(b, `,"timer":{"tm":`...), seconds/60, 10)
	b = strconv.AppendInt(append(b, `,"ts":`...), seconds%60, 10)
	b = append(append(b, `,"tt":"`...), running)
	b = strconv.AppendInt(append(b, `","ta":`...), int64(c.Added), 10)
	b = strconv.AppendInt(append(b, `,"md":`...), int64(halfIndex(s)), 10)
	return append(b, '}')
}

// halfIndex is md. The ways of extra time are those of client code, not
// recorded but for the end.
func halfIndex(s *simulator.Sent) int {
	switch s.Clock.Phase {
	case simulator.Before, simulator.FirstHalf:
		return 0
	case simulator.HalfTime, simulator.SecondHalf:
		return 1
	case simulator.BeforeExtra, simulator.ExtraFirst:
		return 2
	case simulator.ExtraBreak, simulator.ExtraSecond:
		return 3
	case simulator.FullTime:
		if !s.Extra && s.Shootout == nil {
			return 1
		}
	}
	return 4
}
