package health

import (
	"strconv"
	"time"
)

// Quota is what a provider's newest answer said of an account's quota.
type Quota struct {
	At time.Time `json:"at"` // of the answer
	// Left is how many requests may still be sent until ResetsAt, and Limit how many
	// the account has in all. Each is nil if the provider did not say.
	Left     *int64     `json:"left,omitempty"`
	Limit    *int64     `json:"limit,omitempty"`
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	// UsedUpUntil is when the account may ask again. It is nil if requests are left.
	UsedUpUntil *time.Time `json:"used_up_until,omitempty"`
	// Assumed: the quota is used up, and the provider did not say until when.
	Assumed bool `json:"assumed,omitempty"`
}

// NewestQuota is the newest that the findings about a credential say about the quota, nil
// if none says anything. All products of an account share one quota.
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

// clockSlip is how far a finding may lie in the future and still be believed.
const clockSlip = time.Minute

// UsedUp reports whether the quota is used up at a time, and until when. What was
// found at a time that has not come yet, since the clock was set back, does not
// count: asking once too often does no harm, and waiting for years would.
func (q *Quota) UsedUp(now time.Time) (until time.Time, usedUp bool) {
	if q == nil || q.UsedUpUntil == nil || q.At.After(now.Add(clockSlip)) {
		return time.Time{}, false
	}
	return *q.UsedUpUntil, now.Before(*q.UsedUpUntil)
}

// Remaining is how many requests may still be sent, nil if that is not known: the
// provider did not say, or said it of a window that is over.
func (q *Quota) Remaining(now time.Time) *int64 {
	if q == nil || q.Left == nil || q.At.After(now.Add(clockSlip)) || q.ResetsAt != nil && !now.Before(*q.ResetsAt) {
		return nil
	}
	return q.Left
}

// Describe describes the quota at a time for a person: "95 of 3600 requests left until
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
	text += " requests left"
	if q.ResetsAt != nil {
		text += " until " + clockTime(*q.ResetsAt)
	}
	return text
}

func clockTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
