package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider"
)

// asked returns how long the provider asks to wait after an answer, 0 if it does not: by
// the adapter and by Retry-After. For a used up quota without either it is the
// time until the reset of its window. But if the answer reports requests left in that
// window, a shorter one is used up. Times are relative to the provider's own
// clock if it sends one.
func asked(v provider.Verdict, h http.Header, now time.Time) time.Duration {
	now = clockOf(h, now)
	wait := max(min(v.Wait, maxWindow), believed(retryAfter(h, now)))
	q, told := quotaOf(v, h, now)
	switch {
	case wait > 0:
	case told && q.Left == 0:
		wait = q.Resets
	case !told && v.Kind == provider.Limited:
		wait = min(untilReset(h.Get("X-RateLimit-Reset"), now), maxAsked)
	}
	return max(0, wait)
}

// clockOf is the provider's own clock, if the answer has it.
func clockOf(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// maxAsked is the longest window that a header may state: a quota of a day. An adapter may
// read one of a month. A longer Retry-After is not believed, or it could silence an
// account: it counts as a used up quota without a known end.
const maxAsked = 24 * time.Hour

// believed returns a wait asked for by Retry-After, or what counts instead.
func believed(wait time.Duration) time.Duration {
	if wait > maxAsked {
		return assumedWait
	}
	return wait
}

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	s := h.Get("Retry-After")
	if seconds, ok := wholeSeconds(s); ok {
		return seconds
	}
	if at, err := http.ParseTime(s); err == nil {
		return at.Sub(now)
	}
	return 0
}

// untilReset reads epoch seconds, or seconds from now if the number is small.
func untilReset(s string, now time.Time) time.Duration {
	const smallestEpoch = 1_000_000_000
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	if n < smallestEpoch {
		seconds, _ := wholeSeconds(s)
		return seconds
	}
	return time.Unix(min(n, 1<<40), 0).Sub(now)
}

func wholeSeconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return time.Duration(min(n, int64(maxWindow/time.Second))) * time.Second, true
}

// sleep waits. It ends early with the context, or if the process is to stop.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.options.Stopping:
		c.stop(ErrStopping)
		return ErrStopping
	}
}

// ErrStopping ends a run that would have to wait while the process is to stop.
var ErrStopping = fmt.Errorf("%w: the process is to stop, and the run would have to wait", context.Canceled)

// assumedWait is until when a quota counts as used up if the provider does not say.
const assumedWait = 2 * time.Minute

// maxLeft and maxWindow bound a credible quota.
const (
	maxLeft   = 1 << 30
	maxWindow = 32 * 24 * time.Hour // a month
)

// quotaOf returns the account's quota by an answer: as the adapter read it, or else by the
// headers that many providers use. It is not ok if the answer does not report how much is
// left. Times are relative to the provider's own clock if it sends one.
func quotaOf(v provider.Verdict, h http.Header, now time.Time) (q provider.Quota, ok bool) {
	if v.Quota != nil {
		q = *v.Quota
	} else {
		left, known := wholeNumber(h.Get("X-RateLimit-Remaining"))
		if !known {
			return provider.Quota{}, false
		}
		limit, _ := wholeNumber(h.Get("X-RateLimit-Limit"))
		q = provider.Quota{Left: left, Limit: limit, Resets: min(untilReset(h.Get("X-RateLimit-Reset"), clockOf(h, now)), maxAsked)}
	}
	q.Left, q.Limit, q.Resets = min(max(q.Left, 0), maxLeft), min(max(q.Limit, 0), maxLeft), min(max(q.Resets, 0), maxWindow)
	return q, true
}

// wholeNumber reads a number of requests. A negative one, such as -1 for no limit, says nothing.
func wholeNumber(s string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return int(min(max(n, 0), maxLeft)), err == nil && n >= 0
}
