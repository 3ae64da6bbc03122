package metrics

import (
	"sync/atomic"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/response"
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

func outcomeOf(a *response.Writer) outcome {
	switch {
	case a.Code == "":
		return answered
	case a.Code == api.RateLimited:
		return rateLimited
	case a.Shed != "":
		return shed
	case a.Code == api.InternalError:
		return failed
	}
	return refused
}

// Traffic counts the requests of one account: those in progress, and all by outcome. Safe for
// concurrent use.
type Traffic struct {
	inFlight atomic.Int64
	ended    [len(outcomes)]atomic.Int64
}

// Enter counts one more request in progress and returns true, or returns false if there are limit
// requests already. After a true result the caller must call Leave.
func (t *Traffic) Enter(limit int64) bool {
	if t.inFlight.Add(1) > limit {
		t.Leave()
		return false
	}
	return true
}

// Leave counts the end of a request that entered.
func (t *Traffic) Leave() { t.inFlight.Add(-1) }

var (
	accountRequests = desc("mkt_account_requests_total", "Requests with an account's token, by outcome: answered, refused, rate_limited, shed (SERVICE_UNAVAILABLE) or failed.", "client_id", "outcome")
	accountStates   = desc("mkt_accounts", "Accounts, by status.", "status")
)

// collectAccounts collects the counts of the current accounts, and deletes those of removed
// ones. A request that was in progress when its account was removed may create a count
// again, which the next scrape deletes.
func (c collector) collectAccounts(gauge, counter send) {
	g := c.Accounts.Load()
	c.traffic.Range(func(id, t any) bool {
		if _, known := g.Find(id.(string)); !known {
			c.traffic.Delete(id)
			return true
		}
		for o, name := range outcomes {
			counter(accountRequests, float64(t.(*Traffic).ended[o].Load()), id.(string), name)
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
