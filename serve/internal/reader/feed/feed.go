// Package feed loads the fixtures of a live snapshot into memory.
package feed

import (
	"sort"
	"time"

	"mkt/serve/internal/api"
)

// Set has the fixtures of one live snapshot. Safe for concurrent use.
type Set struct {
	fixtures []*api.LiveFixture // by id
	inPlay   []*api.LiveFixture // the fixtures in play, by id
	byID     map[string]*api.LiveFixture
}

func (s *Set) add(f *api.LiveFixture) {
	s.fixtures = append(s.fixtures, f)
	s.byID[f.ID] = f
	if f.InPlay {
		s.inPlay = append(s.inPlay, f)
	}
}

// KeptCount returns the number of fixtures, including those that have left play and are still kept.
func (s *Set) KeptCount() int { return len(s.fixtures) }

// LiveCount returns the number of fixtures in play.
func (s *Set) LiveCount() int { return len(s.inPlay) }

// Live returns at most limit fixtures in play whose ids follow after, in the order of
// their ids. An empty after starts with the first one. more reports whether further
// fixtures follow. The caller must not modify the result.
func (s *Set) Live(after string, limit int) (page []*api.LiveFixture, more bool) {
	all := s.inPlay
	from := sort.Search(len(all), func(i int) bool { return all[i].ID > after })
	to := min(from+limit, len(all))
	return all[from:to], to < len(all)
}

// FindLive returns the fixture with that id, which is in play or has left play and is
// still kept.
func (s *Set) FindLive(id string) (*api.LiveFixture, bool) {
	f, ok := s.byID[id]
	return f, ok
}

// Staleness says for how many fixtures in play the data is too old. While a snapshot gets
// older, its staleness can only grow.
type Staleness int

// The staleness of a feed. A stopped clock needs no new samples, so if any clock runs, only
// the fixtures with a running clock count.
const (
	Fresh    Staleness = iota
	Stale              // the data of every fixture with a running clock is too old
	AllStale           // the data of every fixture in play is too old
)

// Staleness returns the staleness of the feed at now; [Fresh] if nothing is in play.
func (s *Set) Staleness(now time.Time) Staleness {
	running, resting := 0, 0
	for _, f := range s.inPlay {
		switch {
		case f.Runs() && !f.StaleAt(now):
			return Fresh
		case f.Runs():
			running++
		case !f.StaleAt(now):
			resting++
		}
	}
	switch {
	case len(s.inPlay) == 0 || running == 0 && resting > 0:
		return Fresh
	case resting > 0:
		return Stale
	}
	return AllStale
}
