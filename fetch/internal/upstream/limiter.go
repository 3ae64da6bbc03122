package upstream

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"

	"mkt/fetch/provider"
)

// Circuits keeps one limiter for each account, host and credential, so a run
// knows the findings of earlier runs of the process. The zero value is ready for use.
type Circuits struct {
	mu       sync.Mutex
	limiters map[limiterKey]*hostLimiter

	large chan struct{} // one is taken while a client has a large answer
}

type limiterKey struct{ account, host, credential string }

// hostLimiter limits the requests of one account to one host: all of its runs share
// the circuit breaker, the rate, the number at once and the quota.
type hostLimiter struct {
	breaker *gobreaker.CircuitBreaker[attempt]
	spacing *rate.Limiter
	slots   chan struct{} // one is taken while a request is under way

	mu       sync.Mutex
	used     time.Time // by the last request or run
	runs     int       // number of runs under way
	paused   time.Time // nothing is sent before this time
	window   time.Time // start of the budget's window
	heard    time.Time // time of the newest request or answer, by the run's clock
	sent     int       // requests in the window
	budget   provider.Budget
	headers  bool // the provider reports its quota in headers
	left     int  // requests left of the quota, by the newest answer
	limit    int  // of the quota, as it was last reported to this run or an earlier one; 0 if not known
	resets   time.Time
	openings int // of the breaker since the last answer
}

// breakAfter is how many attempts in a row without an answer open the breaker. An
// open breaker sends nothing for a while, then makes one attempt, which closes it or
// opens it again.
const breakAfter = 6

// forget is the time after which an unused limiter is dropped.
const forget = 2 * time.Hour

func (c *Circuits) limiter(account, host, credential string, b provider.Budget, breakFor time.Duration, now time.Time) *hostLimiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, l := range c.limiters {
		if l.idle(now) {
			delete(c.limiters, k)
		}
	}
	if c.large == nil {
		c.large = make(chan struct{}, largeAtOnce)
	}
	key := limiterKey{account, host, credential}
	l, ok := c.limiters[key]
	if !ok {
		l = newHostLimiter(b, breakFor)
		if c.limiters == nil {
			c.limiters = map[limiterKey]*hostLimiter{}
		}
		c.limiters[key] = l
	}
	return l
}

func newHostLimiter(b provider.Budget, breakFor time.Duration) *hostLimiter {
	spacing := rate.Limit(b.Burst)
	if b.Burst <= 0 {
		spacing = 5
	}
	l := &hostLimiter{
		spacing: rate.NewLimiter(spacing, 1),
		slots:   make(chan struct{}, max(1, b.Concurrency)),
		budget:  b,
	}
	l.breaker = gobreaker.NewCircuitBreaker[attempt](gobreaker.Settings{
		Timeout:     breakFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= breakAfter },
		IsExcluded:  func(err error) bool { return err == errGivenUp },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.openings++
			}
		},
	})
	return l
}

// begin starts a run; end must be called. The caller has decided to allow the run. What an
// earlier run learned about its quota delays no request, since an enlarged quota would
// otherwise never be noticed. For the same reason the count of requests restarts if the
// provider has reported requests left since these were counted. limit is the quota's limit as an
// earlier run learned it, 0 if not known.
func (l *hostLimiter) begin(now, clock, quotaLeftAt time.Time, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == 0 {
		l.paused = time.Time{}
	}
	if quotaLeftAt.After(l.heard) && !quotaLeftAt.After(clock) {
		l.sent = 0
	}
	if l.limit == 0 {
		l.limit = limit
	}
	l.runs++
	l.used, l.openings = now, 0
}

// end ends a run.
func (l *hostLimiter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs--
}

func (l *hostLimiter) idle(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs == 0 && now.Sub(l.used) > forget
}

// pause delays every request until a time.
func (l *hostLimiter) pause(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.paused) {
		l.paused = until
	}
}

// wait returns how long nothing may be sent: because the provider asked for it, or
// because the window's budget is used up and the provider does not report its quota.
func (l *hostLimiter) wait(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := l.paused.Sub(now)
	if l.budget.Requests > 0 && !l.headers && l.sent >= l.budget.Requests {
		wait = max(wait, l.window.Add(l.budget.Window).Sub(now))
	}
	return max(0, wait)
}

// count records one request that was sent. The time clock is of the run's clock.
func (l *hostLimiter) count(now, clock time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.window) >= l.budget.Window {
		l.window, l.sent = now, 0
	}
	l.sent++
	l.used, l.heard = now, latest(l.heard, clock)
}

// answeredAt records when an answer arrived, by the run's clock.
func (l *hostLimiter) answeredAt(clock time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = latest(l.heard, clock)
}

// reportQuota records the provider's report of the quota. A report without a limit keeps the one before.
func (l *hostLimiter) reportQuota(q provider.Quota, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.headers, l.left, l.limit, l.resets = true, q.Left, cmp.Or(q.Limit, l.limit), now.Add(q.Resets)
}

// lastLimit returns the quota's limit as it was last reported, 0 if not known.
func (l *hostLimiter) lastLimit() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// quota returns the requests that may still be sent: by the provider's last report, or
// the rest of the budget.
func (l *hostLimiter) quota(now time.Time) (provider.Quota, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.headers {
		return provider.Quota{Left: max(0, l.left), Limit: l.limit, Resets: max(0, l.resets.Sub(now))}, l.resets.After(now)
	}
	ends := l.window.Add(l.budget.Window)
	return provider.Quota{Left: max(0, l.budget.Requests-l.sent), Limit: cmp.Or(l.limit, l.budget.Requests), Resets: max(0, ends.Sub(now))}, l.budget.Requests > 0 && ends.After(now)
}

// answered records that an answer was received.
func (l *hostLimiter) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.openings = 0
}

// opened returns how often the breaker opened since the last answer.
func (l *hostLimiter) opened() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.openings
}

// enter takes a slot and waits for the rate; leave returns the slot.
func (l *hostLimiter) enter(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := l.spacing.Wait(ctx); err != nil {
		l.leave()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errBudget // the rate would allow it after the deadline
	}
	return nil
}

func (l *hostLimiter) leave() { <-l.slots }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
