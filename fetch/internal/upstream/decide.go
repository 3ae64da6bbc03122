package upstream

import (
	"fmt"
	"time"

	"mkt/fetch/provider"
)

// giveUpOpenings is how often the breaker opens without an answer in between before
// the provider counts as down and the run stops asking.
const giveUpOpenings = 3

// rejectedTries: an answer that cannot be what was asked for may be an accident
// of a front server, but asking often does not make it better.
const rejectedTries = 2

// final is decide's wait when there is no other try.
const final = -1

// decide says what an attempt means: no error, an error for good, or an error
// and how long to wait at least before the next try.
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
		c.dispel(ask) // whose quota is counted is known
		if n >= c.limits.Tries {
			return final, c.endForQuota(refusal, asked(v, a.answer.Header, c.options.Now()))
		}
		return 0, refusal // turn waits, or ends the run
	case provider.Retryable:
		err := fmt.Errorf("%w: %w (tried %d times)", provider.ErrUnreachable, refusal, n)
		if a.failed != nil {
			err = fmt.Errorf("%s: %w: %w (tried %d times)", endpoint, provider.ErrUnreachable, &partial{a.failed, refusal}, n)
		}
		if n >= c.limits.Tries || a.failed != nil && a.failed.once {
			return final, err
		}
		return asked(v, a.answer.Header, c.options.Now()), err
	}
	c.limiter.answered()
	if n >= min(rejectedTries, c.limits.Tries) || v.Code == codeRedirect || a.failed != nil && a.failed.once {
		return final, refusal
	}
	return 0, refusal
}

// undelivered: no answer at all came.
func (c *Client) undelivered(endpoint string, f *failure, n int) (time.Duration, error) {
	if f == badRequest {
		return final, fmt.Errorf("%s: %w", endpoint, f)
	}
	err := fmt.Errorf("%s: %w: %w (tried %d times)", endpoint, provider.ErrUnreachable, f, n)
	switch {
	case f.once:
		c.stop(err)
		return final, err
	case n >= c.limits.Tries:
		return final, err
	}
	return 0, err
}

// partial is an answer that broke off: it is worded by why, and is still the
// *provider.AnswerError that it wraps.
type partial struct {
	failed  *failure
	refusal *provider.AnswerError
}

func (p *partial) Error() string { return p.failed.word }
func (p *partial) Unwrap() error { return p.refusal }
