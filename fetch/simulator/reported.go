package simulator

import (
	"cmp"
	"slices"
	"time"
)

// undated is the cached part of a match: everything but its date.
type undated struct {
	script *script
	*feedErrors
	reported []Reported
}

// Reported is an incident as the feed's timeline has it.
type Reported struct {
	Incident
	Clock     Clock         // when it happened
	Appears   time.Duration // when the entry is written, after the kick-off whistle
	Withdrawn time.Duration // when it is removed; 0 for most
}

func newUndated(f Fixture, s *script, o Oddities) *undated {
	u := &undated{script: s, feedErrors: planErrors(f, s, covers(f), o)}
	for i, incident := range s.incidents {
		delay := time.Duration(1+f.Lot(14, 72, uint64(i))) * time.Second
		u.reported = append(u.reported, Reported{Incident: incident, Clock: playedAt(s.periods, incident.At), Appears: incident.At.Truncate(time.Second) + delay})
	}
	for _, r := range u.retracted {
		u.reported = append(u.reported, Reported{Incident: r.Incident, Clock: playedAt(s.periods, r.At), Appears: r.At + 2*time.Second, Withdrawn: r.withdrawn})
	}
	slices.SortStableFunc(u.reported, func(a, b Reported) int { return cmp.Compare(a.Appears, b.Appears) })
	return u
}
