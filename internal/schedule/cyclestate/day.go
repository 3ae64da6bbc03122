package cyclestate

import (
	"time"

	"mkt/publish/health"
)

// Hour is one hour of a [Day].
type Hour struct {
	At        time.Time // its beginning, in UTC
	Known     bool      // false: before anything that was recorded
	Published int       // cycles; of a publication without changes, too
	Failed    int       // steps of cycles
	// Wait is the longest time without a new publication until the end of the hour, or until now.
	Wait        time.Duration
	Left, Limit *int64 // the least left of the quota, and the quota; nil if the provider did not report it
}

// Day is the newest 24 hours of the cycles of a product, the oldest first. The last hour goes on.
type Day [24]Hour

// DayOf returns what the steps recorded of the hours until now. newest are their newest runs, nil for
// a step without one.
func DayOf(now time.Time, newest ...*health.Run) (d Day) {
	first := now.UTC().Truncate(time.Hour).Add(-time.Duration(len(d)-1) * time.Hour)
	for i := range d {
		d[i].At = first.Add(time.Duration(i) * time.Hour)
	}
	known := now // since when
	var published *time.Time
	for _, run := range newest {
		if run == nil {
			continue
		}
		if run.Step == "publish" {
			published = run.LastOKAt
		}
		for _, h := range run.Hours {
			if h.At.Before(known) {
				known = h.At
			}
			at := int(h.At.Sub(first) / time.Hour)
			if h.At.Before(first) || at >= len(d) {
				continue
			}
			d[at].Failed += h.Failed
			if run.Step == "publish" {
				d[at].Published, d[at].Wait = h.OK, time.Duration(h.Wait)*time.Millisecond
			}
			if h.Left != nil {
				d[at].Left, d[at].Limit = h.Left, h.Limit
			}
		}
	}
	until := now // and whatever was published last before it
	for i := len(d) - 1; i >= 0; i-- {
		h := &d[i]
		h.Known = !h.At.Before(known)
		if h.Known && published != nil && (h.Published == 0 || until == now) {
			h.Wait = max(h.Wait, until.Sub(*published))
		}
		if h.Published > 0 && h.Wait > 0 { // the publication before it was so long before, or a little less
			before := h.At.Add(-h.Wait)
			published = &before
		}
		until = h.At
	}
	return d
}

// Sums returns the cycles published and the steps failed in the day, and the longest time without
// a new publication.
func (d *Day) Sums() (published, failed int, wait time.Duration) {
	for _, h := range d {
		published, failed, wait = published+h.Published, failed+h.Failed, max(wait, h.Wait)
	}
	return published, failed, wait
}
