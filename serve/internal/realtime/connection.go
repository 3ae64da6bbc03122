package realtime

import (
	"sync"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/socketio"
)

// connection is one client. What it has subscribed to is all that is known of it:
// two positions, no data.
type connection struct {
	service *Service
	tenant  *tenant
	socket  *socketio.Socket
	holder  gate.Holder
	since   time.Time

	mu    sync.Mutex // keeps an answer in front of the pushes that it starts
	gone  bool
	on    [numChannels]bool
	at    position // in changes: the last event that was sent
	shown shown    // in live: what was current at the subscribe, or was sent last
}

// end: nothing is sent to it any more.
func (c *connection) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for ch := range c.on {
		c.turn(ch, false)
	}
}

// turn switches a channel. The lock is held.
func (c *connection) turn(ch int, on bool) {
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

// drop closes the connection. The client comes back by itself, and the handshake
// or its subscribe tells it why. The lock is held.
func (c *connection) drop(reason string) {
	c.gone = true
	for ch := range c.on {
		c.turn(ch, false)
	}
	c.socket.Drop(reason)
}

// serve is a connection's part of a tick.
func (c *connection) serve(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds(r) {
		return
	}
	c.pushChanges(r)
	c.pushLive(r)
}

// judge takes from a connection what it may no longer have.
func (c *connection) judge(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds(r)
}

// holds closes the connection, or channels of it, where it may not have them any
// more. It is false when there is nobody left to send to.
func (c *connection) holds(r *round) bool {
	if c.gone {
		return false
	}
	if err := r.still(c.holder); err != nil {
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

// closeChannel ends a subscription; the connection stays, and a new subscribe
// works once the cause is gone.
func (c *connection) closeChannel(ch int, e *api.Error) {
	c.turn(ch, false)
	c.service.counters.closed.add(string(e.Code))
	c.send(socketio.NewRawPacket(api.ChannelClosedEvent, api.AppendChannelClosed(nil, channels[ch].name, e)))
}

// send is false when the connection has ended or ends because of it.
func (c *connection) send(p *socketio.Packet) bool { return c.socket.Send(p) }
