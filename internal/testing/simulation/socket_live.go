package simulation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"time"

	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// liveChannel is the channel of matches in play. Over HTTP the client reads what it has at the subscribe; each
// push replaces that.
type liveChannel struct {
	*subscriber
	shown livePage
	level int           // staleness of the feed at the subscribe
	since time.Time     // publication of the subscribe
	seen  map[int64]int // pushes of this subscription, by the time of their publication

	matches map[string]string // in play, by the account that was shown it last
}

// livePage is the body of GET /live, or of a push.
type livePage struct {
	Data []map[string]json.RawMessage `json:"data"`
	Meta liveMeta                     `json:"meta"`
}

type liveMeta struct {
	Fixtures  int        `json:"live_fixture_count"`
	Fetched   *time.Time `json:"provider_fetched_at"`
	Processed *time.Time `json:"processed_at"`
	Published time.Time  `json:"published_at"`
}

func text(item map[string]json.RawMessage, name string) (s string) {
	_ = json.Unmarshal(item[name], &s) // no text is none
	return s
}

func isStale(item map[string]json.RawMessage) bool {
	var visual struct {
		State string `json:"state"`
	}
	_ = json.Unmarshal(item["visual_state"], &visual) // it may be null
	return visual.State == string(football.VisualStale)
}

// await implements [channel].
func (c *liveChannel) await(head snapshot.Commit) bool {
	return c.mirror.server.Await(c.job.id, "/live?limit=1", func(body []byte) bool {
		var page livePage
		return json.Unmarshal(body, &page) == nil && !page.Meta.Published.Before(head.PublishedAt)
	})
}

// ask reads the matches in play over HTTP, and compares them with the publication.
func (c *liveChannel) ask(head snapshot.Commit) (page livePage, answered bool) {
	if !c.http.get(c.mirror, "/live?limit=200", &page) {
		return page, false
	}
	if !page.Meta.Published.Equal(head.PublishedAt) {
		c.s.fail(clientsAgree, "%s over HTTP at %s: version %d was published at %s, the answer at %s", c.job, c.mirror.name, head.Version, head.PublishedAt, page.Meta.Published)
	}
	c.isWhole(&page, "over HTTP")
	if len(page.Data) > 0 {
		c.matches[c.job.id] = text(page.Data[0], "fixture_id")
	}
	return page, true
}

// isWhole checks that an answer or a push has the fixtures in play of its publication, and no others. Of one that only
// a worker had that lost its disk, and that the replica has no more, nobody knows them.
func (c *liveChannel) isWhole(page *livePage, how string) {
	list, known := c.s.book.inPlay(c.job, page.Meta.Published)
	isSame := !known || page.Meta.Fixtures == len(list) && len(page.Data) == len(list)
	for i, item := range page.Data {
		var score struct{ Home, Away *int32 }
		if err := json.Unmarshal(item["score"], &score); err != nil {
			c.s.fail(nothingTorn, "%s %s of %s: %v", c.job, how, c.mirror.name, err)
			return
		}
		isSame = isSame && (!known || text(item, "fixture_id") == list[i].fixture && scoreText(score.Home, score.Away) == list[i].score)
	}
	if !isSame {
		c.s.fail(nothingTorn, "%s %s of %s: what was published at %s has in play %v; the answer has %d of %d: %s",
			c.job, how, c.mirror.name, page.Meta.Published, list, len(page.Data), page.Meta.Fixtures, page.Data)
	}
}

// subscribe implements [channel].
func (c *liveChannel) subscribe(_ string, head snapshot.Commit) bool {
	fresh, answered := c.ask(head)
	if !answered {
		return false
	}
	a, _, answered := c.call(map[string]any{"channel": "live"})
	if !answered || !a.OK {
		return false
	}
	if a.Fixtures != fresh.Meta.Fixtures || a.Processed == nil || fresh.Meta.Processed == nil || !a.Processed.Equal(*fresh.Meta.Processed) {
		c.s.fail(clientsAgree, "%s: %s answers a subscribe with %d fixtures processed at %s, and a request with %d processed at %s",
			c.job, c.mirror.name, a.Fixtures, a.Processed, fresh.Meta.Fixtures, fresh.Meta.Processed)
	}
	c.shown, c.since, c.level, c.seen = fresh, fresh.Meta.Published, c.staleness(fresh.Meta.Published), map[int64]int{}
	return true
}

// receive reads pushes until what they show is what a request shows now.
func (c *liveChannel) receive(head snapshot.Commit) bool {
	fresh, answered := c.ask(head)
	if !answered {
		c.cut()
		return false
	}
	for !c.isCurrent(&fresh, head) {
		event, payload, err := c.socket.Next()
		switch {
		case errors.Is(err, io.EOF):
			c.cut()
			c.s.fail(clientsAgree, "%s: %s ended a connection to the matches in play", c.job, c.mirror.name)
			return false
		case err != nil:
			c.s.fail(clientsAgree, "%s: %s sent no push of version %d at staleness %d; the client has what was published at %s", c.job, c.mirror.name, head.Version, c.staleness(head.PublishedAt), c.shown.Meta.Published)
			return false
		case event == "channel_closed":
			c.cut()
			return false
		case event == "live" && !c.take(payload):
			return false
		}
	}
	return true
}

func (c *liveChannel) staleness(published time.Time) int {
	list, _ := c.s.book.inPlay(c.job, published)
	return staleness(list, c.mirror.now())
}

// take applies a push. It is of no older publication than before, and no publication is sent again unless its feed
// has become more stale.
func (c *liveChannel) take(payload []byte) bool {
	c.s.book.owners.isForeign(c.job.account, c.mirror.name, "the socket", payload)
	var push livePage
	if err := json.Unmarshal(payload, &push); err != nil {
		c.s.fail(nothingTorn, "%s: %s sent %.200q", c.job, c.mirror.name, payload)
		return false
	}
	at, before := push.Meta.Published, c.shown.Meta.Published
	if at.Before(before) {
		c.s.fail(oneHistory, "%s: %s sent what was published at %s after %s", c.job, c.mirror.name, at, before)
		return false
	}
	c.isWhole(&push, "over the socket")
	most := c.staleness(at)
	if at.Equal(c.since) {
		most -= c.level
	} else {
		most++
	}
	_, known := c.s.book.inPlay(c.job, at)
	if c.seen[at.UnixMilli()]++; known && c.seen[at.UnixMilli()] > most {
		c.s.fail(clientsAgree, "%s: %s sent what was published at %s %d times; its feed allows %d", c.job, c.mirror.name, at, c.seen[at.UnixMilli()], most)
	}
	c.shown, c.pushes = push, c.pushes+1
	return true
}

// isCurrent reports whether the client has what a request shows now. Of a publication only time may have changed
// something since it was sent: a fixture is stale now. The client must know that once all with a running clock are,
// and again once all are.
func (c *liveChannel) isCurrent(fresh *livePage, head snapshot.Commit) bool {
	if !c.shown.Meta.Published.Equal(fresh.Meta.Published) {
		return false
	}
	list, _ := c.s.book.inPlay(c.job, head.PublishedAt)
	level, isComplete := c.staleness(head.PublishedAt), true
	for i, item := range fresh.Data {
		if i >= len(c.shown.Data) || i >= len(list) {
			break // isWhole says it
		}
		shown, now := maps.Clone(c.shown.Data[i]), maps.Clone(item)
		if isStale(now) && !isStale(shown) {
			isComplete = isComplete && level < 2 && (level < 1 || !list[i].runs)
			for _, name := range []string{"visual_state", "momentum", "unavailable_reason"} {
				delete(shown, name)
				delete(now, name)
			}
		}
		age := withoutAge(now) - withoutAge(shown)
		if age < 0 || !maps.EqualFunc(shown, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			c.s.fail(clientsAgree, "%s over the socket of %s: version %d: a client has %s, a fresh start has %s", c.job, c.mirror.name, head.Version, c.shown.Data[i], item)
		}
	}
	return isComplete
}

// withoutAge removes the age from the momentum of a fixture, and returns it in milliseconds.
func withoutAge(item map[string]json.RawMessage) (ms int64) {
	var momentum map[string]json.RawMessage
	if json.Unmarshal(item["momentum"], &momentum) != nil || momentum == nil {
		return 0
	}
	_ = json.Unmarshal(momentum["feed_age_ms"], &ms) // no number is 0
	delete(momentum, "feed_age_ms")
	item["momentum"], _ = json.Marshal(momentum) // it was decoded just now
	return ms
}

// compare asks for a single fixture, which is the listed one, and for one of another account.
func (c *liveChannel) compare(head snapshot.Commit) {
	fresh, answered := c.ask(head)
	if !answered || len(fresh.Data) == 0 {
		return
	}
	item := fresh.Data[c.s.pick("single", c.job.id+c.mirror.name+head.SHA256, len(fresh.Data))]
	var single struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if c.http.get(c.mirror, "/live/"+text(item, "fixture_id"), &single) {
		for _, name := range sorted(item) {
			if !bytes.Equal(single.Data[name], item[name]) {
				c.s.fail(clientsAgree, "%s at %s: version %d: %s of %s is %s, in the list %s", c.job, c.mirror.name, head.Version, name, item["fixture_id"], single.Data[name], item[name])
			}
		}
	}
	for other, id := range c.matches {
		if other == c.job.id || c.s.book.owners.owner(id) == "" {
			continue
		}
		if status, body := c.mirror.server.Get(c.job.id, "/live/"+id); status != 404 {
			c.s.fail(nothingForeign, "%s at %s: a match of %s: status %d: %.200s", c.job, c.mirror.name, other, status, body)
		}
	}
}
