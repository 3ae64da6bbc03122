package upstream

import (
	"time"

	"mkt/fetch/provider"
	"mkt/publish/health"
)

// Quota returns the account's quota as the provider last reported it in this run,
// nil if it reported nothing.
func (c *Client) Quota() *health.Quota {
	c.quota.mu.Lock()
	defer c.quota.mu.Unlock()
	return c.quota.newest
}

// hear records an answer's report of the quota. number is that of its request.
func (c *Client) hear(a Answer, number int64) {
	c.limiter.answeredAt(a.At)
	c.spent.Add(costOf(a.Verdict))
	q := &health.Quota{At: a.At}
	said, reported := quotaOf(a.Verdict, a.Header, c.options.Now())
	if reported {
		q.Left = ref(int64(said.Left))
		if said.Resets > 0 {
			q.ResetsAt = ref(inMillis(a.At.Add(said.Resets)))
		}
		c.limiter.reportQuota(said, c.options.Monotonic())
	}
	if limit := c.limiter.lastLimit(); limit > 0 { // also if this answer does not have it
		q.Limit = ref(int64(limit))
	}
	wait := asked(a.Verdict, a.Header, c.options.Now())
	switch {
	case wait > 0 && (a.Verdict.Kind == provider.Limited || reported && said.Left == 0):
		// After the report, because a request that meets the pause ends the run with what is reported.
		defer c.limiter.pause(c.options.Monotonic().Add(wait))
		q.UsedUpUntil = ref(inMillis(a.At.Add(wait)))
	case a.Verdict.Kind == provider.Limited:
		q.UsedUpUntil, q.Assumed = ref(inMillis(a.At.Add(assumedWait))), true
	case a.Verdict.Kind != provider.Accepted && !reported:
		return // reports nothing about the quota
	}
	c.quota.mu.Lock()
	defer c.quota.mu.Unlock()
	if !c.quota.ended && !c.isOvertaken(q, number) {
		c.quota.newest, c.quota.number = q, number
	}
}

// costOf returns how much of the quota an answer used.
func costOf(v provider.Verdict) int64 {
	if v.Quota == nil || v.Quota.Cost == nil {
		return 1
	}
	return int64(min(max(*v.Quota.Cost, 0), maxLeft))
}

// isOvertaken reports whether a report came after that of a later request: requests under
// way at once are answered in any order, and may also be counted in another order than
// they were sent. An enlarged quota grows by more than that. The caller holds the lock.
func (c *Client) isOvertaken(q *health.Quota, number int64) bool {
	newest := c.quota.newest
	if newest == nil || newest.Left == nil || q.Left == nil || q.UsedUpUntil != nil {
		return false
	}
	more := *q.Left - *newest.Left
	return more > 0 && (number < c.quota.number || more < int64(cap(c.limiter.slots)))
}

// mayWait reports whether a run may wait that long for the quota, including its earlier
// waits. It keeps others from running in the meantime.
func (c *Client) mayWait(now time.Time, wait time.Duration) bool {
	const waits = 3
	until := now.Add(wait)
	c.quota.mu.Lock()
	defer c.quota.mu.Unlock()
	more := time.Duration(0)
	if until.After(c.quota.waiting) { // requests wait together
		more = until.Sub(latest(now, c.quota.waiting))
	}
	if wait > c.limits.QuotaWait || c.quota.waited+more > waits*c.limits.QuotaWait || until.After(c.deadline) {
		return false
	}
	if more > 0 {
		c.quota.waiting, c.quota.waited = until, c.quota.waited+more
	}
	return true
}

// endForQuota ends the sending of requests: the account's quota is used up for longer than
// a run may wait. wait is how long, 0 if not known.
func (c *Client) endForQuota(refusal *provider.AnswerError, wait time.Duration) error {
	now := c.options.Now()
	c.quota.mu.Lock()
	if !c.quota.ended {
		c.quota.ended = true
		q := health.Quota{At: now}
		if c.quota.newest != nil {
			q = *c.quota.newest
		}
		switch {
		case wait > 0:
			q.UsedUpUntil, q.Assumed = ref(inMillis(now.Add(wait))), false
		case q.UsedUpUntil == nil:
			q.UsedUpUntil, q.Assumed = ref(inMillis(now.Add(assumedWait))), true
		}
		c.quota.newest = &q
	}
	c.quota.mu.Unlock()
	c.stopSend(refusal)
	return refusal
}

// inMillis rounds up, so nobody asks before the time has come.
func inMillis(t time.Time) time.Time {
	return t.UTC().Add(time.Millisecond - 1).Truncate(time.Millisecond)
}

func ref[T any](v T) *T { return &v }
