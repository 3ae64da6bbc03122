package socketio

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"mkt/serve/internal/socketio/engine"
)

// connection is one session and the namespaces that it has joined. It is the session's
// engine.Receiver.
type connection struct {
	server  *Server
	session *engine.Session
	partial *assembly // an incomplete binary packet; used in Message only

	mu      sync.Mutex    // locked before the session's
	sockets []*Socket     // by namespace, including those that we have disconnected
	joined  int           // number of joined ones
	timer   *time.Timer   // while no namespace is joined; else nil
	entry   *pendingEntry // among the pending connections, during that time
}

// Message implements engine.Receiver.
func (c *connection) Message(data []byte, binary bool) error {
	if binary {
		return c.attach(data)
	}
	if c.partial != nil {
		return errPacket // an attachment was expected
	}
	p, err := parse(data)
	if err != nil {
		return err
	}
	if p.attachments > 0 {
		c.partial = &assembly{packet: p}
		return nil
	}
	return c.handle(p, nil)
}

func (c *connection) attach(data []byte) error {
	if c.partial == nil {
		return errPacket
	}
	if !c.partial.add(data) {
		return nil
	}
	a := c.partial
	c.partial = nil
	if err := a.check(); err != nil {
		return err
	}
	return c.handle(a.packet, a.got)
}

func (c *connection) handle(p packet, attachments Attachments) error {
	s, state := c.find(p.namespace)
	switch {
	case p.kind == typeConnect && state != joined:
		c.join(p)
	case p.kind == typeConnect:
		return errPacket
	case state == dismissed:
		return nil // sent before the client knew
	case state != joined:
		return errPacket
	case p.kind == typeDisconnect:
		c.leave(s)
	case p.kind == typeEvent:
		c.event(s, p, attachments)
	}
	return nil // an ack, which we never ask for
}

func (c *connection) find(namespace string) (*Socket, socketState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sockets {
		if s.namespace == namespace {
			return s, s.state
		}
	}
	return nil, gone
}

func (c *connection) join(p packet) {
	h := c.server.o.Namespaces[p.namespace]
	if h == nil {
		c.refuse(p.namespace, &Refusal{Message: "Invalid namespace"})
		return
	}
	s := &Socket{connection: c, handler: h, namespace: p.namespace, id: newID()}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.session.WhenClosed(cancel)
	c.protect(true)
	err := h.Connect(ctx, s, p.auth)
	c.protect(false)
	c.session.WhenClosed(nil)
	if err != nil {
		s.dropEarly()
		c.refuse(p.namespace, c.refusal(err))
		return
	}
	c.accept(s)
}

// accept accepts the client, and then sends the packets that the handler queued in Connect.
func (c *connection) accept(s *Socket) {
	payload := []byte(`{"sid":"` + s.id + `"}`) // the id needs no escaping
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sockets = slices.DeleteFunc(c.sockets, func(old *Socket) bool { return old.namespace == s.namespace })
	c.sockets = append(c.sockets, s)
	c.joined++
	c.server.sockets.Add(1)
	c.session.Trust()
	c.stopWaiting()
	c.session.Send(newMessage(typeConnect, s.namespace, nil, payload, nil))
	for _, e := range s.early {
		c.session.Replace(e.key, e.packet.message(s.namespace))
	}
	s.early, s.state = nil, joined
}

func (c *connection) refusal(err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	c.server.o.Log.Error("a realtime handler failed to accept a client", "err", err)
	return &Refusal{Message: "Internal error"}
}

// refuse answers a CONNECT with an error. The connection stays open until the client closes
// it.
func (c *connection) refuse(namespace string, r *Refusal) {
	payload, err := appendJSON(nil, struct {
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{r.Message, r.Data})
	if err != nil {
		c.server.o.Log.Error("cannot encode a refusal", "err", err)
		payload, _ = json.Marshal(map[string]string{"message": r.Message})
	}
	c.session.Send(newMessage(typeConnectError, namespace, nil, payload, nil))
}

func (c *connection) event(s *Socket, p packet, attachments Attachments) {
	var ack func(...any)
	if p.hasID {
		ack = s.acknowledger(p.id)
	}
	s.attachments = attachments
	defer func() { s.attachments = nil }()
	s.handler.Event(s, p.name, p.args, ack)
}

func (c *connection) leave(s *Socket) {
	c.mu.Lock()
	c.sockets = slices.DeleteFunc(c.sockets, func(other *Socket) bool { return other == s })
	left := s.unjoin(gone)
	if left {
		c.resumeWaiting()
	}
	c.mu.Unlock()
	if left {
		s.handler.Disconnect(s, ReasonClient)
	}
}

// Closed implements engine.Receiver.
func (c *connection) Closed(reason string) {
	c.mu.Lock()
	var left []*Socket
	for _, s := range c.sockets {
		if s.unjoin(gone) {
			left = append(left, s)
		}
	}
	c.sockets = nil
	c.stopWaiting()
	c.mu.Unlock()
	for _, s := range left {
		s.handler.Disconnect(s, reason)
	}
}

// startWaiting starts the time in which a namespace must be joined; mu is held. It returns false if
// there are too many connections without one.
func (c *connection) startWaiting() bool {
	at, victim := c.server.pending.enter(c, c.session.Peer())
	if victim != nil {
		victim.session.Abort(reasonEvicted)
	}
	if at == nil {
		return false
	}
	c.entry = at
	c.timer = time.AfterFunc(c.server.o.ConnectTimeout, c.joinTimeout)
	return true
}

// resumeWaiting calls startWaiting for a connection after it left its last namespace; mu is held.
func (c *connection) resumeWaiting() {
	if c.joined == 0 && !c.startWaiting() {
		c.session.Close(reasonEvicted)
	}
}

// stopWaiting ends the time of startWaiting; mu is held.
func (c *connection) stopWaiting() {
	if c.timer == nil {
		return
	}
	c.timer.Stop()
	c.timer = nil
	c.server.pending.free(c.entry)
	c.entry = nil
}

func (c *connection) protect(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entry != nil {
		c.server.pending.protect(c.entry, on)
	}
}

func (c *connection) joinTimeout() {
	c.mu.Lock()
	waits := c.timer != nil
	c.mu.Unlock()
	if waits {
		c.session.Close(reasonLate)
	}
}
