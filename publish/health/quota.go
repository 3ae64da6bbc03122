package health

import (
	"strconv"
	"time"
)

// Quota is an account's quota as reported by the provider's newest answer.
type Quota struct {
	At time.Time `json:"at"` // of the answer
	// Left is the number of requests left until ResetsAt, and Limit is the quota. Each is nil if
	// the provider did not report it.
	Left     *int64     `json:"left,omitempty"`
	Limit    *int64     `json:"limit,omitempty"`
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	// UsedUpUntil is the time from which the account may send requests again. It is nil if
	// requests are left.
	UsedUpUntil *time.Time `json:"used_up_until,omitempty"`
	// Assumed: the quota is used up, and the provider did not report its end.
	Assumed bool `json:"assumed,omitempty"`
}

// NewestQuota returns the newest quota among the findings about a credential, nil if
// there is none. All products of an account share one quota.
func NewestQuota(fingerprint string, findings ...*Run) (newest *Quota) {
	for _, f := range findings {
		if f == nil || f.CredentialFingerprint != fingerprint || f.Quota == nil {
			continue
		}
		if newest == nil || f.Quota.At.After(newest.At) {
			newest = f.Quota
		}
	}
	return newest
}

// clockSlip is the most by which the time of a finding may be in the future.
const clockSlip = time.Minute

// UsedUp reports whether the quota is used up at a time, and until when. A finding from the
// future, as after the clock was set back, does not count: one request too many does no harm, but
// waiting for years would.
func (q *Quota) UsedUp(now time.Time) (until time.Time, usedUp bool) {
	if q == nil || q.UsedUpUntil == nil || q.At.After(now.Add(clockSlip)) {
		return time.Time{}, false
	}
	return *q.UsedUpUntil, now.Before(*q.UsedUpUntil)
}

// Remaining is the number of requests left. It is nil if the provider did not report it, or only
// for a window that is over.
func (q *Quota) Remaining(now time.Time) *int64 {
	if q == nil || q.Left == nil || q.At.After(now.Add(clockSlip)) || q.ResetsAt != nil && !now.Before(*q.ResetsAt) {
		return nil
	}
	return q.Left
}

// Describe describes the quota at a time for a person: "95 of 3600 left until
// 2026-11-20T10:00:00Z".
func (q *Quota) Describe(now time.Time) string {
	until, usedUp := q.UsedUp(now)
	left := q.Remaining(now)
	switch {
	case usedUp && q.Assumed:
		return "used up; the provider does not say until when, and is asked again at " + clockTime(until)
	case usedUp:
		return "used up until " + clockTime(until)
	case left == nil:
		return "not known"
	}
	text := strconv.FormatInt(*left, 10)
	if q.Limit != nil {
		text += " of " + strconv.FormatInt(*q.Limit, 10)
	}
	text += " left"
	if q.ResetsAt != nil {
		text += " until " + clockTime(*q.ResetsAt)
	}
	return text
}

func clockTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
