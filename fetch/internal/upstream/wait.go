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

// asked returns how long the provider asks to wait after an answer, 0 if it does not:
// what the adapter read and Retry-After. For a used up quota without either it is the
// time until the reset of its window, unless the answer reports that requests are left
// in it: then a shorter window is used up. Times are relative to the provider's own
// clock if it sends one.
func asked(v provider.Verdict, h http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	wait := max(v.Wait, retryAfter(h.Get("Retry-After"), now))
	if left, reported := remaining(h); wait <= 0 && (reported && left <= 0 || v.Kind == provider.Limited && !reported) {
		wait = untilReset(h.Get("X-RateLimit-Reset"), now)
	}
	return min(max(0, wait), maxAsked)
}

// maxAsked keeps absurd requests from overflowing; the run's budget is shorter.
const maxAsked = 24 * time.Hour

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3).
func retryAfter(s string, now time.Time) time.Duration {
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
	return time.Duration(min(n, int64(maxAsked/time.Second))) * time.Second, true
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
