package realtime

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/socketio"
)

// KeepHeaders are the headers of a connection's first request that are read.
var KeepHeaders = []string{"Authorization", "Origin"}

// Connect implements socketio.Handler: it lets a client in and greets it with
// ready, or refuses it with one of the contract's codes.
func (s *Service) Connect(ctx context.Context, socket *socketio.Socket, auth json.RawMessage) error {
	c := &connection{service: s, socket: socket, since: s.o.Now()}
	s.loaded(ctx)
	a, err := s.admit(c, auth)
	if err != nil {
		return s.refuse(a, api.AsError(err))
	}
	ready, err := s.ready(c, a)
	if err != nil {
		s.leave(c)
		return s.refuse(a, api.AsError(err))
	}
	socket.Data = c
	s.counters.connected.Add(1)
	s.log.Info("socket", "tenant", a.ClientID, "socket", socket.ID())
	socket.Send(ready)
	return nil
}

// loaded waits, for a while, until a server that has just started knows its data:
// who comes back after a restart goes on at once and not in a minute.
func (s *Service) loaded(ctx context.Context) {
	const patience = 3 * time.Second
	select {
	case <-s.o.Library.Loaded():
	case <-ctx.Done():
	case <-time.After(patience):
	}
}

// admit judges the handshake and takes a place. The account is that of the token,
// also beside a refusal; nil when there is none.
func (s *Service) admit(c *connection, auth json.RawMessage) (a *account.Account, err error) {
	h := c.socket.Header()
	token, ok := tokenOf(auth, h["Authorization"])
	if !ok {
		return nil, api.Refuse(api.InvalidAPIToken)
	}
	if c.holder, a, err = s.o.Gate.Greet(token, h); err != nil {
		return a, err
	}
	if !s.join(c) {
		return a, api.Refusef(api.RateLimited, "the account has %d connections already", s.o.Connections)
	}
	return a, nil
}

// tokenOf takes the token out of the auth object, or out of the header where the
// object names none. A token that is no string is none, and false.
func tokenOf(auth json.RawMessage, authorization []string) (string, bool) {
	var f fields
	json.Unmarshal(auth, &f) // what is no object names no token
	v, named := f["token"]
	if !named || bytes.Equal(v, []byte(`""`)) {
		return gate.Bearer(authorization), true
	}
	var token string
	ok := isString(v) && json.Unmarshal(v, &token) == nil
	return token, ok
}

// refuse words a refusal as the client gets it on connect_error.
func (s *Service) refuse(a *account.Account, e *api.Error) error {
	id := s.o.NewRequestID()
	s.counters.refused.add(string(e.Code))
	s.logMessage(clientOf(a), "connect", id, e)
	return &socketio.Refusal{Message: e.Text(), Data: json.RawMessage(api.AppendRefusal(nil, e, id))}
}

func clientOf(a *account.Account) string {
	if a == nil {
		return ""
	}
	return a.ClientID
}

// ready is the first event: what the account may subscribe to now.
func (s *Service) ready(c *connection, a *account.Account) (*socketio.Packet, error) {
	r := &round{service: s, tenant: c.tenant, account: a}
	defer r.release()
	p := api.Ready{
		ClientID: a.ClientID, Contract: api.Version, ServerTime: api.Time(s.o.Now()), TickMS: s.o.Tick.Milliseconds(),
		Channels: []api.ChannelState{}, Bootstrap: api.HowToBootstrap(),
	}
	for i, ch := range channels {
		if !s.offered[i] {
			continue
		}
		state := api.ChannelState{Channel: ch.name, Mirrors: ch.name.Mirrors(), Available: true}
		if e := r.unavailable(i); e != nil {
			state.Available, state.Reason = false, &e.Code
		}
		p.Channels = append(p.Channels, state)
	}
	return socketio.NewPacket(api.ReadyEvent, p)
}

// unavailable is what a subscribe would be refused with now.
func (r *round) unavailable(ch int) *api.Error {
	if e := r.refusal(ch); e != nil {
		return e
	}
	if ch == changes && r.view(ch) == nil && r.dataset(ch).Published() {
		return r.dataset(ch).NotReady()
	}
	return nil
}

// Disconnect implements socketio.Handler: it gives the place back.
func (s *Service) Disconnect(socket *socketio.Socket, reason string) {
	c := socket.Data.(*connection)
	c.end()
	s.leave(c)
	s.counters.disconnected.add(reason)
	s.log.Info("socket ended", "tenant", c.tenant.clientID, "socket", socket.ID(), "reason", reason,
		"took_s", int64(s.o.Now().Sub(c.since)/time.Second))
}
