package reader

import (
	"maps"
	"time"
)

// maxAheadPositions is how many positions beyond the end of a log are remembered, and
// clockTolerance how far the clocks of two machines may differ.
const (
	maxAheadPositions = 256
	clockTolerance    = time.Minute
)

// IsForeign reports whether a position beyond the end of a view's log is of another log. The data
// here may be a copy behind the client's, and events are numbered in the order of their
// publication. So it is known only if something was published after a
// client had sent the position, and still ends before it.
func (d *Dataset) IsForeign(seq uint64, v *View) bool {
	if d.shared.o.Clock.IsPast() {
		return v != nil // there is no other replica that could be ahead
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	since, known := d.ahead[seq]
	switch {
	case known:
		return v != nil && v.commit.PublishedAt.After(since.Add(clockTolerance))
	case len(d.ahead) >= maxAheadPositions:
		maps.DeleteFunc(d.ahead, func(seq uint64, _ time.Time) bool { return v != nil && seq <= v.commit.LastSeq })
	}
	if len(d.ahead) < maxAheadPositions {
		if d.ahead == nil {
			d.ahead = map[uint64]time.Time{}
		}
		d.ahead[seq] = d.shared.o.Now()
	}
	return false
}
