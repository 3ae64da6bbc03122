package live

import "mkt/publish/football"

// published is the timeline as clients see it, made of what was observed: it has
// no holes, equal neighbours are one entry, and the scoreboard never runs back.
func (s *State) published() []football.TimelineEntry {
	shown := s.shown()
	positions := scoreboard(shown)
	entries := make([]football.TimelineEntry, len(shown))
	for i := range shown {
		until := s.heldAt
		if i+1 < len(shown) {
			until = shown[i+1].at
		}
		entries[i] = shown[i].public(positions[i], until)
	}
	return entries
}

// visual is the newest entry of published, without the work of making all.
func (s *State) visual() football.Visual {
	var newest entry
	for i := len(s.timeline) - 1; i >= 0; i-- {
		e := s.timeline[i]
		switch {
		case e.gone:
			continue
		case newest.state == "":
		case !goesOn(&e, &newest):
			return newest.visual()
		default:
			e.join(&newest)
		}
		newest = e
	}
	return newest.visual()
}

func (e *entry) visual() football.Visual {
	if e.state == "" {
		return football.Visual{}
	}
	return football.Visual{State: e.state, Certainty: e.certainty, SideProven: e.side, Since: utc(e.at)}
}

// join takes over what an equal entry behind it proves, if that is of its minute.
func (e *entry) join(next *entry) {
	if e.certainty == football.Inferred && next.certainty == football.Exact && e.minuteOf() == next.minuteOf() {
		e.certainty, e.proof = football.Exact, next.proof
	}
}

func (e *entry) public(position int, until int64) football.TimelineEntry {
	out := football.TimelineEntry{At: utc(e.at), Half: e.minuteOf().half, State: e.state, Certainty: e.certainty, SideProven: e.side, Until: utc(until)}
	if e.known || e.proof.mark != 0 {
		out.Minute = football.Of(position / 60)
	}
	if e.known {
		out.Second = football.Of(position % 60)
	}
	if e.proof.mark != 0 {
		out.ListedAt = utc(e.proof.listedAt)
	}
	return out
}

// shown are the entries that are not hidden, equal neighbours joined. Two equal
// events of different minutes that were both listed late are not one: between them
// nothing is known of play, and an entry says so.
func (s *State) shown() []entry {
	shown := make([]entry, 0, len(s.timeline))
	for i := range s.timeline {
		e := &s.timeline[i]
		if e.gone {
			continue
		}
		if n := len(shown); n > 0 && goesOn(&shown[n-1], e) {
			last := &shown[n-1]
			isLate := last.proof.mark != 0 && e.proof.mark != 0 && last.at == e.at
			if !isLate || last.proof.minute == e.proof.minute {
				last.join(e)
				continue
			}
			between := entry{place: last.place, at: last.at, state: football.VisualCalm, side: football.SideNone, certainty: football.Unknown}
			between.half, between.position = last.proof.minute.half, last.proof.minute.from
			shown = append(shown, between)
		}
		shown = append(shown, *e)
	}
	return shown
}

// goesOn reports whether an entry is the one before it, going on. Every goal, card
// and penalty stands for itself, because it changed a score or a count.
func goesOn(before, e *entry) bool {
	if e.state != before.state || e.side != before.side || (e.certainty == football.Unknown) != (before.certainty == football.Unknown) {
		return false
	}
	isOne := e.state == football.VisualGoal || e.state == football.VisualCard || e.state == football.VisualPenalty
	return !isOne || e.counted == notCounted && e.proof.mark == 0
}

// scoreboard is the place of every entry on the scoreboard, in seconds, which
// never runs back along them. An entry stands where the scoreboard was when it was
// observed, one that the provider lists in its minute:
//
//   - Stoppage time of a half that another one followed is told as the half's last
//     second, as in 45+2.
//   - The second of a listed event is that of its observation, or that of the entry
//     before it in the same minute when that is later.
//   - An entry that was observed behind the minute of a listed event that follows it
//     takes that event's place.
//   - Where the scoreboard itself was put right, the most entries that fit together
//     keep their places. Each of the others takes the place of the one before it.
func scoreboard(entries []entry) []int {
	observed, window := windows(entries)
	keeps := fitTogether(entries, observed)
	positions := make([]int, len(entries))
	at, waiting := 0, 0 // entries from waiting on stand where the next listed event does
	for i := range entries {
		e := &entries[i]
		switch {
		case e.proof.mark != 0:
			place, from := observed[i], e.proof.minute.from
			if place < from || place > from+59 {
				place = from + place%60
			}
			at = max(at, min(place, window[i]))
			for ; waiting < i; waiting++ {
				positions[waiting] = at
			}
		case !e.known || !keeps[i]:
		case observed[i] > window[i]: // behind the minute of a listed event to come
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

// windows returns where every entry was observed, and the last second at which it
// may stand so that every listed event behind it is in its minute.
func windows(entries []entry) (observed, last []int) {
	observed, last = make([]int, len(entries)), make([]int, len(entries))
	newest, bound := 0, maxPosition
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		m := e.minuteOf()
		if (e.known || e.proof.mark != 0) && m.half != 0 {
			if m.half < newest {
				bound = min(bound, halfEnds[m.half])
			}
			newest = max(newest, m.half)
		}
		observed[i] = e.position
		if e.half != 0 && e.half < newest {
			observed[i] = min(e.position, halfEnds[e.half])
		}
		if e.proof.mark != 0 {
			bound = min(bound, m.from+59)
		}
		last[i] = bound
	}
	return observed, last
}

// fitTogether reports which of the observed entries keep their place: the longest
// sequence along which the scoreboard does not run back.
func fitTogether(entries []entry, observed []int) []bool {
	keeps := make([]bool, len(entries))
	placed, isSorted := make([]int, 0, len(entries)), true
	for i := range entries {
		if entries[i].known && entries[i].proof.mark == 0 {
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
