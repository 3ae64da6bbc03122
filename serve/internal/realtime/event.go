package realtime

import (
	"context"
	"encoding/json"
	"log/slog"

	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/socketio"
)

// Event implements socketio.Handler. Every message that asks for an answer gets
// one; what is wrong with it never costs the connection.
func (s *Service) Event(socket *socketio.Socket, name string, args []json.RawMessage, ack func(args ...any)) {
	c := socket.Data.(*connection)
	answer := func(b []byte) {
		if ack != nil {
			ack(json.RawMessage(b))
		}
	}
	var err error
	switch {
	case socket.Attachments() != nil:
		err, name = api.Refusef(api.BadRequest, "no message has binary parts"), "binary"
	case name == api.SubscribeMessage:
		err = c.subscribe(args, answer)
	case name == api.UnsubscribeMessage:
		err = c.unsubscribe(args, answer)
	default:
		if ack == nil {
			return
		}
		err = api.Refusef(api.NotFound, "there is no such message; there are %s and %s", api.SubscribeMessage, api.UnsubscribeMessage)
		name = "other" // a client's own words are not for the log
	}
	if err == nil {
		s.logMessage(c.tenant.clientID, name, "", nil)
		return
	}
	e, id := api.AsError(err), s.o.NewRequestID()
	s.counters.notDone.add(string(e.Code))
	s.logMessage(c.tenant.clientID, name, id, e)
	answer(api.AppendNotDone(nil, e, id))
}

// subscribe begins a subscription, or begins one anew from what the message says.
// A refused one leaves what there was. The checks come in HTTP's order.
func (c *connection) subscribe(args []json.RawMessage, answer func([]byte)) error {
	s := c.service
	name, f, err := readMessage(args, s.o.Channels)
	if err != nil {
		return err
	}
	ch := numbered(name)
	r := s.newRound(c.tenant, s.o.Gate.Accounts.Load())
	defer r.release()
	if err := c.charge(r, ch); err != nil {
		return err
	}
	var at position
	var show shown
	var body []byte
	if ch == changes {
		at, body, err = r.changesFrom(f)
	} else {
		show, body, err = r.liveFrom()
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil
	}
	answer(body)
	c.turn(ch, true)
	if ch == changes {
		c.at = at
	} else {
		c.shown = show
	}
	return nil
}

// charge lets a subscribe pass as a request of the channel's product would, and
// counts it.
func (c *connection) charge(r *round, ch int) error {
	s := c.service
	if err := r.still(c.holder); err != nil {
		return err
	}
	if err := gate.Standing(r.account); err != nil {
		return err
	}
	if _, err := s.o.Gate.Limits.Take(r.account.ClientID, r.account.Limit, s.o.Now()); err != nil {
		return err
	}
	if err := s.o.Gate.Entitled(r.account, channels[ch].need()); err != nil {
		return err
	}
	s.o.Usage.Count(r.account.ClientID, channels[ch].usage, channels[ch].product)
	return nil
}

// unsubscribe ends a subscription, whether or not there is one.
func (c *connection) unsubscribe(args []json.RawMessage, answer func([]byte)) error {
	name, _, err := readMessage(args, c.service.o.Channels)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(numbered(name), false)
	answer(api.AppendUnsubscribed(nil, name))
	return nil
}

// logMessage is one line a message: no channel's content, no argument, no token.
func (s *Service) logMessage(clientID, name, requestID string, e *api.Error) {
	attrs := []any{"message", name}
	if clientID != "" {
		attrs = append(attrs, "tenant", clientID)
	}
	level := slog.LevelInfo
	if e != nil {
		attrs = append(attrs, "request_id", requestID, "code", string(e.Code))
		if e.Code == api.InternalError {
			attrs = append(attrs, "err", e.Cause)
			level = slog.LevelError
		}
	}
	s.log.Log(context.Background(), level, "socket message", attrs...)
}
