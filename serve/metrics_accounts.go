package serve

import (
	"sync"
	"sync/atomic"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// outcome is the result of a request with an account's token.
type outcome int

const (
	answered outcome = iota
	refused
	rateLimited
	shed
	failed
)

var outcomes = [...]string{answered: "answered", refused: "refused", rateLimited: "rate_limited", shed: "shed", failed: "failed"}

func (a *answer) outcome() outcome {
	switch {
	case a.code == "":
		return answered
	case a.code == api.RateLimited:
		return rateLimited
	case a.shed != notShed:
		return shed
	case a.code == api.InternalError:
		return failed
	}
	return refused
}

// accountCounts counts requests by account and outcome. Safe for concurrent use.
type accountCounts struct{ byID sync.Map } // client id → *[len(outcomes)]atomic.Int64

func (c *accountCounts) add(clientID string, o outcome) {
	n, ok := c.byID.Load(clientID)
	if !ok {
		n, _ = c.byID.LoadOrStore(clientID, new([len(outcomes)]atomic.Int64))
	}
	n.(*[len(outcomes)]atomic.Int64)[o].Add(1)
}

var (
	accountRequests = desc("mkt_account_requests_total", "Requests with an account's token, by outcome: answered, refused, rate_limited, shed (SERVICE_UNAVAILABLE) or failed.", "client_id", "outcome")
	accountStates   = desc("mkt_accounts", "Accounts, by status.", "status")
)

// collectAccounts collects the counts of the current accounts, and deletes those of removed
// ones. A request that was in progress when its account was removed may create a count
// again, which the next scrape deletes.
func (s *server) collectAccounts(gauge, counter send) {
	g, counts := s.accounts.Load(), &s.metrics.accounts.byID
	counts.Range(func(id, n any) bool {
		if _, known := g.Find(id.(string)); !known {
			counts.Delete(id)
			return true
		}
		for o, name := range outcomes {
			counter(accountRequests, float64(n.(*[len(outcomes)]atomic.Int64)[o].Load()), id.(string), name)
		}
		return true
	})
	states := map[account.Status]int{account.Active: 0, account.Suspended: 0, account.Revoked: 0}
	for _, a := range g.Accounts() {
		states[a.Status]++
	}
	for status, n := range states {
		gauge(accountStates, float64(n), string(status))
	}
}
