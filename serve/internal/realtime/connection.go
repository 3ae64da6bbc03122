package realtime

import (
	"context"
	"sync"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// connection is one client. It holds no data: the state of its subscriptions is a position
// and a liveState.
type connection struct {
	service *Service
	tenant  *tenant
	socket  *socketio.Socket
	pass    gate.SocketPass
	since   time.Time
	ctx     context.Context // cancelled when the connection ends
	cancel  context.CancelFunc

	mu    sync.Mutex // keeps an answer before the pushes it starts
	gone  bool
	on    [numChannels]bool
	at    position            // in changes: the last event sent
	shown liveState           // in live: the current one at the subscribe, or the last one sent
	seen  [numChannels]uint64 // the order of the newest view used for an answer
}

// end ends the subscriptions; nothing is sent to the connection any more.
func (c *connection) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
}

// stop is end with the lock held.
func (c *connection) stop() {
	c.gone = true
	c.cancel()
	for ch := range c.on {
		c.setSubscribed(ch, false)
	}
}

// setSubscribed begins or ends the subscription to a channel. The lock is held.
func (c *connection) setSubscribed(ch int, on bool) {
	if c.on[ch] == on {
		return
	}
	c.on[ch] = on
	if on {
		c.service.counters.subscribed[ch].Add(1)
	} else {
		c.service.counters.subscribed[ch].Add(-1)
	}
}

// Reasons for which the service closes a connection.
const (
	reasonToken    = "token no longer valid"
	reasonOrigin   = "origin no longer allowed"
	reasonPosition = "position no longer in the log"
)

// drop closes the connection. The client reconnects by itself, and the refusal
// of the handshake or of its subscribe contains the reason. The lock is held.
func (c *connection) drop(reason string) {
	c.stop()
	c.socket.Drop(reason)
}

// serve is the connection's part of a tick.
func (c *connection) serve(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.enforce(r) {
		return
	}
	c.pushChanges(r)
	c.pushLive(r)
}

// check closes the channels to which the account has lost the right, or the connection.
func (c *connection) check(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enforce(r)
}

// enforce is check with the lock held. It returns false if the connection has ended.
func (c *connection) enforce(r *round) bool {
	if c.gone {
		return false
	}
	if err := c.pass.Check(r.account); err != nil {
		reason := reasonToken
		if api.AsError(err).Code == api.OriginNotAllowed {
			reason = reasonOrigin
		}
		c.drop(reason)
		return false
	}
	for ch := range channels {
		if !c.on[ch] {
			continue
		}
		if e := r.refusal(ch); e != nil {
			c.closeChannel(ch, e)
		}
	}
	return true
}

// closeChannel ends a subscription. The connection stays open, and a new subscribe
// succeeds once the cause is gone.
func (c *connection) closeChannel(ch int, e *api.Error) {
	c.setSubscribed(ch, false)
	c.service.counters.closed.add(string(e.Code))
	c.send(socketio.NewRawPacket(api.ChannelClosedEvent, api.AppendChannelClosed(nil, channels[ch].name, e)))
}

// view returns the view of a channel; nil if there is none, or if the connection was answered from a
// newer one: rounds of different goroutines overlap, and a client must not go back. The lock is held.
func (c *connection) view(r *round, ch int) *reader.View {
	v := r.view(ch)
	if v == nil || v.Order() < c.seen[ch] {
		return nil
	}
	c.seen[ch] = v.Order()
	return v
}

// send returns false if the connection has ended, or ends because of the packet.
func (c *connection) send(p *socketio.Packet) bool { return c.socket.Send(p) }
