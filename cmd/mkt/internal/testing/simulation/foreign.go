package simulation

import (
	"regexp"
	"strings"
)

// What an answer names: fixtures by their ids, which are different in every account, accounts, and providers.
var (
	fixtureIDs = regexp.MustCompile(`\bfx_[a-z0-9]+`)
	clientIDs  = regexp.MustCompile(`"client_id":"([^"]*)"`)
	providers  = regexp.MustCompile(`"source_provider":"([^"]*)"`)
)

// isForeign fails if an answer to an account names something of another one.
func (c *reader) isForeign(m *mirror, what string, body []byte) {
	c.s.isForeign(c.job.account, m, what, body)
}

func (s *system) isForeign(a *account, m *mirror, what string, body []byte) {
	for _, id := range fixtureIDs.FindAll(body, -1) {
		if owner := s.book.owner(string(id)); owner != "" && owner != a.id {
			s.fail(nothingForeign, "%s of %s answers %s with the fixture %s of %s", what, m.name, a.id, id, owner)
			return
		}
	}
	for _, found := range clientIDs.FindAllSubmatch(body, -1) {
		if string(found[1]) != a.id {
			s.fail(nothingForeign, "%s of %s answers %s with the account %s", what, m.name, a.id, found[1])
		}
	}
	for _, found := range providers.FindAllSubmatch(body, -1) {
		if string(found[1]) != a.provider {
			s.fail(nothingForeign, "%s of %s answers %s with data of %s", what, m.name, a.id, found[1])
		}
	}
}

// samePaths are requests that every account may send.
var samePaths = []string{"/fixtures?limit=3", "/fixtures?limit=200", "/changes?limit=3", "/changes", "/live", "/account", "/account/provider", "/account/usage"}

// together lets all accounts send the same requests to a server at the same time. What is kept of an answer
// for the next request must not be found by another account.
func (s *system) together(m *mirror) {
	var ids []string
	for _, a := range s.accounts {
		ids = append(ids, a.id)
	}
	for _, path := range samePaths {
		bodies := m.server.Together(ids, path)
		for _, a := range s.accounts {
			body := bodies[a.id]
			s.isForeign(a, m, path, body)
			if path == "/account" && !strings.Contains(string(body), `"`+a.id+`"`) {
				s.fail(nothingForeign, "%s of %s answers %s with %.200s", path, m.name, a.id, body)
			}
		}
	}
}
