package engine

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/gobwas/ws"
)

// A shutdown closes the sessions over maxSpread, and over less if there are few.
const (
	maxSpread = 5 * time.Second
	maxGap    = 20 * time.Millisecond // between two sessions, on average
)

// Shutdown refuses new sessions and closes the others, spread over half of the time until
// ctx's deadline, but at most 5 seconds and 20 ms a session. It returns when Closed of every
// Receiver has returned, or with ctx's error.
func (v *Server) Shutdown(ctx context.Context) error {
	v.mu.Lock()
	v.draining = true
	v.mu.Unlock()
	spread := maxSpread
	if end, ok := ctx.Deadline(); ok {
		spread = min(spread, time.Until(end)/2)
	}
	sessions := v.all()
	spread = min(spread, time.Duration(len(sessions))*maxGap)
	for _, s := range sessions {
		// The gaps are random, with an average of spread/n.
		pause(ctx, time.Duration(2*rand.Float64()*float64(spread)/float64(len(sessions))))
		s.mu.Lock()
		if s.state == open {
			s.queue.take()
			s.end(Shutdown, ws.StatusGoingAway)
		}
		s.mu.Unlock()
	}
	done := make(chan struct{})
	go func() { v.live.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Stats are the statistics of a server. Closed belongs to the caller.
type Stats struct {
	Sessions, Websockets int
	QueuedBytes          int64
	Opened, Refused      uint64
	Closed               map[string]uint64
}

// Stats returns the current statistics.
func (v *Server) Stats() Stats {
	var t Stats
	for _, s := range v.all() {
		s.mu.Lock()
		t.Sessions++
		if s.ws != nil {
			t.Websockets++
		}
		t.QueuedBytes += int64(s.queue.bytes + s.beingWritten)
		s.mu.Unlock()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	t.Opened, t.Refused, t.Closed = v.opened, v.refused, maps.Clone(v.closed)
	return t
}
