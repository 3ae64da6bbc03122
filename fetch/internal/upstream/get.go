package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mkt/fetch/provider"
)

// giveUpAfter requests in a row, each lost after all its tries, the provider
// counts as down and the run stops asking.
const giveUpAfter = 5

// rejectedTries: an answer that cannot be what was asked for may be an accident
// of a front server, but asking often does not make it better.
const rejectedTries = 2

// Get asks until there is an accepted answer, within the run's budget. keep is
// given every answer, accepted or not, complete or not, before it is used; an
// error of its ends the request.
//
// The error is a *provider.AnswerError (refused, rejected, limited), wraps
// provider.ErrUnreachable, is that of keep, or the context's. After a refused
// credential, a quota that does not come back in time, or a provider that is
// down, every Get ends at once with the same error; see Stopped.
func (c *Client) Get(ctx context.Context, r provider.Request, keep func(Answer) error) (Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()

	pause := &backoff.ExponentialBackOff{InitialInterval: c.limits.Wait, MaxInterval: c.limits.MaxWait, Multiplier: 2, RandomizationFactor: 0.5}
	for n := 1; ; n++ {
		if err := c.turn(ctx, r.Endpoint); err != nil {
			return Answer{}, c.ended(r.Endpoint, err)
		}
		a := c.try(ctx, r, n)
		c.line.leave()
		if ctx.Err() != nil && a.failed != nil {
			return Answer{}, c.ended(r.Endpoint, context.Cause(ctx))
		}
		if a.answered {
			if err := keep(a.answer); err != nil {
				return Answer{}, err
			}
		}
		wait, err := c.decide(r.Endpoint, a, n)
		if err == nil {
			return a.answer, nil
		}
		if wait < 0 {
			return Answer{}, err
		}
		wait = max(wait, pause.NextBackOff())
		if time.Now().Add(wait).After(c.deadline) {
			return Answer{}, c.lose(err)
		}
		c.options.Log.Debug("provider is asked again", "endpoint", r.Endpoint, "attempt", n, "reason", reason(a), "wait_ms", wait.Milliseconds())
		if err := sleep(ctx, wait); err != nil {
			return Answer{}, c.ended(r.Endpoint, err)
		}
	}
}

// final is decide's wait when there is no other try.
const final = -1

// decide says what an attempt means: no error, an error for good, or an error
// and how long to wait at least before the next try.
func (c *Client) decide(endpoint string, a attempt, n int) (wait time.Duration, err error) {
	if a.answered {
		c.noteQuota(a.answer)
	}
	if a.failed != nil && !a.answered {
		return c.undelivered(endpoint, a.failed, n)
	}
	v := a.answer.Verdict
	refusal := &provider.AnswerError{Endpoint: endpoint, Status: a.answer.Status, Verdict: v}
	switch v.Kind {
	case provider.Accepted:
		c.line.answered()
		return 0, nil
	case provider.CredentialFault, provider.PermissionFault:
		c.stop(refusal)
		return final, refusal
	case provider.Limited:
		return c.limited(refusal, a.answer, n)
	case provider.Retryable:
		err := fmt.Errorf("%w: %w", provider.ErrUnreachable, refusal)
		if n >= c.limits.Tries || a.failed != nil && a.failed.once {
			return final, c.lose(err)
		}
		return asked(v, a.answer.Header, c.options.Now()), err
	}
	c.line.answered()
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
		return final, c.lose(err)
	}
	return 0, err
}

// limited holds all requests of the line back for as long as the provider asks.
// turn stops the run when that is longer than the run has.
func (c *Client) limited(refusal *provider.AnswerError, a Answer, n int) (time.Duration, error) {
	if wait := asked(a.Verdict, a.Header, c.options.Now()); wait > 0 {
		c.line.pause(time.Now().Add(wait))
	}
	if n >= c.limits.Tries {
		c.stop(refusal)
		return final, refusal
	}
	return 0, refusal
}

// noteQuota holds requests back when an answer says that it was the last one
// for now.
func (c *Client) noteQuota(a Answer) {
	if a.Header.Get("X-RateLimit-Remaining") == "" {
		return
	}
	c.line.tellsQuota()
	if usedUp(a.Header) {
		c.line.pause(time.Now().Add(asked(a.Verdict, a.Header, c.options.Now())))
	}
}

// lose counts a request that was lost for good, and stops the run after too
// many in a row.
func (c *Client) lose(err error) error {
	if errors.Is(err, provider.ErrUnreachable) && c.line.lost() >= giveUpAfter {
		c.stop(err)
	}
	return err
}

// turn waits until a request may be sent, and takes a place on the line.
func (c *Client) turn(ctx context.Context, endpoint string) error {
	for {
		if err := c.over(ctx); err != nil {
			return err
		}
		if wait := c.line.wait(time.Now()); wait > 0 {
			if time.Now().Add(wait).After(c.deadline) {
				err := &provider.AnswerError{Endpoint: endpoint, Verdict: provider.Verdict{Kind: provider.Limited, Code: codeQuota, Wait: wait}}
				c.stop(err)
				return err
			}
			if err := sleep(ctx, wait+jitter(time.Second/4)); err != nil {
				return err
			}
			continue
		}
		if err := c.line.enter(ctx); err != nil {
			return err
		}
		err := c.over(ctx)
		if err == nil && c.line.wait(time.Now()) == 0 {
			return nil
		}
		c.line.leave()
	}
}

// over tells why nothing more is sent, nil when that is not so. It looks at the
// run's life itself: ctx learns of its end a moment later.
func (c *Client) over(ctx context.Context) error {
	if c.life.Err() != nil {
		return context.Cause(c.life)
	}
	return context.Cause(ctx)
}

// ended says why a request was not carried through: the run was stopped, its
// time is used up, or the caller's context ended.
func (c *Client) ended(endpoint string, err error) error {
	var answer *provider.AnswerError
	if errors.As(err, &answer) || errors.Is(err, provider.ErrUnreachable) && err != errBudget {
		return err
	}
	return fmt.Errorf("%s: %w", endpoint, err)
}

func reason(a attempt) string {
	if a.failed != nil {
		return a.failed.code
	}
	return a.answer.Verdict.Code
}
