package live

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"mkt/publish/football"
)

// maxIncidents bounds how many of a provider's events are remembered.
const maxIncidents = 400

// incident is one event of the provider's own list that was met.
type incident struct {
	mark   uint32 // hash of its id, never 0
	what   uint32 // hash of what it says, to notice that the provider changed it
	missed bool   // the newest list did not hold it; after a second one it is withdrawn
}

func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return max(1, h.Sum32())
}

func incidentOf(i *football.Incident) incident {
	return incident{mark: hashOf(i.ID), what: hashOf(fmt.Sprint(i.Kind, i.Minute, i.Added, i.Side))}
}

// find returns where an event with that mark is remembered, or belongs.
func (s *State) find(mark uint32) (at int, met bool) {
	return slices.BinarySearchFunc(s.incidents, mark, func(i incident, mark uint32) int { return cmp.Compare(i.mark, mark) })
}

// hasNews reports whether a sample lists an event that was not met before. When
// no more are remembered none is news: each would be, in every sample.
func (s *State) hasNews(sample *football.Sample) bool {
	if len(s.incidents) >= maxIncidents {
		return false
	}
	return slices.ContainsFunc(sample.Incidents.Or(nil), func(i football.Incident) bool {
		_, met := s.find(hashOf(i.ID))
		return !met
	})
}

// listed takes the provider's own list of events over. A sample without a list
// says nothing of it.
func (n *news) listed(sample *football.Sample) {
	list, sent := sample.Incidents.Get()
	if !sent {
		return
	}
	n.incidents = slices.Clone(n.incidents)
	n.withdraw(list)
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b football.Incident) int { return cmp.Compare(a.Minute+a.Added, b.Minute+b.Added) })
	for i := range list {
		told := incidentOf(&list[i])
		at, met := n.find(told.mark)
		switch {
		case met && n.incidents[at].what == told.what:
			continue
		case met:
			n.disprove(told.mark) // the provider changed what it says
			n.incidents[at] = told
		case len(n.incidents) >= maxIncidents:
			continue
		default:
			n.incidents = slices.Insert(n.incidents, at, told)
		}
		n.told(&list[i], told.mark)
	}
	n.wasListed = true
}

// withdraw takes events back that the provider listed before and does not list
// any more. A single list without them may come from a server that lags.
func (n *news) withdraw(list []football.Incident) {
	marks := make(map[uint32]bool, len(list))
	for i := range list {
		marks[hashOf(list[i].ID)] = true
	}
	n.incidents = slices.DeleteFunc(n.incidents, func(i incident) bool {
		if marks[i.mark] || !i.missed {
			return false
		}
		n.disprove(i.mark)
		return true
	})
	for i := range n.incidents {
		n.incidents[i].missed = !marks[n.incidents[i].mark]
	}
}

// disprove takes the proof of an event away: it is EXACT no more, and hidden when
// no counter shows it either.
func (n *news) disprove(mark uint32) {
	n.each(func(e *entry) bool {
		if e.proof != mark {
			return true
		}
		e.proof, e.toldAt, e.certainty = 0, 0, football.Inferred
		if !e.counted {
			n.hide(e)
		}
		return false
	})
}

// told reports an event of the provider's own list. It proves what a counter
// showed, or is entered in its minute.
func (n *news) told(i *football.Incident, mark uint32) {
	state, ok := stateOf(i.Kind)
	if !ok {
		return
	}
	half := n.halfOf(i)
	from := (i.Minute - 1 + i.Added) * 60
	e := n.nearest(state, i.Side, func(e *entry) (int, bool) {
		if e.proof != 0 || !e.counted {
			return 0, false
		}
		return n.awayFrom(e, half, from)
	})
	if e == nil {
		n.enterTold(i, state, half, from, mark)
		return
	}
	e.certainty, e.proof, e.toldAt = football.Exact, mark, n.at
	if e.side == football.SideNone {
		e.side = i.Side
	}
	if e.precision == placeUnknown {
		e.place = place{half, from, placeMinute}
	} else if e.position < from || e.position > from+59 {
		e.half, e.position = half, from+e.position%60
	}
}

// awayFrom is how many seconds of the scoreboard an entry lies outside a minute
// of a half; ok is false when it is not near enough to be what happened in it.
// Without a scoreboard the time of observation must do.
func (n *news) awayFrom(e *entry, half, from int) (seconds int, ok bool) {
	switch {
	case e.precision == placeUnknown:
		seconds = int((n.at - e.at) / 1000)
		return seconds, seconds <= confirmWithin+60
	case e.half != half:
		return 0, false
	case e.position < from:
		return from - e.position, from-e.position <= earlyWithin
	}
	seconds = max(0, e.position-(from+59))
	return seconds, seconds <= confirmWithin
}

// halfOf is the half in which an event happened. A provider that does not tell
// stoppage time apart counts on in the half that is played.
func (s *State) halfOf(i *football.Incident) int {
	half := 4
	for h := 3; h >= 1; h-- {
		if i.Minute*60 <= halfEnds[h] {
			half = h
		}
	}
	if i.Added == 0 && s.clock.half > 0 {
		half = min(half, s.clock.half)
	}
	return half
}

// enterTold enters an event that no counter showed. It stands at its place in the
// match: one that happened just now is news, an older one is put between the
// entries around its minute and begins when the entry behind it does.
//
// Its second is that of the observation, or of the entry before it in the same
// minute if that is later: the provider tells the minute alone.
func (n *news) enterTold(i *football.Incident, state football.VisualState, half, from int, mark uint32) {
	e := entry{place: place{half, from, placeMinute}, at: n.at, toldAt: n.at, state: state, side: i.Side,
		certainty: football.Exact, proof: mark, fellAt: never}
	at := n.indexOf(half, from)
	if n.clock.known {
		e.position, e.precision = from+n.clock.position%60, placeSecond
		if at > 0 {
			if before := &n.timeline[at-1]; before.half == half && before.position <= from+59 {
				e.position = max(e.position, before.position)
			}
		}
	}
	e.counted = n.isOfBaseline(half, from)
	if at < len(n.timeline) {
		e.at = n.timeline[at].at
		n.insert(at, e)
		return
	}
	age := 0
	if n.clock.known && n.clock.half >= half {
		age = max(0, n.clock.position-(from+59))
	}
	if left := holds[state] - age; left > 0 && !n.isBaseline || len(n.events) > 0 {
		n.add(e, left)
		return
	}
	n.insert(at, e)
}

// isOfBaseline reports whether the counters of the newest baseline hold what
// happened in a minute.
func (n *news) isOfBaseline(half, from int) bool {
	switch b := &n.base; {
	case b.precision == placeUnknown:
		return n.isBaseline || !n.wasListed
	case half != b.half:
		return half < b.half
	default:
		return from+59 < b.position
	}
}

// indexOf is where an event of a minute belongs: behind everything of that minute
// and of those before it. Without a scoreboard, what the first list holds happened
// before everything that was observed.
func (n *news) indexOf(half, from int) int {
	if !n.clock.known && !n.wasListed {
		n.before++
		return min(n.before-1, len(n.timeline))
	}
	at := len(n.timeline)
	for ; at > 0; at-- {
		e := &n.timeline[at-1]
		if e.precision == placeUnknown || e.half < half || e.half == half && e.position <= from+59 {
			break
		}
	}
	return at
}

func stateOf(k football.IncidentKind) (football.VisualState, bool) {
	switch k {
	case football.IncidentGoal:
		return football.VisualGoal, true
	case football.IncidentCorner:
		return football.VisualCorner, true
	case football.IncidentYellowCard, football.IncidentRedCard:
		return football.VisualCard, true
	case football.IncidentPenalty:
		return football.VisualPenalty, true
	case football.IncidentSubstitution:
		return football.VisualSubstitution, true
	}
	return "", false
}
