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

// KeepHeaders are the headers of a connection's first request that Connect reads.
var KeepHeaders = []string{"Authorization", "Origin"}

// retryConnect is when a client may try again if it was one too many. A connection that broke
// off counts until its ping is not answered.
const retryConnect = 5 * time.Second

// Connect implements socketio.Handler. It accepts a client and sends ready, or refuses
// it with one of the contract's codes.
func (s *Service) Connect(ctx context.Context, socket *socketio.Socket, auth json.RawMessage) error {
	c := &connection{service: s, socket: socket, since: s.o.Now()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	s.waitUntilLoaded(ctx)
	a, err := s.admit(ctx, c, auth)
	if err != nil {
		c.cancel()
		return s.refuse(a, api.AsError(err))
	}
	ready, err := s.ready(c, a)
	if err != nil {
		c.cancel()
		s.leave(c)
		return s.refuse(a, api.AsError(err))
	}
	socket.Data = c
	s.counters.connected.Add(1)
	s.log.Info("socket connected", "tenant", a.ClientID, "socket", socket.ID())
	s.observe(a.ClientID, "connect", "", nil)
	socket.Send(ready)
	return nil
}

// waitUntilLoaded waits for a while until a server that has just started has loaded its
// data. Clients that reconnect after a restart can then continue at once.
func (s *Service) waitUntilLoaded(ctx context.Context) {
	const timeout = 3 * time.Second
	select {
	case <-s.o.Library.Loaded():
	case <-ctx.Done():
	case <-time.After(timeout):
	}
}

// admit checks the handshake and adds the connection to its account. The returned account is
// the token's, even if there is an error, or nil if the token is unknown.
func (s *Service) admit(ctx context.Context, c *connection, auth json.RawMessage) (a *account.Account, err error) {
	h := c.socket.Header()
	token, ok := tokenOf(auth, h["Authorization"])
	if !ok {
		return nil, api.Refuse(api.InvalidAPIToken)
	}
	if c.pass, a, err = s.o.Gate.Handshake(token, h); err != nil {
		return a, err
	}
	if !s.join(ctx, c) {
		refusal := api.Refusef(api.RateLimited, "the account has %d connections already", s.o.Connections)
		refusal.RetryAfter = retryConnect
		return a, refusal
	}
	return a, nil
}

// tokenOf returns the token in the auth object, or the one in the header if the object
// has none. It returns false if the token is not a string.
func tokenOf(auth json.RawMessage, authorization []string) (string, bool) {
	var f fields
	json.Unmarshal(auth, &f) // if auth is not an object, it has no token
	v, named := f["token"]
	if !named || bytes.Equal(v, []byte(`""`)) {
		return gate.Bearer(authorization), true
	}
	var token string
	ok := isString(v) && json.Unmarshal(v, &token) == nil
	return token, ok
}

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

// ready returns the first event: the channels open to the account now.
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

// unavailable returns the error with which a subscribe would be refused now.
func (r *round) unavailable(ch int) *api.Error {
	if e := r.refusal(ch); e != nil {
		return e
	}
	if ch == changes && r.view(ch) == nil && r.dataset(ch).Published() {
		return r.dataset(ch).NotReady()
	}
	return nil
}

// Disconnect implements socketio.Handler. It removes the connection from its account.
func (s *Service) Disconnect(socket *socketio.Socket, reason string) {
	c := socket.Data.(*connection)
	c.end()
	s.leave(c)
	s.counters.disconnected.add(reason)
	s.log.Info("socket ended", "tenant", c.tenant.clientID, "socket", socket.ID(), "reason", reason,
		"took_s", int64(s.o.Now().Sub(c.since)/time.Second))
}
