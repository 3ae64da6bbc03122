package simulation

import (
	"encoding/json"
	"maps"
	"net/url"

	"mkt/publish/snapshot"
)

// Server is mkt serve over the copy of a replica. It runs outside of the simulated time: it blocks on
// real files and connections, during which that time stands still.
type Server interface {
	// Get returns the answer to a request of an account.
	Get(account, path string) (status int, body []byte)
	// Together returns the answers to the same request of several accounts at the same time.
	Together(accounts []string, path string) (bodies map[string][]byte)
	// Await repeats a request of an account until the body of its answer is the newest one, and reports whether it is.
	Await(account, path string, isNewest func(body []byte) bool) bool
	// Dial opens a connection over Socket.IO.
	Dial(account string) (Socket, error)
}

// surfer is a reader of an account that uses the HTTP API, at another server each time.
type surfer struct {
	cursor string
	seq    uint64 // newest event that the state has
	state  content
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
func (c *reader) surf(m *mirror, head snapshot.Commit) {
	s := c.s
	if m.server == nil || !m.server.Await(c.job.id, "/fixtures?limit=1", hasSeq(head.LastSeq)) {
		return
	}
	fresh := s.book.content(c.job, head)
	if c.http.cursor == "" {
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
		if !c.get(m, "/changes?limit=3&cursor="+url.QueryEscape(c.http.cursor), &page) {
			return
		}
		for _, e := range page.Data {
			if e.Seq != c.http.seq+1 {
				s.fail(oneHistory, "%s over HTTP at %s: seq %d follows %d", c.job, m.name, e.Seq, c.http.seq)
			}
			c.http.seq = e.Seq
			e.apply(c.http.state)
		}
		c.http.cursor, more = page.Pagination.Next, page.Pagination.More
	}
	if isBehind := c.http.seq > head.LastSeq; !isBehind && !maps.Equal(c.http.state, fresh) {
		s.fail(clientsAgree, "%s over HTTP at %s: version %d: a client has %d fixtures, a fresh start has %d: %s", c.job, m.name, head.Version, len(c.http.state), len(fresh), difference(c.http.state, fresh))
	}
	c.foreign(m)
	c.s.together(m)
}

// bootstrap reads all pages of the fixtures.
func (c *reader) bootstrap(m *mirror) bool {
	c.http.state = content{}
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
			first, c.http.seq = page.Meta.Cursor, page.Meta.Seq
		}
		for _, f := range page.Data {
			c.http.state[f.Fixture] = f.Digest
			if !c.job.said(f.Provenance.Fixture) {
				c.s.fail(nothingForeign, "%s over HTTP at %s: the provider never told the account the fixture %s", c.job, m.name, f.Provenance.Fixture)
			}
		}
		if !page.Pagination.More {
			c.http.cursor = first
			return true
		}
		cursor = "&cursor=" + url.QueryEscape(page.Pagination.Next)
	}
}

// foreign asks for a fixture of another account: the answer must be the one to an unknown fixture.
func (c *reader) foreign(m *mirror) {
	for _, other := range c.s.readers {
		for id := range other.http.state {
			if _, own := c.http.state[id]; own || other.job.id == c.job.id {
				continue
			}
			for _, path := range []string{"", "/markets?limit=2"} {
				if status, body := m.server.Get(c.job.id, "/fixtures/"+id+path); status != 404 {
					c.s.fail(nothingForeign, "%s at %s: a fixture of %s: status %d: %.200s", c.job, m.name, other.job.id, status, body)
				}
			}
			return
		}
	}
}

// get reads an answer; false if there is none to judge.
func (c *reader) get(m *mirror, path string, into any) bool {
	status, body := m.server.Get(c.job.id, path)
	c.isForeign(m, path, body)
	if status != 200 {
		var refused struct {
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		_ = json.Unmarshal(body, &refused)
		if refused.Error.Code == "INVALID_CURSOR" || status == 500 {
			c.s.fail(clientsAgree, "%s over HTTP at %s: %s: status %d %s", c.job, m.name, path, status, refused.Error.Code)
		}
		return false
	}
	if err := json.Unmarshal(body, into); err != nil {
		c.s.fail(nothingTorn, "%s over HTTP at %s: %s: %v", c.job, m.name, path, err)
		return false
	}
	return true
}
