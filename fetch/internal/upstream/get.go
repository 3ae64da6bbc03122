package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mkt/fetch/provider"
)

// Get sends a request until there is an accepted answer, within the run's budget. keep
// is called with every answer, accepted or not, complete or not, before it is used; an
// error of keep ends the request.
//
// The error is a *[provider.AnswerError] (refused, rejected, limited), wraps
// [provider.ErrUnreachable], or is that of keep or of the context. After a refused
// credential, or a failure of the provider itself, every Get ends at once with the same
// error; see [Client.Stopped]. If the quota does not come back within a few seconds, nothing
// is sent any more, but the requests under way are finished: they are paid for.
func (c *Client) Get(ctx context.Context, r provider.Request, keep func(Answer) error) (Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
	waiting, endWait := context.WithCancelCause(ctx)
	defer endWait(nil)
	defer context.AfterFunc(c.sending, func() { endWait(context.Cause(c.sending)) })()

	pause := &backoff.ExponentialBackOff{InitialInterval: c.limits.Wait, MaxInterval: c.limits.MaxWait, Multiplier: 2}
	ask := &asking{endpoint: r.Endpoint}
	defer c.dispel(ask)
	var before error // of the last try sent
	for n := 1; ; n++ {
		if err := c.admit(waiting, ask); err != nil {
			return Answer{}, c.ended(r.Endpoint, err)
		}
		a := c.try(ctx, r, n)
		c.limiter.leave()
		if a.failed == circuitOpen {
			if err := c.await(waiting, r.Endpoint, before); err != nil {
				return Answer{}, err
			}
			n-- // it was not sent
			continue
		}
		if ctx.Err() != nil && a.failed != nil {
			a.turn.end()
			return Answer{}, c.ended(r.Endpoint, context.Cause(ctx))
		}
		if err := c.take(a, keep); err != nil {
			return Answer{}, err
		}
		wait, err := c.decide(ask, a, n)
		if err == nil {
			return a.answer, nil
		}
		before = err
		if wait < 0 {
			return Answer{}, err
		}
		next := pause.NextBackOff()
		wait = max(wait, next/2+c.jitter(next)) // half to one and a half of it
		if c.options.Monotonic().Add(wait).After(c.deadline) {
			return Answer{}, err
		}
		c.options.Log.Debug("request is repeated", "endpoint", r.Endpoint, "attempt", n, "reason", reason(a), "wait_ms", wait.Milliseconds())
		if err := c.sleep(waiting, wait); err != nil {
			return Answer{}, c.ended(r.Endpoint, err)
		}
	}
}

// take hands an answer to keep. It ends the turn of a large answer.
func (c *Client) take(a attempt, keep func(Answer) error) error {
	defer a.turn.end()
	if !a.answered {
		return nil
	}
	c.hear(a.answer, a.number)
	return keep(a.answer)
}

// await waits a moment while the breaker is open. If the breaker opened several times
// without an answer in between, the provider counts as down. before is the error of the
// request when it was sent, nil if it was not.
func (c *Client) await(ctx context.Context, endpoint string, before error) error {
	if before == nil {
		before = fmt.Errorf("%s: %w: %w", endpoint, provider.ErrUnreachable, circuitOpen)
	}
	moment := c.limits.Break / 5
	switch {
	case c.limiter.opened() >= giveUpOpenings:
		c.stop(before)
		return before
	case c.options.Monotonic().Add(moment).After(c.deadline):
		return before
	}
	if err := c.sleep(ctx, moment+c.jitter(moment)); err != nil {
		return c.ended(endpoint, err)
	}
	return nil
}

// admit waits until a request may be sent, and takes a slot of the limiter.
func (c *Client) admit(ctx context.Context, ask *asking) error {
	for {
		if err := c.over(ctx); err != nil {
			return err
		}
		if !ask.confirming {
			if err := c.doubt.wait(ctx); err != nil {
				return err
			}
		}
		if c.received.Load() > c.limits.Bytes || c.values.Load() > c.limits.Values {
			c.stop(&provider.AnswerError{Endpoint: ask.endpoint, Verdict: provider.Verdict{Kind: provider.Rejected, Code: codeRunTooLarge}})
			continue
		}
		if wait := c.limiter.wait(c.options.Monotonic()); wait > 0 {
			if !c.mayWait(c.options.Monotonic(), wait) {
				return c.endForQuota(&provider.AnswerError{Endpoint: ask.endpoint, Verdict: provider.Verdict{Kind: provider.Limited, Code: codeQuota, Wait: wait}}, wait)
			}
			if err := c.sleep(ctx, wait+c.jitter(time.Second/4)); err != nil {
				return err
			}
			continue
		}
		if err := c.limiter.enter(ctx); err != nil {
			return err
		}
		if c.over(ctx) == nil && c.limiter.wait(c.options.Monotonic()) == 0 && (ask.confirming || !c.doubt.isOpen()) {
			return nil
		}
		c.limiter.leave()
	}
}

// over returns why nothing more is sent, nil if requests are still sent. It looks at
// the run itself, because ctx is cancelled a moment later.
func (c *Client) over(ctx context.Context) error {
	if c.sending.Err() != nil {
		return context.Cause(c.sending)
	}
	return context.Cause(ctx)
}

// ended returns why a request was not completed: the run was stopped, its time is used
// up, or the caller's context ended.
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
