package realtime

import (
	"context"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// newPage makes the push of the events after a position, which must be in the view's
// history and window and not at its end.
func newPage(at position, v *reader.View) (page, error) {
	var list api.List
	last, more, err := v.Events(at.seq, pageSize, list.Add)
	if err != nil {
		return page{}, err
	}
	body := api.AppendChangesPush(nil, &list, last)
	return page{packet: socketio.NewRawPacket(api.ChangesEvent, body), last: last, events: list.Len(), more: more}, nil
}

// pushChanges sends the next page of events, if there are any and if the connection
// has received everything before. The lock is held.
func (c *connection) pushChanges(r *round) {
	v := r.view(changes)
	if !c.on[changes] || v == nil {
		return
	}
	commit := v.Commit()
	if c.at.history == "" { // it subscribed before the first publication
		c.at.history = commit.HistoryID
	}
	if c.at.history != commit.HistoryID || c.at.seq+1 < commit.FirstSeq {
		c.drop(reasonPosition)
		return
	}
	if c.at.seq >= commit.LastSeq {
		return
	}
	if c.socket.Queued() > 0 {
		c.socket.WhenDrained(c.catchUp)
		return
	}
	p, err := r.tenant.page(c.at, v)
	if err != nil {
		c.service.log.Error("cannot read change events", "tenant", r.tenant.clientID, "err", err)
		return // the next tick tries again
	}
	if !c.send(p.packet) {
		return
	}
	c.at.seq, r.pushed = p.last, true
	c.service.counters.pushed[changes].Add(1)
	c.service.counters.events.Add(uint64(p.events))
	if p.more {
		c.socket.WhenDrained(c.catchUp)
	}
}

// catchUp sends the next page to a connection that is behind and has received
// everything that was sent.
func (c *connection) catchUp() {
	s := c.service
	r := s.newRound(c.tenant, s.o.Gate.Accounts.Load())
	defer r.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enforce(r) {
		c.pushChanges(r)
	}
}

// changesFrom answers a subscribe to changes. It returns the position at which the
// subscription begins, and the answer with the first page.
func (r *round) changesFrom(f fields) (at position, answer []byte, err error) {
	from, err := readStart(f)
	if err != nil {
		return at, nil, err
	}
	v, err := r.viewFor(from)
	if err != nil {
		return at, nil, err
	}
	if e := r.refusal(changes); e != nil {
		return at, nil, e
	}
	if v == nil && r.dataset(changes).Published() {
		return at, nil, r.dataset(changes).NotReady() // the first snapshot is still being loaded
	}
	if v == nil {
		return at, api.AppendSubscribedChanges(nil, new(api.List), at.seq, api.Window{FirstSeq: 1}), nil
	}
	at = position{v.Commit().HistoryID, v.Commit().LastSeq}
	if from.given {
		at.seq = from.cursor
	}
	var list api.List
	if at.seq < v.Commit().LastSeq {
		if at.seq, _, err = v.Events(at.seq, from.backlog, list.Add); err != nil {
			return at, nil, err
		}
	}
	return at, api.AppendSubscribedChanges(nil, &list, at.seq, v.Window()), nil
}

// viewFor returns the view with which a subscription begins, or nil if there is none
// yet. It refuses a cursor that is older than the window, and one beyond the end of the
// log, after which no event may ever come. In the latter case it refreshes the dataset
// first, because another replica may have loaded a newer snapshot; the client asks again if
// that takes too long.
func (r *round) viewFor(from start) (*reader.View, error) {
	v := r.view(changes)
	if from.given && from.cursor > lastSeq(v) {
		const timeout = time.Second
		refreshed := r.dataset(changes).RefreshNow(context.Background(), timeout)
		v = r.renew(changes)
		if !refreshed && from.cursor > lastSeq(v) {
			return nil, &api.Error{Code: api.ServiceUnavailable, RetryAfter: time.Second}
		}
	}
	switch {
	case !from.given, v == nil && r.dataset(changes).Published(): // in the latter case it is still being loaded
		return v, nil
	case from.cursor > lastSeq(v):
		return nil, api.Refusef(api.InvalidCursor, "cursor is beyond the end of the log, whose newest event is %d; bootstrap again from /fixtures", lastSeq(v))
	case v != nil && from.cursor+1 < v.Commit().FirstSeq:
		return nil, api.Refuse(api.InvalidCursor)
	}
	return v, nil
}

// lastSeq returns the newest event of a view's log, or 0 if there is no view.
func lastSeq(v *reader.View) uint64 {
	if v == nil {
		return 0
	}
	return v.Commit().LastSeq
}
