package api

import "time"

// Freshness is the block of times in the meta of data responses
// (specification, section 2.4). nil means null.
type Freshness struct{ ProviderFetchedAt, ProcessedAt, PublishedAt *time.Time }

// Oldest returns the earliest of the times, by which the data is as old as it is.
func (f Freshness) Oldest() (oldest time.Time) {
	for _, at := range []*time.Time{f.ProviderFetchedAt, f.ProcessedAt, f.PublishedAt} {
		if at != nil && (oldest.IsZero() || at.Before(oldest)) {
			oldest = *at
		}
	}
	return oldest
}

// clockTolerance is how far the clocks of two machines may differ: cycles do not run where one
// differs more.
const clockTolerance = 2 * time.Second

// ToCome reports whether a time is later than now: a clock is wrong.
func (f Freshness) ToCome(now time.Time) bool {
	for _, at := range []*time.Time{f.ProviderFetchedAt, f.ProcessedAt, f.PublishedAt} {
		if at != nil && at.Sub(now) > clockTolerance {
			return true
		}
	}
	return false
}
