package health

import (
	"slices"
	"time"
)

// HoursKept is the number of hours, at most, that a state file has.
const HoursKept = 25 // 24, and the one that goes on

// Hour sums up the runs that ended in one hour.
type Hour struct {
	At     time.Time `json:"at"` // its beginning, in UTC
	OK     int       `json:"ok"`
	Failed int       `json:"failed,omitempty"`
	// Wait is the longest time, in milliseconds, between a successful run of the hour and the
	// successful one before it.
	Wait int64 `json:"wait_ms,omitempty"`
	// Left is the least that the provider reported to be left of the quota, and Limit that quota
	// (fetch and probe only). Each is nil if there was no report.
	Left  *int64 `json:"left,omitempty"`
	Limit *int64 `json:"limit,omitempty"`
}

// maxAhead is how long a clock that was set back may have been ahead without a loss of its hours. Those of a
// clock further ahead are dropped: no hour is added before the newest one.
const maxAhead = 12 * time.Hour

// hoursAfter returns the hours with this run, which follows another one, or none. An hour before the
// newest one, after the clock was set back, is not added.
func (r *Run) hoursAfter(before *Run) []Hour {
	if before == nil {
		before = &Run{}
	}
	at := r.FinishedAt.UTC().Truncate(time.Hour)
	hours := slices.DeleteFunc(slices.Clone(before.Hours), func(h Hour) bool { return h.At.After(at.Add(maxAhead)) })
	i := slices.IndexFunc(hours, func(h Hour) bool { return h.At.Equal(at) })
	switch {
	case i >= 0:
	case len(hours) > 0 && at.Before(hours[len(hours)-1].At):
		return hours
	default:
		i = len(hours)
		hours = append(hours, Hour{At: at})
	}
	h := &hours[i]
	if r.OK {
		h.OK++
		if last := before.LastOKAt; last != nil {
			h.Wait = max(h.Wait, r.FinishedAt.Sub(*last).Milliseconds())
		}
	} else {
		h.Failed++
	}
	if q := r.Quota; q != nil && q.Left != nil && (h.Left == nil || *q.Left < *h.Left) {
		h.Left, h.Limit = q.Left, q.Limit
	}
	since := hours[len(hours)-1].At.Add(-(HoursKept - 1) * time.Hour)
	return slices.DeleteFunc(hours, func(h Hour) bool { return h.At.Before(since) })
}
