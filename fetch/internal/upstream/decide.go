package upstream

import (
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
)

// giveUpOpenings is how often the breaker opens without an answer in between before
// the provider counts as down and the run stops asking.
const giveUpOpenings = 3

// rejectedTries is how often a request is sent whose answer cannot be the requested one.
// That may be an accident of a front server, but more tries do not help.
const rejectedTries = 2

// final is the wait that decide returns if there is no other try.
const final = -1

// decide judges an attempt: it returns no error, a final error, or an error and how
// long to wait at least before the next try.
func (c *Client) decide(ask *asking, a attempt, n int) (wait time.Duration, err error) {
	endpoint := ask.endpoint
	if a.failed != nil && !a.answered {
		return c.undelivered(endpoint, a.failed, n)
	}
	v := a.answer.Verdict
	refusal := &provider.AnswerError{Endpoint: endpoint, Status: a.answer.Status, Verdict: v}
	switch v.Kind {
	case provider.Accepted:
		c.limiter.answered()
		return 0, nil
	case provider.CredentialFault, provider.PermissionFault:
		return c.confirm(ask, refusal)
	case provider.Limited:
		c.dispel(ask) // an account whose quota is counted is known
		if n >= c.limits.Tries {
			return final, c.endForQuota(refusal, asked(v, a.answer.Header, c.options.Now()))
		}
		return 0, refusal // admit waits, or ends the run
	case provider.Retryable:
		err := fmt.Errorf("%w: %w (%s)", provider.ErrUnreachable, refusal, tried(n))
		if a.failed != nil {
			err = fmt.Errorf("%s: %w: %w (%s)", endpoint, provider.ErrUnreachable, &partial{a.failed, refusal}, tried(n))
		}
		h, now := a.answer.Header, c.options.Now()
		isAbsurd := retryAfter(h, clockOf(h, now)) > maxAsked // no wait of this run is what it asks for
		if n >= c.limits.Tries || isAbsurd || a.failed != nil && a.failed.once {
			return final, err
		}
		return asked(v, h, now), err
	}
	c.limiter.answered()
	if n >= min(rejectedTries, c.limits.Tries) || v.Code == codeRedirect || a.failed != nil && a.failed.once {
		return final, refusal
	}
	return 0, refusal
}

// tried says how often a request was sent.
func tried(n int) string {
	if n == 1 {
		return "tried once"
	}
	return fmt.Sprintf("tried %d times", n)
}

// undelivered decides if there was no answer at all.
func (c *Client) undelivered(endpoint string, f *failure, n int) (time.Duration, error) {
	if f == badRequest {
		return final, fmt.Errorf("%s: %w", endpoint, f)
	}
	err := fmt.Errorf("%s: %w: %w (%s)", endpoint, provider.ErrUnreachable, f, tried(n))
	switch {
	case f.once:
		c.stop(err)
		return final, err
	case n >= c.limits.Tries:
		return final, err
	}
	return 0, err
}

// partial is the error of an answer that broke off. Its text is the reason, and it
// wraps the *provider.AnswerError.
type partial struct {
	failed  *failure
	refusal *provider.AnswerError
}

func (p *partial) Error() string { return p.failed.text }
func (p *partial) Unwrap() error { return p.refusal }

// dispel ends the doubt if ask is the request that is to confirm it.
func (c *Client) dispel(ask *asking) {
	if ask.confirming {
		ask.confirming = false
		c.doubt.end()
	}
}

// errUnconfirmed means no time was left to confirm a refusal. It does not wrap the
// refusal, which may be a mistake.
var errUnconfirmed = errors.New("refused once, and there was no time to repeat the request")

// confirm judges a refusal. It is final only if one request is refused twice in a row,
// with a pause in between; until then the request is repeated after wait.
func (c *Client) confirm(ask *asking, refusal *provider.AnswerError) (wait time.Duration, err error) {
	if ask.confirming {
		c.stop(refusal) // before the others go on
		return final, refusal
	}
	if c.options.Monotonic().Add(c.limits.Confirm).After(c.deadline) {
		return final, fmt.Errorf("%s: %w: %w", refusal.Endpoint, provider.ErrUnreachable, errUnconfirmed)
	}
	if ask.confirming = c.doubt.begin(); !ask.confirming {
		return 0, refusal // admit waits for the other one
	}
	c.options.Log.Warn("the provider refuses; the request is repeated before that counts", "endpoint", refusal.Endpoint,
		"reason", refusal.Verdict.Code, "wait_ms", c.limits.Confirm.Milliseconds())
	return c.limits.Confirm, refusal
}

// asking is one request until it has an accepted answer.
type asking struct {
	endpoint   string
	confirming bool // it was refused, and is repeated to confirm that
}
