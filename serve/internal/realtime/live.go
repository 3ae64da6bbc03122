package realtime

import (
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// liveKey: an older snapshot that was not written yet gives way to the newer one.
const liveKey = "live"

// shown is what a client of the live channel has been shown: a snapshot, and
// how stale its feed had become by then. The zero value is nothing.
type shown struct {
	commit    string // SHA-256
	staleness reader.Staleness
}

// showing is what a view shows at the time of the round.
func (r *round) showing(v *reader.View) shown {
	if r.shown == (shown{}) {
		r.shown = shown{v.Commit().SHA256, v.Staleness(r.time())}
	}
	return r.shown
}

// news reports whether a client that was shown this has to be told of that: of a
// snapshot that has advanced, and of a feed that has become stale since, of which no
// snapshot may come to tell: once when nothing is known of the fixtures whose clock
// runs, and once more when nothing is known of those at rest either.
func (s shown) news(now shown) bool {
	return s.commit != now.commit || now.staleness > s.staleness
}

// pushLive sends the snapshot if there is news since the last one that the
// connection saw. The lock is held.
func (c *connection) pushLive(r *round) {
	v := r.view(live)
	if !c.on[live] || v == nil || !c.shown.news(r.showing(v)) {
		return
	}
	c.shown = r.showing(v)
	if c.socket.Replace(liveKey, r.tenant.livePacket(v, c.shown, r.time())) {
		c.service.counters.pushed[live].Add(1)
	}
}

// livePacket is the push of a view, made once for all connections. Ages in it are
// those of the moment it was made.
func (t *tenant) livePacket(v *reader.View, of shown, now time.Time) *socketio.Packet {
	t.making.Lock()
	defer t.making.Unlock()
	if t.lives.shown != of {
		fixtures, _ := v.Live("", pageSize)
		body := api.AppendLivePush(nil, api.LiveItems(fixtures, now), v.LiveCount(), v.Freshness())
		t.lives = livePacket{of, socketio.NewRawPacket(api.LiveEvent, body)}
	}
	return t.lives.packet
}

// liveFrom answers a subscribe to live: the snapshot that pushes follow on. There
// may be none yet: then the first one is pushed.
func (r *round) liveFrom() (from shown, answer []byte, err error) {
	if e := r.refusal(live); e != nil {
		return shown{}, nil, e
	}
	v := r.view(live)
	if v == nil {
		return shown{}, api.AppendSubscribedLive(nil, nil, 0), nil
	}
	return r.showing(v), api.AppendSubscribedLive(nil, v.Freshness().ProcessedAt, v.LiveCount()), nil
}
