package feed

import (
	"cmp"
	"slices"
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
)

// undated is the cached part of a match: everything but its date.
type undated struct {
	script *play.Script
	*feedErrors
	reported []Reported
}

// Reported is an incident as the feed's timeline has it.
type Reported struct {
	play.Incident
	Clock     play.Clock    // when it happened
	Appears   time.Duration // when the entry is written, after the kick-off whistle
	Withdrawn time.Duration // when it is removed; 0 for most
}

func newUndated(f competition.Fixture, s *play.Script, o Oddities) *undated {
	u := &undated{script: s, feedErrors: planErrors(f, s, covers(f), o)}
	for i, incident := range s.Incidents {
		delay := time.Duration(1+f.Lot(14, 72, uint64(i))) * time.Second
		u.reported = append(u.reported, Reported{Incident: incident, Clock: play.PlayedAt(s.Periods, incident.At), Appears: incident.At.Truncate(time.Second) + delay})
	}
	for _, r := range u.retracted {
		u.reported = append(u.reported, Reported{Incident: r.Incident, Clock: play.PlayedAt(s.Periods, r.At), Appears: r.At + 2*time.Second, Withdrawn: r.withdrawn})
	}
	slices.SortStableFunc(u.reported, func(a, b Reported) int { return cmp.Compare(a.Appears, b.Appears) })
	return u
}
