package realtime

import (
	"context"
	"encoding/json"
	"log/slog"

	"mkt/serve/internal/api"
	"mkt/serve/internal/socketio"
)

// Event implements [socketio.Handler]. Every message with a request for an acknowledgement
// gets one, and an invalid message never ends the connection.
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
		name = "other" // text from clients does not belong in the log
	}
	if err == nil {
		s.logMessage(c.tenant.clientID, name, "", nil)
		return
	}
	e, id := api.AsError(err), s.o.NewRequestID()
	s.counters.messagesRefused.add(string(e.Code))
	s.logMessage(c.tenant.clientID, name, id, e)
	answer(api.AppendMessageRefused(nil, e, id))
}

// subscribe begins a subscription, or restarts an existing one as the message says. If
// it is refused, an existing one continues. The order of the checks is the one of HTTP.
func (c *connection) subscribe(args []json.RawMessage, answer func([]byte)) error {
	s := c.service
	name, f, err := readMessage(args, s.o.Channels)
	if err != nil {
		return err
	}
	ch := channelIndex(name)
	r := s.newRound(c.tenant, s.o.Gate.Accounts.Load())
	defer r.release()
	if err := s.o.Gate.EnterSocket(c.ctx, c.pass, r.account, channels[ch].need()); err != nil {
		return err
	}
	s.o.Usage.Count(r.account.ClientID, channels[ch].usage, channels[ch].product)
	var from start
	if ch == changes {
		if from, err = readStart(f); err != nil {
			return err
		}
		r.look(from)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil
	}
	// The answer is made with the lock held and from the newest view. So it is not older than an
	// earlier push, nor newer than a later one.
	r.renew(ch)
	var at position
	var state liveState
	var body []byte
	if v := c.view(r, ch); ch == changes {
		at, body, err = r.changesFrom(v, from)
	} else {
		state, body, err = r.liveFrom(v)
	}
	if err != nil {
		return err
	}
	answer(body)
	c.setSubscribed(ch, true)
	if ch == changes {
		c.at = at
	} else {
		c.shown = state
	}
	return nil
}

func (c *connection) unsubscribe(args []json.RawMessage, answer func([]byte)) error {
	name, _, err := readMessage(args, c.service.o.Channels)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setSubscribed(channelIndex(name), false)
	answer(api.AppendUnsubscribed(nil, name))
	return nil
}

// logMessage logs a message without its arguments, its token or any channel content.
func (s *Service) logMessage(clientID, name, requestID string, e *api.Error) {
	s.observe(clientID, name, requestID, e)
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

func (s *Service) observe(clientID, name, requestID string, e *api.Error) {
	if s.o.Observe != nil {
		s.o.Observe(clientID, name, requestID, e)
	}
}
