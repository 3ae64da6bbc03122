package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Socket is a connection of an account to a [Server] over Socket.IO.
type Socket interface {
	// Call sends an event and returns the answer to it.
	Call(event string, payload any) ([]byte, error)
	// Next waits for the next event from the server. The error is [io.EOF] if the connection has ended,
	// and another one if nothing comes for a long time.
	Next() (event string, payload []byte, err error)
	// Cut ends the connection as a failure of the network does.
	Cut()
}

// subscriber is a client of an account that follows a channel over a socket. It reads pushes when something is
// published, lags at times, and is cut off at times. Then it connects to whichever replica it reaches: that one may
// be ahead of the other or behind it.
type subscriber struct {
	reader
	channel
	moves  bool // to another replica whenever it has received something; otherwise it is cut off at times
	pushes int  // that brought news
	mirror *mirror
	of     *life // of the mirror, when the connection began
	socket Socket
}

// channel is what a subscriber does with the newest publication of its replica.
type channel interface {
	// await waits until the server has the publication, and reports whether it does.
	await(head snapshot.Commit) bool
	// subscribe subscribes on a new connection, and reports whether that worked.
	subscribe(name string, head snapshot.Commit) bool
	// receive reads pushes until the client has everything. It returns false if the connection or the
	// subscription has ended.
	receive(head snapshot.Commit) bool
	// compare compares what the client has with the publication.
	compare(head snapshot.Commit)
}

func (s *system) subscriber(j job, home *life, moves bool) *subscriber {
	c := &subscriber{reader: reader{s: s, job: j, life: home}, moves: moves}
	c.channel = &changesChannel{c}
	if j.product == football.LiveIntelligence {
		c.channel = &liveChannel{subscriber: c}
	}
	return c
}

// listen is the program of a subscriber.
func (s *system) listen(ctx context.Context, c *subscriber) {
	defer c.cut()
	for {
		name, err := s.enter(c.life, "listen", c.job.String())
		if err != nil {
			return
		}
		news := s.book.news(c.job)
		if c.socket != nil && (c.mirror.alive() != c.of || !c.moves && s.pick("cut", name, 5) == 0) {
			c.cut()
		}
		if c.socket == nil {
			c.mirror = s.mirrors[s.pick("mirror", name, len(s.mirrors))]
		}
		before := c.pushes
		if s.pick("lag", name, 4) > 0 && c.catchUp(name) && c.moves && c.pushes > before {
			c.cut()
			c.mirror = s.mirrors[(slices.Index(s.mirrors, c.mirror)+1)%len(s.mirrors)]
			c.catchUp(name)
		}
		over := time.NewTimer(s.pause(name))
		if s.pick("cut off", name, 40) == 0 {
			c.cut()
			news = nil
		}
		select {
		case <-over.C:
		case <-news:
			sleep(ctx, s.span("news", name, 0, 2*time.Second)) // the replicas have it at different times
		case <-ctx.Done():
		}
		over.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

func (c *subscriber) cut() {
	if c.socket != nil {
		c.socket.Cut()
		c.socket = nil
	}
}

// catchUp receives everything up to the newest publication of its replica, and compares. It returns false if the
// server does not answer.
func (c *subscriber) catchUp(name string) (isComplete bool) {
	m := c.mirror
	root, head := c.look(m)
	if root == nil {
		return false
	}
	defer root.Close()
	if !c.await(head) {
		return false
	}
	isComplete = c.socket != nil && c.receive(head)
	if c.socket == nil { // the server may have ended the connection
		isComplete = c.connect(name, head) && c.receive(head)
	}
	if isComplete {
		c.compare(head)
	}
	return isComplete
}

// connect opens a connection, and subscribes.
func (c *subscriber) connect(name string, head snapshot.Commit) bool {
	socket, err := c.mirror.server.Dial(c.job.id)
	if err != nil {
		c.s.fail(progress, "%s: %s accepts no connection: %v", c.job, c.mirror.name, err)
		return false
	}
	c.socket, c.of = socket, c.mirror.alive()
	if !c.subscribe(name, head) {
		c.cut()
		return false
	}
	return true
}

// subscribed is the answer to a subscribe.
type subscribed struct {
	OK    bool `json:"ok"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
	Processed *time.Time `json:"processed_at"`
	Fixtures  int        `json:"fixture_count"`
}

// call sends a subscribe. answered is false if there is no answer to judge.
func (c *subscriber) call(message map[string]any) (a subscribed, payload []byte, answered bool) {
	payload, err := c.socket.Call("subscribe", message)
	if err != nil {
		c.s.fail(progress, "%s: %s does not answer a subscribe: %v", c.job, c.mirror.name, err)
		return a, nil, false
	}
	if err := json.Unmarshal(payload, &a); err != nil {
		c.s.fail(nothingTorn, "%s: %s answered a subscribe with %.200q", c.job, c.mirror.name, payload)
		return a, nil, false
	}
	return a, payload, true
}

// finally checks that every server answers every account after the quiet time.
func (s *system) finally() {
	for _, c := range s.listens {
		for _, m := range s.mirrors {
			last := s.subscriber(c.job, c.life, false)
			last.mirror = m
			if !last.catchUp("final") {
				s.fail(progress, "%s: the server of %s does not answer", c.job, m.name)
			}
			last.cut()
		}
	}
}

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

// subscribe subscribes after the client's newest event, and reads everything anew if the log does not go
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
	if !c.bootstrap(c.mirror) {
		return false
	}
	c.history, c.seq, c.state = head.HistoryID, c.http.seq, c.http.state
	return true
}

// take applies the events of a push, or of the answer to a subscribe.
func (c *changesChannel) take(payload []byte) {
	c.isForeign(c.mirror, "the socket", payload)
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
