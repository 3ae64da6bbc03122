package tracking

import (
	"sync"
	"time"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/live"
)

// States keeps the states between two cycles of an account in memory. A process that runs one
// cycle after the other need not read them back. They are found by their cycle and digest; if
// they are absent, they are read from the canonical cycle, with the same result. A nil *States
// keeps nothing. It is safe for concurrent use.
type States struct {
	mu    sync.Mutex
	bytes int
	of    map[string]keptStates // by account
}

// keptStates are the states of one cycle, encoded: decoded ones have ten times the size.
type keptStates struct {
	cycle   layout.CycleID
	digest  string
	encoded []byte
	ends    []int // in encoded, of each state and of what was shown of it
	fetched []time.Time
}

// statesTable is the name in headers of the canonical table from which the next cycle begins.
const statesTable = "live_states"

// mostStates bounds the states of all accounts, in bytes. 300 fixtures have 0.3 MB.
const mostStates = 64 << 20

// keep keeps the states written by a cycle, in place of the account's earlier ones.
func (s *States) keep(account string, m *snapshot.Manifest, rows []table.LiveStateRow) {
	if s == nil {
		return
	}
	k := keptStates{cycle: m.CycleID, digest: m.Tables[statesTable].Digest, ends: make([]int, 0, 2*len(rows)), fetched: make([]time.Time, len(rows))}
	for i := range rows {
		for _, part := range [][]byte{rows[i].State, rows[i].Shown} {
			k.encoded = append(k.encoded, part...)
			k.ends = append(k.ends, len(k.encoded))
		}
		k.fetched[i] = rows[i].FetchedAt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= len(s.of[account].encoded)
	delete(s.of, account)
	if s.bytes+len(k.encoded) > mostStates {
		return
	}
	if s.of == nil {
		s.of = make(map[string]keptStates)
	}
	s.of[account] = k
	s.bytes += len(k.encoded)
}

// tracks returns the states of a cycle; false if they are not kept.
func (s *States) tracks(account string, cycle layout.CycleID, digest string) (tracks []*track, found bool, err error) {
	if s == nil {
		return nil, false, nil
	}
	s.mu.Lock()
	k, found := s.of[account]
	s.mu.Unlock()
	if !found || k.cycle != cycle || k.digest != digest {
		return nil, false, nil
	}
	tracks = make([]*track, len(k.fetched))
	from := 0
	for i := range tracks {
		middle, end := k.ends[2*i], k.ends[2*i+1]
		state, err := live.Restore(k.encoded[from:middle])
		if err != nil {
			return nil, true, err
		}
		shown, err := live.RestoreShown(k.encoded[middle:end])
		if err != nil {
			return nil, true, err
		}
		tracks[i] = knownTrack(&state, shown, k.fetched[i])
		from = end
	}
	return tracks, true, nil
}
