package simulation

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"

	"mkt/publish/snapshot"
)

// surfer is a reader of an account that uses the HTTP API, at another server each time.
type surfer struct {
	*surfers
	job    job
	cursor string
	seq    uint64 // newest event that the state has
	state  content
}

// surfers are the clients of all accounts.
type surfers struct {
	book     *book
	accounts []*account
	all      []*surfer
}

func (g *surfers) surfer(j job) *surfer {
	c := &surfer{surfers: g, job: j}
	g.all = append(g.all, c)
	return c
}

// changeEvent is an event of the change log as clients read it.
type changeEvent struct {
	Seq     uint64  `json:"seq"`
	Type    string  `json:"type"`
	Fixture string  `json:"fixture_id"`
	Digest  *string `json:"content_digest"`
}

func (e *changeEvent) apply(to content) {
	if e.Type == "fixture_removed" {
		delete(to, e.Fixture)
	} else {
		to[e.Fixture] = deref(e.Digest)
	}
}

// hasSeq returns a function that reports whether an answer is of a publication with this seq or a later one.
func hasSeq(seq uint64) func(body []byte) bool {
	return func(body []byte) bool {
		var page struct {
			Meta struct {
				Seq uint64 `json:"changes_seq"`
			} `json:"meta"`
		}
		return json.Unmarshal(body, &page) == nil && page.Meta.Seq >= max(seq, 1)
	}
}

// surf asks a replica's server as a client does, and compares with the publication that it has.
func (c *surfer) surf(m *mirror, head snapshot.Commit) {
	if m.server == nil || !m.server.Await(c.job.id, "/fixtures?limit=1", hasSeq(head.LastSeq)) {
		return
	}
	fresh := c.book.content(c.job, head)
	if c.cursor == "" {
		if !c.bootstrap(m) {
			return
		}
	}
	for more := true; more; {
		var page struct {
			Data       []changeEvent `json:"data"`
			Pagination struct {
				Next string `json:"next_cursor"`
				More bool   `json:"has_more"`
			} `json:"pagination"`
		}
		if !c.get(m, "/changes?limit=3&cursor="+url.QueryEscape(c.cursor), &page) {
			return
		}
		for _, e := range page.Data {
			if e.Seq != c.seq+1 {
				c.job.w.fail(oneHistory, "%s over HTTP at %s: seq %d follows %d", c.job, m.name, e.Seq, c.seq)
			}
			c.seq = e.Seq
			e.apply(c.state)
		}
		c.cursor, more = page.Pagination.Next, page.Pagination.More
	}
	if isBehind := c.seq > head.LastSeq; !isBehind && !maps.Equal(c.state, fresh) {
		c.job.w.fail(clientsAgree, "%s over HTTP at %s: version %d: a client has %d fixtures, a fresh start has %d: %s", c.job, m.name, head.Version, len(c.state), len(fresh), difference(c.state, fresh))
	}
	c.foreign(m)
	c.together(m)
}

// bootstrap reads all pages of the fixtures.
func (c *surfer) bootstrap(m *mirror) bool {
	c.state = content{}
	for cursor, first := "", ""; ; {
		var page struct {
			Data []struct {
				Fixture    string `json:"fixture_id"`
				Digest     string `json:"content_digest"`
				Provenance struct {
					Fixture string `json:"provider_fixture_id"`
				} `json:"provenance"`
			} `json:"data"`
			Pagination struct {
				Next string `json:"next_cursor"`
				More bool   `json:"has_more"`
			} `json:"pagination"`
			Meta struct {
				Cursor string `json:"changes_cursor"`
				Seq    uint64 `json:"changes_seq"`
			} `json:"meta"`
		}
		if !c.get(m, "/fixtures?limit=3"+cursor, &page) {
			return false
		}
		if first == "" {
			first, c.seq = page.Meta.Cursor, page.Meta.Seq
		}
		for _, f := range page.Data {
			c.state[f.Fixture] = f.Digest
			if !c.job.said(f.Provenance.Fixture) {
				c.job.w.fail(nothingForeign, "%s over HTTP at %s: the provider never told the account the fixture %s", c.job, m.name, f.Provenance.Fixture)
			}
		}
		if !page.Pagination.More {
			c.cursor = first
			return true
		}
		cursor = "&cursor=" + url.QueryEscape(page.Pagination.Next)
	}
}

// foreign asks for a fixture of another account: the answer must be the one to an unknown fixture.
func (c *surfer) foreign(m *mirror) {
	for _, other := range c.all {
		for id := range other.state {
			if _, own := c.state[id]; own || other.job.id == c.job.id {
				continue
			}
			for _, path := range []string{"", "/markets?limit=2"} {
				if status, body := m.server.Get(c.job.id, "/fixtures/"+id+path); status != 404 {
					c.job.w.fail(nothingForeign, "%s at %s: a fixture of %s: status %d: %.200s", c.job, m.name, other.job.id, status, body)
				}
			}
			return
		}
	}
}

// get reads an answer; false if there is none to judge.
func (c *surfer) get(m *mirror, path string, into any) bool {
	status, body := m.server.Get(c.job.id, path)
	c.book.owners.isForeign(c.job.account, m.name, path, body)
	if status != 200 {
		var refused struct {
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		_ = json.Unmarshal(body, &refused)
		if refused.Error.Code == "INVALID_CURSOR" || status == 500 {
			c.job.w.fail(clientsAgree, "%s over HTTP at %s: %s: status %d %s", c.job, m.name, path, status, refused.Error.Code)
		}
		return false
	}
	if err := json.Unmarshal(body, into); err != nil {
		c.job.w.fail(nothingTorn, "%s over HTTP at %s: %s: %v", c.job, m.name, path, err)
		return false
	}
	return true
}

// samePaths are requests that every account may send.
var samePaths = []string{"/fixtures?limit=3", "/fixtures?limit=200", "/changes?limit=3", "/changes", "/live", "/account", "/account/provider", "/account/usage"}

// together lets all accounts send the same requests to a server at the same time. What is kept of an answer
// for the next request must not be found by another account.
func (c *surfer) together(m *mirror) {
	var ids []string
	for _, a := range c.accounts {
		ids = append(ids, a.id)
	}
	for _, path := range samePaths {
		bodies := m.server.Together(ids, path)
		for _, a := range c.accounts {
			body := bodies[a.id]
			c.book.owners.isForeign(a, m.name, path, body)
			if path == "/account" && !strings.Contains(string(body), `"`+a.id+`"`) {
				c.job.w.fail(nothingForeign, "%s of %s answers %s with %.200s", path, m.name, a.id, body)
			}
		}
	}
}
