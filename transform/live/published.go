package live

import (
	"slices"

	"mkt/publish/football"
)

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
	var since *entry
	for i := len(s.timeline) - 1; i >= 0; i-- {
		e := &s.timeline[i]
		if e.gone {
			continue
		}
		if since != nil && !joins(e, since) {
			break
		}
		since = e
	}
	if since == nil {
		return football.Visual{}
	}
	return football.Visual{State: since.state, Certainty: since.certainty, SideProven: since.side, Since: utc(since.at)}
}

func (e *entry) public(position int, until int64) football.TimelineEntry {
	out := football.TimelineEntry{At: utc(e.at), Half: e.half, State: e.state, Certainty: e.certainty, SideProven: e.side, Until: utc(until)}
	if e.precision != placeUnknown {
		out.Minute = football.Of(position / 60)
	}
	if e.precision == placeSecond {
		out.Second = football.Of(position % 60)
	}
	if e.toldAt != 0 {
		out.ToldAt = utc(e.toldAt)
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
		if n := len(shown); n > 0 && joins(&shown[n-1], e) {
			last := &shown[n-1]
			if last.proof == 0 || e.proof == 0 || last.at != e.at || last.position/60 == e.position/60 {
				continue
			}
			shown = append(shown, entry{place: last.place, at: last.at, state: football.VisualCalm, side: football.SideNone, certainty: football.Unknown})
		}
		shown = append(shown, *e)
	}
	return shown
}

// joins reports whether an entry is the one before it, going on. Every goal, card
// and penalty stands for itself, because it changed a score or a count.
func joins(before, e *entry) bool {
	if e.state != before.state || e.side != before.side || (e.certainty == football.Unknown) != (before.certainty == football.Unknown) {
		return false
	}
	isOne := e.state == football.VisualGoal || e.state == football.VisualCard || e.state == football.VisualPenalty
	return !isOne || !e.counted && e.proof == 0
}

// scoreboard is the place of every entry on the scoreboard, which never runs back
// along them. Stoppage time of a half that another one followed is told as the
// half's last second, as in 45+2. Where the scoreboard itself was put right, the
// entries that fit together best keep their place, those that the provider dates
// above all, and the others are put between them.
func scoreboard(entries []entry) []int {
	positions := make([]int, len(entries))
	latest := 0
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		positions[i] = e.position
		if e.precision == placeUnknown || e.half == 0 {
			continue
		}
		if e.half < latest {
			positions[i] = min(e.position, halfEnds[e.half])
		}
		latest = max(latest, e.half)
	}
	placed := make([]int, 0, len(entries))
	for i := range entries {
		if entries[i].precision != placeUnknown {
			placed = append(placed, i)
		}
	}
	if !slices.IsSortedFunc(placed, func(a, b int) int { return positions[a] - positions[b] }) {
		putInOrder(entries, positions, placed)
	}
	return positions
}

// provenWeight is how many other entries one counts for that the provider dates.
const provenWeight = 1000

// putInOrder changes as few positions as it can so that they never fall.
func putInOrder(entries []entry, positions, placed []int) {
	// The heaviest subsequence that does not fall keeps its positions.
	weight, from := make([]int, len(placed)), make([]int, len(placed))
	heaviest := 0
	for k, i := range placed {
		from[k] = -1
		for j := range k {
			if positions[placed[j]] <= positions[i] && weight[j] > weight[k] {
				weight[k], from[k] = weight[j], j
			}
		}
		weight[k]++
		if entries[i].proof != 0 {
			weight[k] += provenWeight
		}
		if weight[k] >= weight[heaviest] {
			heaviest = k
		}
	}
	kept := make([]bool, len(placed))
	for k := heaviest; k >= 0; k = from[k] {
		kept[k] = true
	}
	// The others take the place of the one kept before them, or of the first.
	at := 0
	for k, i := range placed {
		if kept[k] {
			at = positions[i]
			break
		}
	}
	for k, i := range placed {
		if kept[k] {
			at = positions[i]
		}
		positions[i] = at
	}
}
