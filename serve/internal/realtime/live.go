package realtime

import (
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/feed"
	"mkt/serve/internal/socketio"
)

// liveKey makes a newer live snapshot replace an older one still in the queue.
const liveKey = "live"

// liveState is the state of a client of the live channel: the snapshot it has received, and
// how stale its feed was at that time. The zero value is nothing.
type liveState struct {
	commit    string // SHA-256
	staleness feed.Staleness
}

// liveState returns the state of a view at the time of the round.
func (r *round) liveState(v *reader.View) liveState {
	if r.live == (liveState{}) {
		r.live = liveState{v.Commit().SHA256, v.Staleness(r.time())}
	}
	return r.live
}

// outdated reports whether a client with the state s must receive the state now: if the
// snapshot is another one, or if the feed has become more stale without a new snapshot.
// The feed becomes stale twice: once the data of all fixtures with a running clock is too
// old, and once the data of all other fixtures in play is too old as well.
func (s liveState) outdated(now liveState) bool {
	return s.commit != now.commit || now.staleness > s.staleness
}

// pushLive sends the snapshot if the client's last one is outdated. The lock is held.
func (c *connection) pushLive(r *round) {
	if !c.on[live] {
		return
	}
	v := c.view(r, live)
	if v == nil || !c.shown.outdated(r.liveState(v)) {
		return
	}
	c.shown = r.liveState(v)
	if c.socket.Replace(liveKey, r.tenant.livePacket(v, c.shown, r.time())) {
		r.pushed = true
		c.service.counters.pushed[live].Add(1)
	}
}

// livePacket returns the push of a view, which is made once for all connections. The
// ages in it are those at the time when it was made.
func (t *tenant) livePacket(v *reader.View, of liveState, now time.Time) *socketio.Packet {
	t.making.Lock()
	defer t.making.Unlock()
	if t.lives.state != of {
		fixtures, _ := v.Live("", pageSize)
		body := api.AppendLivePush(nil, api.LiveItems(fixtures, now), v.LiveCount(), v.Freshness())
		t.lives = livePacket{of, socketio.NewRawPacket(api.LiveEvent, body)}
	}
	return t.lives.packet
}

// liveFrom answers a subscribe to live. It returns the state of the current snapshot; if
// there is none yet, the first one will be pushed.
func (r *round) liveFrom(v *reader.View) (from liveState, answer []byte, err error) {
	if e := r.refusal(live); e != nil {
		return liveState{}, nil, e
	}
	if v == nil {
		return liveState{}, api.AppendSubscribedLive(nil, nil, 0), nil
	}
	return r.liveState(v), api.AppendSubscribedLive(nil, v.Freshness().ProcessedAt, v.LiveCount()), nil
}
