package upstream

import (
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
