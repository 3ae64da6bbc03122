package upstream

import (
	"context"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"

	"mkt/fetch/provider"
)

// Circuits remembers, by account, host and credential, what one run learned for
// the next of the same process. The zero value is ready.
type Circuits struct {
	mu    sync.Mutex
	lines map[lineKey]*line

	large turns
}

type lineKey struct{ account, host, credential string }

// line is what all requests of one account to one host share.
type line struct {
	breaker *gobreaker.CircuitBreaker[attempt]
	spacing *rate.Limiter
	places  chan struct{} // taken while a request is under way

	mu       sync.Mutex
	used     time.Time // last
	runs     int       // under way
	paused   time.Time // nothing is sent before
	window   time.Time // of the budget: when it began
	heard    time.Time // the newest request or answer, by the run's clock
	sent     int       // in the window
	budget   provider.Budget
	headers  bool // the provider tells its quota itself
	left     int  // of it, as the newest answer said
	resets   time.Time
	lostRow  int // requests lost for good since the last that was answered
	openings int // of the breaker since then
}

// breakAfter attempts in a row without an answer, the breaker opens: nothing is
// sent for a while, then one attempt, which closes it or opens it anew.
const breakAfter = 6

// forget is when a line that nobody used is dropped.
const forget = 2 * time.Hour

func (c *Circuits) line(account, host, credential string, b provider.Budget, breakFor time.Duration) *line {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for k, l := range c.lines {
		if l.idle(now) {
			delete(c.lines, k)
		}
	}
	key := lineKey{account, host, credential}
	l, ok := c.lines[key]
	if !ok {
		l = newLine(b, breakFor)
		if c.lines == nil {
			c.lines = map[lineKey]*line{}
		}
		c.lines[key] = l
	}
	return l
}

func newLine(b provider.Budget, breakFor time.Duration) *line {
	spacing := rate.Limit(b.Burst)
	if b.Burst <= 0 {
		spacing = 5
	}
	l := &line{
		spacing: rate.NewLimiter(spacing, 1),
		places:  make(chan struct{}, max(1, b.Concurrency)),
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

// begin starts a run on the line; end must be called. Whether to ask at all was
// judged by whoever starts the run: what an earlier one was told about its quota
// holds no request back, or else a quota that was enlarged would never be noticed.
// For the same reason the budget begins anew if the provider has said, after the
// requests that were counted, that more are left.
func (l *line) begin(now, clock, quotaLeftAt time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == 0 {
		l.paused = time.Time{}
	}
	if quotaLeftAt.After(l.heard) && !quotaLeftAt.After(clock) {
		l.sent = 0
	}
	l.runs++
	l.used, l.lostRow, l.openings = now, 0, 0
}

// end ends a run on the line.
func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs--
}

func (l *line) idle(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs == 0 && now.Sub(l.used) > forget
}

// pause holds every request back until then.
func (l *line) pause(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.paused) {
		l.paused = until
	}
}

// wait is how long nothing may be sent: the provider asked for it, or the
// window's budget is used up and the provider does not tell its quota itself.
func (l *line) wait(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := l.paused.Sub(now)
	if l.budget.Requests > 0 && !l.headers && l.sent >= l.budget.Requests {
		wait = max(wait, l.window.Add(l.budget.Window).Sub(now))
	}
	return max(0, wait)
}

// count records one request that was sent; clock is the run's.
func (l *line) count(now, clock time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.window) >= l.budget.Window {
		l.window, l.sent = now, 0
	}
	l.sent++
	l.used, l.heard = now, latest(l.heard, clock)
}

// answeredAt notes when an answer came, by the run's clock.
func (l *line) answeredAt(clock time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = latest(l.heard, clock)
}

// tellsQuota: the provider's headers say how much is left, and until when.
func (l *line) tellsQuota(left int, resets time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.headers, l.left, l.resets = true, left, resets
}

// quota is what may still be sent: what the provider said last, or what is left
// of the budget.
func (l *line) quota(now time.Time) (provider.Quota, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.headers {
		return provider.Quota{Left: max(0, l.left), Resets: max(0, l.resets.Sub(now))}, l.resets.After(now)
	}
	ends := l.window.Add(l.budget.Window)
	return provider.Quota{Left: max(0, l.budget.Requests-l.sent), Resets: max(0, ends.Sub(now))}, l.budget.Requests > 0 && ends.After(now)
}

// answered and lost keep the number of requests lost in a row.
func (l *line) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lostRow, l.openings = 0, 0
}

// opened is how often the breaker opened since the last answer.
func (l *line) opened() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.openings
}

func (l *line) lost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lostRow++
	return l.lostRow
}

// enter takes a place, and a turn; leave gives the place back.
func (l *line) enter(ctx context.Context) error {
	select {
	case l.places <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := l.spacing.Wait(ctx); err != nil {
		l.leave()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errBudget // its turn comes after the deadline
	}
	return nil
}

func (l *line) leave() { <-l.places }
