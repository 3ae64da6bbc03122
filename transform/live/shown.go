package live

import (
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/transform/live/clock"
)

// maxWithdrawn is how many withdrawals are kept of a match, the newest ones.
const maxWithdrawn = 200

// Shown is what the publications so far have shown of a match's timeline: from it follows what is withdrawn
// when an entry is no longer there. It is kept beside the state, because it depends on which matches and cycles are published.
// Its zero value is that of a match which no publication had. Its slices are never modified.
type Shown struct {
	match     string // what all ids begin with
	revision  int
	sum       uint64 // of what revision stands for
	entries   []shownEntry
	withdrawn []football.Withdrawal
	since     int // how many of withdrawn, the last ones, are of the newest cycle
}

// shownEntry is an entry of the timeline that a publication had.
type shownEntry struct {
	rest  string // of its id, after that of the match
	first int64  // the time of the first publication with it
	isNew bool   // the newest publication is the first with it
}

// Add returns what publications have shown after that of a cycle, and adds the revision and the
// withdrawals to l, the state in it. now is that state, before that of the cycle before, and isDetailed
// reports whether the publication has the timeline.
func (s *Shown) Add(l *football.Live, before, now *State, isDetailed bool) Shown {
	next := Shown{match: s.match, revision: s.revision, withdrawn: s.withdrawn}
	gone := next.addEntries(s.entries, l, isDetailed)
	next.date(l.At)
	known := len(next.withdrawn)
	if len(gone) > 0 {
		next.withdraw(gone, l, before, now)
	}
	next.since = min(len(next.withdrawn)-known, maxWithdrawn)
	if n := len(next.withdrawn) - maxWithdrawn; n > 0 {
		next.withdrawn = next.withdrawn[n:]
	}
	if next.sum = next.sumOf(l.Timeline); next.sum != s.sum {
		next.revision = max(s.revision+1, int(l.At.Sub(revisionZero)/time.Second))
	}
	l.Revision, l.Withdrawn = next.revision, next.withdrawn
	return next
}

// revisionZero is when a revision would be 0. A revision is at least the seconds since, so that it
// rises even if the state was lost in between.
var revisionZero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// addEntries adds the entries of a publication to those shown before, and returns those that are gone.
func (s *Shown) addEntries(before []shownEntry, l *football.Live, isDetailed bool) (gone []shownEntry) {
	if len(l.Timeline) > 0 {
		s.match = football.MatchOfEntry(l.Timeline[0].ID)
	}
	s.entries = make([]shownEntry, 0, len(l.Timeline))
	same := 0
	for same < min(len(before), len(l.Timeline)) && before[same].rest == l.Timeline[same].ID[len(s.match):] {
		s.entries = append(s.entries, shownEntry{rest: before[same].rest, first: before[same].first})
		same++
	}
	left := make(map[string]int64, len(before)-same)
	for _, e := range before[same:] {
		left[e.rest] = e.first
	}
	for i := range l.Timeline[same:] {
		id := l.Timeline[same+i].ID
		rest := id[len(s.match):]
		first, wasShown := left[rest]
		if !wasShown {
			first, wasShown = s.restore(id)
		}
		delete(left, rest)
		switch {
		case wasShown:
			s.entries = append(s.entries, shownEntry{rest: rest, first: first})
		case isDetailed:
			s.entries = append(s.entries, shownEntry{rest, l.At.UnixMilli(), true})
		}
	}
	for _, e := range before[same:] {
		if _, isGone := left[e.rest]; isGone {
			gone = append(gone, e)
		}
	}
	return gone
}

// restore removes the withdrawal of an entry that is in the timeline again. It returns when the entry was
// first shown; false if it was not withdrawn.
func (s *Shown) restore(id string) (first int64, wasShown bool) {
	at := slices.IndexFunc(s.withdrawn, func(w football.Withdrawal) bool { return w.Entry.ID == id })
	if at < 0 {
		return 0, false
	}
	first = s.withdrawn[at].ShownFrom.UnixMilli()
	s.withdrawn = slices.Delete(slices.Clone(s.withdrawn), at, at+1)
	return first, true
}

// withdraw adds the withdrawals of entries that are gone.
func (s *Shown) withdraw(gone []shownEntry, l *football.Live, before, now *State) {
	published := before.timeline.Published()
	for _, e := range gone {
		at := slices.IndexFunc(published, func(p football.TimelineEntry) bool { return p.ID == s.match+e.rest })
		if at < 0 {
			continue
		}
		was := &published[at]
		why, by, ok := now.timeline.Why(was, &before.timeline)
		if !ok {
			continue
		}
		if by != "" && !slices.ContainsFunc(s.entries, func(shown shownEntry) bool { return s.match+shown.rest == by }) {
			by = ""
		}
		last := football.TimelineEntry{ID: was.ID, At: was.At, Minute: was.Minute, Second: was.Second, Added: was.Added, State: was.State, SideProven: was.SideProven}
		s.withdrawn = append(slices.Clip(s.withdrawn), football.Withdrawal{Entry: last, ShownFrom: clock.UTC(e.first), At: l.At, Reason: why, ReplacedBy: by})
	}
}

// Undo returns what publications have shown if the newest cycle was never published.
func (s Shown) Undo() Shown {
	s.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e shownEntry) bool { return e.isNew })
	s.withdrawn = slices.Clone(s.withdrawn)
	for i := max(0, len(s.withdrawn)-s.since); i < len(s.withdrawn); i++ {
		s.withdrawn[i].At = time.Time{} // that of the next publication
	}
	s.since = 0
	return s
}

// date dates the withdrawals of a cycle that was never published.
func (s *Shown) date(at time.Time) {
	isUndated := func(w football.Withdrawal) bool { return w.At.IsZero() }
	if !slices.ContainsFunc(s.withdrawn, isUndated) {
		return
	}
	s.withdrawn = slices.Clone(s.withdrawn)
	for i := range s.withdrawn {
		if isUndated(s.withdrawn[i]) {
			s.withdrawn[i].At = at
		}
	}
}
