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
	if !c.on[changes] {
		return
	}
	v := c.view(r, changes)
	if v == nil {
		return
	}
	commit := v.Commit()
	if c.at.history == "" { // it subscribed before the first publication
		c.at.history = commit.HistoryID
	}
	isAhead := c.at.seq > commit.LastSeq
	if c.at.history != commit.HistoryID || c.at.seq+1 < commit.FirstSeq || isAhead && r.dataset(changes).IsForeign(c.at.seq, v) {
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

// catchUp sends the next page to a connection that is behind, once all earlier pages have
// been written.
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

// look refreshes the dataset if a subscription is to begin beyond the end of the log: another
// replica may have a newer one.
func (r *round) look(from start) {
	if from.given && from.cursor > lastSeq(r.view(changes)) {
		const timeout = time.Second
		r.dataset(changes).RefreshSoon(context.Background(), timeout)
	}
}

// changesFrom answers a subscribe to changes. It returns the position at which the
// subscription begins, and the answer with the first page.
func (r *round) changesFrom(v *reader.View, from start) (at position, answer []byte, err error) {
	isLoading := v == nil && r.dataset(changes).Published() // the first snapshot is still being loaded
	if !isLoading && !r.isInLog(v, from) {
		return at, nil, api.Refuse(api.InvalidCursor)
	}
	if e := r.refusal(changes); e != nil {
		return at, nil, e
	}
	if isLoading {
		return at, nil, r.dataset(changes).NotReady()
	}
	if v == nil {
		at.seq = from.cursor
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

// isInLog reports whether a subscription may begin at a position, as over HTTP: not before the
// window, and beyond the end of the log unless the position is known to be of another log.
func (r *round) isInLog(v *reader.View, from start) bool {
	switch {
	case !from.given:
		return true
	case from.cursor > lastSeq(v):
		return !r.dataset(changes).IsForeign(from.cursor, v)
	}
	return v == nil || from.cursor+1 >= v.Commit().FirstSeq
}

// lastSeq returns the newest event of a view's log, or 0 if there is no view.
func lastSeq(v *reader.View) uint64 {
	if v == nil {
		return 0
	}
	return v.Commit().LastSeq
}
