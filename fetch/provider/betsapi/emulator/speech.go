package emulator

import (
	"sync"
	"time"

	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/fetch/simulator"
)

// speech is the dialect over invented worlds.
type speech struct {
	manner
	sheets *shelf

	mu    sync.Mutex
	pages map[pageKey]*board
}

// Answer serves a question that was asked in proper form.
func (s *speech) Answer(q simulator.Question) simulator.Answer {
	switch q.Endpoint {
	case wire.EndpointUpcoming:
		return s.upcoming(q)
	case wire.EndpointInplay:
		return s.eventsInPlay(q)
	case simInPlayFilter:
		return s.inPlayFilter(q)
	case wire.EndpointView:
		return s.eventView(q)
	case simStatsTrend:
		return s.statsTrend(q)
	}
	return s.prematch(q)
}

// prematch answers bet365/prematch: the fixtures it knows, in the order asked.
// An unknown id is passed over (betsapi.md, section 1.2).
func (s *speech) prematch(q simulator.Question) simulator.Answer {
	ids, wrong := fixtureIDs(q.Query)
	if wrong != nil {
		return *wrong
	}
	b := make([]byte, 0, 1<<20)
	b = append(b, `{"success":1,"results":[`...)
	first := true
	for _, id := range ids {
		body, ok := s.result(q.World, id, q.Now, editionOf(q.Path))
		if !ok {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, body...)
	}
	return simulator.Answer{Body: append(b, "]}"...)}
}

// result returns one fixture's object of bet365/prematch.
func (s *speech) result(w *simulator.World, id string, now time.Time, e int) ([]byte, bool) {
	f, ok := knownFixture(w, id, now)
	if !ok {
		return nil, false
	}
	v, since := pricesAt(w, f, now)
	key := sheetKey{w, f.Number, v, e}
	if body, ok := s.sheets.get(key); ok {
		return body, true
	}
	body := newSeller(w, f, v, since, e).render()
	s.sheets.put(key, body)
	return body, true
}

// knownFixture finds the fixture of an id; one in seventy is listed and has nothing
// that the endpoint would return.
func knownFixture(w *simulator.World, id string, now time.Time) (simulator.Fixture, bool) {
	n, ok := fixtureNumber(w, id)
	if !ok {
		return simulator.Fixture{}, false
	}
	f, ok := w.Fixture(n, now.Truncate(time.Minute))
	return f, ok && f.Lot(70, oddNoResult) != 0
}

// editionOf is the version of the endpoint: 3 and 4 name some sections otherwise.
func editionOf(path string) int {
	if path == wire.PathPrematch {
		return 4
	}
	return 3
}

// settle is how long a price takes from the bookmaker to the provider: no
// updated_at is in the future.
const settle = time.Minute

// pricesAt is which prices the provider holds now, and since when. They stop
// moving at kick-off.
func pricesAt(w *simulator.World, f simulator.Fixture, now time.Time) (int64, time.Time) {
	if now.After(f.KickOff) {
		now = f.KickOff
	}
	return w.Version(f, now.Add(-settle))
}

// sheetKey names one rendering of a fixture's markets.
type sheetKey struct {
	world   *simulator.World
	number  int64
	version int64
	edition int
}

// shelf keeps what was rendered last, up to a number of bytes.
type shelf struct {
	mu    sync.Mutex
	room  int
	taken int
	held  map[sheetKey][]byte
	order []sheetKey // oldest first
}

func newShelf(room int) *shelf { return &shelf{room: room, held: make(map[sheetKey][]byte)} }

func (s *shelf) get(k sheetKey) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.held[k]
	return b, ok
}

func (s *shelf) put(k sheetKey, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.held[k]; ok {
		return
	}
	s.held[k], s.order, s.taken = b, append(s.order, k), s.taken+len(b)
	for s.taken > s.room && len(s.order) > 1 {
		old := s.order[0]
		s.order = s.order[1:]
		s.taken -= len(s.held[old])
		delete(s.held, old)
	}
}
