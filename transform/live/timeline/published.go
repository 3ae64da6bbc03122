package timeline

import (
	"mkt/publish/football"
	"mkt/transform/live/clock"
)

// Published returns the timeline as clients see it: it has no holes, equal neighbours
// are one entry, and the scoreboard never runs back.
func (t *Timeline) Published() []football.TimelineEntry {
	shown := t.shown()
	places := scoreboard(shown)
	entries := make([]football.TimelineEntry, len(shown))
	rests := false
	for i := range shown {
		until := t.heldAt
		if i+1 < len(shown) {
			until = shown[i+1].at
		}
		if e := &shown[i]; e.state != football.VisualStale {
			rests = e.isRest() || rests && e.state == football.VisualPenalty // a kick of a shoot-out
		}
		added := clock.AddedMinute(places[i])
		if rests && added == 1 && places[i]%clock.HalfSpan%60 == 0 {
			added = 0 // if a half ends at 45:00, no minute begins there
			if i > 0 && places[i-1] == places[i] {
				added = entries[i-1].Added
			}
		}
		entries[i] = shown[i].public(t.numbers.id(&shown[i]), places[i], added, until)
	}
	return entries
}

// Visual returns the newest entry of published, without computing the others.
func (t *Timeline) Visual() football.Visual {
	var newest entry
	for i := len(t.entries) - 1; i >= 0; i-- {
		e := t.entries[i]
		switch {
		case e.hidden:
			continue
		case newest.state == "":
		case !continues(&e, &newest):
			return newest.visual()
		default:
			e.join(&newest)
		}
		newest = e
	}
	return newest.visual()
}

// shown returns the entries except hidden ones, with equal neighbours joined. Two equal events of
// different minutes, both listed late, are not joined: an entry between them says that nothing is
// known of the time between.
func (t *Timeline) shown() []entry {
	shown := make([]entry, 0, len(t.entries))
	for i := range t.entries {
		e := &t.entries[i]
		if e.hidden {
			continue
		}
		if n := len(shown); n > 0 && continues(&shown[n-1], e) {
			last := &shown[n-1]
			isLate := last.proof.mark != 0 && e.proof.mark != 0 && last.at == e.at
			if !isLate || last.proof.minute == e.proof.minute {
				last.join(e)
				continue
			}
			between := entry{Board: last.Board, at: last.at, state: football.VisualCalm, side: football.SideNone, certainty: football.Unknown}
			between.number = -e.number
			between.Half, between.Position = last.proof.minute.Half, last.proof.minute.From
			shown = append(shown, between)
		}
		shown = append(shown, *e)
	}
	return shown
}

// scoreboard returns the place of every entry, which never decreases. It is the place of the
// observation, but an event in the provider's list is in the event's minute:
//
//   - The second of a listed event is the second of its observation, or of the entry before it in
//     the same minute if this is later.
//   - An entry observed after the minute of a later listed event gets the place of this event.
//   - If the scoreboard itself was corrected, the longest sequence of entries without a decrease
//     keeps its places. Each other entry gets the place of the entry before it.
func scoreboard(entries []entry) []int {
	observed, window := windows(entries)
	keeps := fitTogether(entries, observed)
	positions := make([]int, len(entries))
	at, waiting := clock.PlaceOf(0, 0), 0 // entries from waiting on get the place of the next listed event
	for i := range entries {
		e := &entries[i]
		switch {
		case e.proof.mark != 0:
			place, from := observed[i], clock.PlaceOf(e.proof.minute.Half, e.proof.minute.From)
			if place < from || place > from+59 {
				place = from + e.Position%60
			}
			at = max(at, min(place, window[i]))
			for ; waiting < i; waiting++ {
				positions[waiting] = at
			}
		case !e.Known || !keeps[i]:
		case observed[i] > window[i]: // after the minute of a listed event that follows
			continue
		default:
			at = max(at, observed[i])
		}
		for ; waiting <= i; waiting++ {
			positions[waiting] = at
		}
	}
	for ; waiting < len(entries); waiting++ {
		positions[waiting] = at
	}
	return positions
}

// windows returns the place of every entry's observation, and the greatest place which leaves
// every later listed event in its minute.
func windows(entries []entry) (observed, last []int) {
	observed, last = make([]int, len(entries)), make([]int, len(entries))
	bound := len(clock.HalfEnds) * clock.HalfSpan
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		observed[i] = clock.PlaceOf(e.Half, e.Position)
		if m := e.proof.minute; e.proof.mark != 0 {
			bound = min(bound, clock.PlaceOf(m.Half, m.From)+59)
		}
		last[i] = bound
	}
	return observed, last
}

// fitTogether reports which of the observed entries keep their position: the longest sequence
// without a decrease.
func fitTogether(entries []entry, observed []int) []bool {
	keeps := make([]bool, len(entries))
	placed, isSorted := make([]int, 0, len(entries)), true
	for i := range entries {
		if entries[i].Known && entries[i].proof.mark == 0 {
			isSorted = isSorted && (len(placed) == 0 || observed[placed[len(placed)-1]] <= observed[i])
			placed = append(placed, i)
			keeps[i] = true
		}
	}
	if isSorted {
		return keeps
	}
	length, from, longest := make([]int, len(placed)), make([]int, len(placed)), 0
	for k, i := range placed {
		keeps[i], from[k] = false, -1
		for j := range k {
			if observed[placed[j]] <= observed[i] && length[j] > length[k] {
				length[k], from[k] = length[j], j
			}
		}
		if length[k]++; length[k] >= length[longest] {
			longest = k
		}
	}
	for k := longest; k >= 0; k = from[k] {
		keeps[placed[k]] = true
	}
	return keeps
}
