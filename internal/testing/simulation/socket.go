package simulation

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"mkt/publish/snapshot"
)

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

// listen is the program of a subscriber.
func (c *subscriber) listen(ctx context.Context) {
	s := c.s
	defer c.cut()
	for {
		name, err := c.life.enter("listen", c.job.String())
		if err != nil {
			return
		}
		news := s.book.news(c.job)
		if c.socket != nil && (c.mirror.alive() != c.of || !c.moves && s.pick("cut", name, 5) == 0) {
			c.cut()
		}
		if c.socket == nil {
			c.mirror = c.mirrors[s.pick("mirror", name, len(c.mirrors))]
		}
		before := c.pushes
		if s.pick("lag", name, 4) > 0 && c.catchUp(name) && c.moves && c.pushes > before {
			c.cut()
			c.mirror = c.mirrors[(slices.Index(c.mirrors, c.mirror)+1)%len(c.mirrors)]
			c.catchUp(name)
		}
		over := time.NewTimer(c.pause(name))
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
