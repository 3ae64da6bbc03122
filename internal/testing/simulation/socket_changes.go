package simulation

import (
	"encoding/json"
	"errors"
	"io"
	"maps"

	"mkt/publish/snapshot"
)

// changesChannel is the channel of the change log. A client continues after its newest event.
type changesChannel struct{ *subscriber }

func (c *changesChannel) await(head snapshot.Commit) bool {
	return c.mirror.server.Await(c.job.id, "/fixtures?limit=1", hasSeq(head.LastSeq))
}

func (c *changesChannel) compare(head snapshot.Commit) {
	fresh := c.s.book.content(c.job, head)
	if c.history == head.HistoryID && c.seq == head.LastSeq && !maps.Equal(c.state, fresh) {
		c.s.fail(clientsAgree, "%s over the socket of %s: version %d, seq %d: a client has %d fixtures, a fresh start has %d: %s",
			c.job, c.mirror.name, head.Version, c.seq, len(c.state), len(fresh), difference(c.state, fresh))
	}
}

// receive applies pushes until the client has every event of a publication.
func (c *changesChannel) receive(head snapshot.Commit) bool {
	for c.seq < head.LastSeq {
		event, payload, err := c.socket.Next()
		switch {
		case errors.Is(err, io.EOF):
			c.cut()
			if c.isInLog(head) {
				c.s.fail(clientsAgree, "%s: %s ended a connection at seq %d; its log is %d to %d", c.job, c.mirror.name, c.seq, head.FirstSeq, head.LastSeq)
			}
			return false
		case err != nil:
			c.s.fail(progress, "%s: %s sent no push after seq %d; its log is %d to %d", c.job, c.mirror.name, c.seq, head.FirstSeq, head.LastSeq)
			return false
		case event == "channel_closed": // the provider refuses the account, for example
			c.cut()
			return false
		case event == "changes":
			c.take(payload)
		}
	}
	return true
}

// isInLog reports whether the client's position is in the log that a publication has.
func (c *changesChannel) isInLog(head snapshot.Commit) bool {
	return c.history == head.HistoryID && c.seq+1 >= head.FirstSeq
}

// subscribe subscribes after the client's newest event, and reads everything again if the log does not go
// back to it.
func (c *changesChannel) subscribe(name string, head snapshot.Commit) bool {
	s, m := c.s, c.mirror
	for c.history != "" || c.restart(head) {
		a, payload, answered := c.call(map[string]any{"channel": "changes", "cursor": c.seq, "backlog": 1 + s.pick("backlog", name, 8)})
		if !answered {
			return false
		}
		switch {
		case a.OK:
			if !c.isInLog(head) && c.seq < head.LastSeq {
				s.fail(oneHistory, "%s: %s accepted seq %d of the history %s; its log is %d to %d of %s", c.job, m.name, c.seq, c.history, head.FirstSeq, head.LastSeq, head.HistoryID)
			}
			c.take(payload)
			return true
		case a.Error.Code == "INVALID_CURSOR" && !c.isInLog(head):
			c.history = ""
			continue
		case a.Error.Code == "INVALID_CURSOR":
			s.fail(clientsAgree, "%s: %s refused seq %d; its log is %d to %d", c.job, m.name, c.seq, head.FirstSeq, head.LastSeq)
		}
		return false
	}
	return false
}

// restart reads everything over HTTP.
func (c *changesChannel) restart(head snapshot.Commit) bool {
	if !c.http.bootstrap(c.mirror) {
		return false
	}
	c.history, c.seq, c.state = head.HistoryID, c.http.seq, c.http.state
	return true
}

// take applies the events of a push, or of the answer to a subscribe.
func (c *changesChannel) take(payload []byte) {
	c.s.book.owners.isForeign(c.job.account, c.mirror.name, "the socket", payload)
	var push struct {
		Cursor uint64        `json:"cursor"`
		Events []changeEvent `json:"events"`
	}
	if err := json.Unmarshal(payload, &push); err != nil {
		c.s.fail(nothingTorn, "%s: %s sent %.200q", c.job, c.mirror.name, payload)
		return
	}
	if len(push.Events) > 0 {
		c.pushes++
	}
	for _, e := range push.Events {
		if e.Seq != c.seq+1 {
			c.s.fail(oneHistory, "%s: %s sent seq %d after %d", c.job, c.mirror.name, e.Seq, c.seq)
		}
		c.seq = e.Seq
		e.apply(c.state)
	}
	if push.Cursor != c.seq {
		c.s.fail(oneHistory, "%s: %s sent the cursor %d after seq %d", c.job, c.mirror.name, push.Cursor, c.seq)
	}
}
