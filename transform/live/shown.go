package live

import (
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/transform/live/clock"
)

// maxWithdrawn is how many withdrawals are kept of a match, the newest ones.
const maxWithdrawn = 200

// Shown is what publications have shown of a match's timeline, so that one can tell what is not there
// any more. It is kept beside the state, because it depends on which matches and cycles are published.
// Its zero value is that of a match which no publication had. Its slices are never modified.
type Shown struct {
	revision  int
	sum       uint64 // of what revision stands for
	entries   []shownEntry
	withdrawn []football.Withdrawal
	since     int // how many of withdrawn, the last ones, are of the newest cycle
}

// shownEntry is an entry of the timeline that a publication had.
type shownEntry struct {
	id    string
	first int64 // the time of the first publication with it
	isNew bool  // that is the newest one
}

// Add returns what publications have shown after that of a cycle, and adds the revision and the
// withdrawals to l, the state in it. now is that state, before that of the cycle before, and isDetailed
// reports whether the publication has the timeline.
func (s *Shown) Add(l *football.Live, before, now *State, isDetailed bool) Shown {
	next := Shown{revision: s.revision, withdrawn: s.withdrawn}
	gone := next.addEntries(s.entries, l, isDetailed)
	next.date(l.At)
	known := len(next.withdrawn)
	for _, e := range gone {
		next.withdraw(e, l, before, now)
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
	s.entries = make([]shownEntry, 0, len(l.Timeline))
	same := 0
	for same < min(len(before), len(l.Timeline)) && before[same].id == l.Timeline[same].ID {
		same++
	}
	for _, e := range before[:same] {
		s.entries = append(s.entries, shownEntry{id: e.id, first: e.first})
	}
	left := make(map[string]int64, len(before)-same)
	for _, e := range before[same:] {
		left[e.id] = e.first
	}
	for i := range l.Timeline[same:] {
		id := l.Timeline[same+i].ID
		first, wasShown := left[id]
		if !wasShown {
			first, wasShown = s.restore(id)
		}
		delete(left, id)
		switch {
		case wasShown:
			s.entries = append(s.entries, shownEntry{id: id, first: first})
		case isDetailed:
			s.entries = append(s.entries, shownEntry{id, l.At.UnixMilli(), true})
		}
	}
	for _, e := range before[same:] {
		if _, isGone := left[e.id]; isGone {
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

// withdraw adds the withdrawal of an entry that is gone.
func (s *Shown) withdraw(e shownEntry, l *football.Live, before, now *State) {
	published := before.timeline.Published()
	at := slices.IndexFunc(published, func(p football.TimelineEntry) bool { return p.ID == e.id })
	if at < 0 {
		return
	}
	why, by, ok := now.timeline.Why(&published[at], &before.timeline)
	if !ok {
		return
	}
	if by != "" && !slices.ContainsFunc(s.entries, func(shown shownEntry) bool { return shown.id == by }) {
		by = ""
	}
	was := &published[at]
	last := football.TimelineEntry{ID: was.ID, At: was.At, Minute: was.Minute, Second: was.Second, Added: was.Added, State: was.State, SideProven: was.SideProven}
	s.withdrawn = append(slices.Clip(s.withdrawn), football.Withdrawal{Entry: last, ShownFrom: clock.UTC(e.first), At: l.At, Reason: why, ReplacedBy: by})
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
