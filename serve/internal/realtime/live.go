package realtime

import (
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// liveKey: an older snapshot that was not written yet gives way to the newer one.
const liveKey = "live"

// pushLive sends the snapshot if it has advanced since the last one that the
// connection saw. The lock is held.
func (c *connection) pushLive(r *round) {
	v := r.view(live)
	if !c.on[live] || v == nil || v.Commit().SHA256 == c.seen {
		return
	}
	c.seen = v.Commit().SHA256
	if c.socket.Replace(liveKey, r.tenant.livePacket(v, r.service.o.Now())) {
		c.service.counters.pushed[live].Add(1)
	}
}

// livePacket is the push of a view, made once for all connections. Ages in it are
// those of the moment it was made.
func (t *tenant) livePacket(v *reader.View, now time.Time) *socketio.Packet {
	t.making.Lock()
	defer t.making.Unlock()
	if commit := v.Commit().SHA256; t.lives.commit != commit {
		fixtures, _ := v.Live("", pageSize)
		body := api.AppendLivePush(nil, api.LiveItems(fixtures, now), v.LiveCount(), v.Freshness())
		t.lives = livePacket{commit, socketio.NewRawPacket(api.LiveEvent, body)}
	}
	return t.lives.packet
}

// liveFrom answers a subscribe to live: the snapshot that pushes follow on. There
// may be none yet: then the first one is pushed.
func (r *round) liveFrom() (seen string, answer []byte, err error) {
	if e := r.refusal(live); e != nil {
		return "", nil, e
	}
	v := r.view(live)
	if v == nil {
		return "", api.AppendSubscribedLive(nil, nil, 0), nil
	}
	return v.Commit().SHA256, api.AppendSubscribedLive(nil, v.Freshness().ProcessedAt, v.LiveCount()), nil
}
